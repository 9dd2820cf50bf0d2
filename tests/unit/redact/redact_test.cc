// What-ifs and calls without names mean what they meant with them.
// The report of a redacted run is that of the original: the same rules, numbers and places, without
// names.

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "ingest/reader.h"
#include "model/call_history_builder.h"
#include "model/code_owner.h"
#include "pipeline/lint.h"
#include "redact/redact.h"
#include "rules/rule_set.h"
#include "support/catch.h"
#include "support/corpus.h"

namespace shapewise {
namespace {

PolicyChange Parsed(const std::string& text) {
  Expected<PolicyChange> change = ParsePolicy(text);
  if (!change) FAIL(llvm::toString(change.takeError()));
  return std::move(*change);
}

TEST_CASE("a redacted what-if equals its text", "[redact]") {
  for (const std::string text :
       {"mark_dynamic(zqx, 1)", "mark_dynamic( self.zqx[0] , [0, 1], min=2, max=8)",
        "maybe_mark_dynamic(L['zqx'], 0) + limit 16", "isolate", "as-is", "dynamic=True",
        "buckets(zqx, 1, 16|32, fill=-100) + mark_static(zqx, 1)",
        "buckets(zqx:0, zqy:1=-1, 8x64|16x128)", "serve(zqx, 1, 1..64:64|65..512:dynamic)",
        "serve(zqx:1, zqy:1=-1, 1..64:64|65..:eager)", "dynamic_sources=\"zqx,zqy.0\"",
        "unbacked_sources='zqx' + recompile_limit=4", "mark_static(mark_static, 0)"}) {
    INFO(text);
    Redactor redactor({});
    PolicyChange change = Parsed(text);
    RedactChange(redactor, change);
    INFO(change.text);
    CHECK(change.text.find("zq") == std::string::npos);
    // The tokens are no names any more: as they stand in the text they are what is asked for.
    const PolicyChange again = Parsed(change.text);
    CHECK(again.text == change.text);
    CHECK(again.options == change.options);
    CHECK(again.marks == change.marks);
    CHECK(again.buckets == change.buckets);
    CHECK(again.shapes == change.shapes);
    CHECK(again.serving == change.serving);
    REQUIRE(again.named.size() == change.named.size());
    for (size_t i = 0; i < again.named.size(); ++i) {
      CHECK(again.named[i].begin == change.named[i].begin);
      CHECK(again.named[i].size == change.named[i].size);
    }
  }
}

TEST_CASE("only sources of a what-if become tokens", "[redact]") {
  Redactor redactor({});
  PolicyChange change = Parsed("mark_static(mark_static, 0) + limit 4 + mode=max-autotune");
  RedactChange(redactor, change);
  CHECK(change.text == "mark_static(name1, 0) + limit 4 + mode=max-autotune");
}

TEST_CASE("equal calls stay equal, and different calls stay different", "[redact]") {
  CallHistory history;
  CallHistoryBuilder builder(history);
  for (const std::string mode : {"train", "eval", "train", "name1"}) {
    CallValue value;
    value.kind = CallValue::Kind::kStr;
    value.text = builder.strings().Intern(mode);
    builder.Set(builder.Source(CallHistoryBuilder::kNoParent, "L['mode']"), value);
    TensorValue tensor;
    tensor.sizes = {8, 16};
    tensor.type = builder.strings().Intern("Parameter");
    builder.SetTensor(builder.Source(CallHistoryBuilder::kNoParent, "L['self'].cache"), tensor);
    builder.EndCall(RecordedCall(), builder.strings().Intern("grad=off"));
  }
  builder.Finish();
  Redactor redactor({"key", {}});
  RedactHistory(redactor, history);

  const auto text = [&](size_t call) {
    const CallSignature& signature = history.signatures[history.calls[call].signature];
    return std::string(history.strings.text(signature.values[0].text));
  };
  CHECK(text(0) == text(2));
  CHECK(text(0) != text(1));
  CHECK(text(0) != text(3));
  CHECK(text(0) == redactor.Rewrite(TextKind::kExpression, "train"));
  CHECK(history.strings.text(history.sources[1]).starts_with("L['self'].name"));
  // What decides how Dynamo takes a call stays.
  CHECK(history.strings.text(history.tensors[0].type) == "Parameter");
  CHECK(history.strings.text(history.signatures[0].state) == "grad=off");
}

RedactorOptions Options(const std::string& key = "") {
  return {key, RuleSet::Builtin().TextWords()};
}

LintResult LintAll(const Session& session) {
  Expected<LintResult> result = LintSession({}, session);
  REQUIRE(static_cast<bool>(result));
  return std::move(*result);
}

/// The parts of a finding without names. Equal ones may come in another order: ties are broken by
/// places, which have other names.
auto NumbersOf(const Finding& finding, bool with_advice) {
  return std::make_tuple(finding.rule, finding.severity, finding.count,
                         finding.cost_seconds.value_or(-1), finding.where.line, finding.user.line,
                         finding.ranks, finding.events, finding.pattern, finding.values.size(),
                         with_advice ? finding.advice.size() : 0, finding.runs_eager,
                         finding.identity.guard_class, finding.identity.dim);
}

auto NumbersOf(const LintResult& result, bool with_advice) {
  std::vector<decltype(NumbersOf(std::declval<Finding>(), true))> numbers;
  for (const Finding& finding : result.findings) {
    numbers.push_back(NumbersOf(finding, with_advice));
  }
  std::ranges::sort(numbers);
  return numbers;
}

TEST_CASE("a redacted run has the findings of the original", "[redact][corpus]") {
  const std::vector<CorpusLog> logs = AllCorpusLogs();
  REQUIRE(logs.size() > 100);
  for (const CorpusLog& log : logs) {
    INFO(log.name);
    Session open;
    ReadInputFromChunks(log.name, {log.text}, open);
    Redactor redactor(Options());
    Session redacted;
    RedactSession(open, redactor, redacted);
    const LintResult expected = LintAll(open);
    const LintResult reported = LintAll(redacted);
    // A redacted run does not name a library, so that its own remedy is not known there.
    const bool has_library = std::ranges::any_of(expected.findings, [](const Finding& finding) {
      return IsLibraryFile(finding.where.file) || IsLibraryFile(finding.user.file);
    });
    CHECK(NumbersOf(reported, !has_library) == NumbersOf(expected, !has_library));
    CHECK(reported.summary.recompiles == expected.summary.recompiles);
    CHECK(reported.summary.graph_break_sites == expected.summary.graph_break_sites);
    CHECK(reported.summary.eager_functions.size() == expected.summary.eager_functions.size());
    CHECK(reported.summary.compile_seconds == expected.summary.compile_seconds);
    CHECK(reported.summary.torch == expected.summary.torch);
    CHECK(reported.gaps.size() == expected.gaps.size());
  }
}

TEST_CASE("with a key, a name has the same token in two runs", "[redact]") {
  const auto functions = [](std::string_view first, std::string_view second) {
    std::string text;
    for (const std::string_view name : {first, second}) {
      text +=
          "V1121 03:50:55.230000 11963 torch/_dynamo/guards.py:5396] [1/1] [__recompiles] "
          "Recompiling function " +
          std::string(name) + " in /srv/app/train.py:80\n";
    }
    Session open;
    ReadInputFromChunks("run.log", {text}, open);
    Redactor redactor(Options("key"));
    Session redacted;
    RedactSession(open, redactor, redacted);
    std::vector<std::string> names;
    for (const Event& event : redacted.events()) {
      names.emplace_back(redacted.text(redacted.detail(event).function));
    }
    return names;
  };
  const std::vector<std::string> one = functions("route", "gate");
  const std::vector<std::string> other = functions("gate", "route");
  REQUIRE(one.size() == 2);
  CHECK(one[0] == other[1]);
  CHECK(one[1] == other[0]);
  CHECK(one[0] != one[1]);
}

TEST_CASE("redacting a redacted run changes no numbers", "[redact]") {
  const std::vector<CorpusLog> logs = AllCorpusLogs();
  for (size_t i = 0; i < logs.size(); i += 10) {
    INFO(logs[i].name);
    Session open;
    ReadInputFromChunks(logs[i].name, {logs[i].text}, open);
    Redactor first(Options("one"));
    Session once;
    RedactSession(open, first, once);
    Redactor second(Options("two"));
    Session twice;
    RedactSession(once, second, twice);
    CHECK(NumbersOf(LintAll(twice), true) == NumbersOf(LintAll(open), true));
  }
}

}  // namespace

}  // namespace shapewise
