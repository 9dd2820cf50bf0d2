// The report of a redacted run is that of the original: the same rules, numbers and places, without
// names.

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "ingest/reader.h"
#include "model/code_owner.h"
#include "pipeline/lint.h"
#include "redact/redact.h"
#include "rules/rule_set.h"
#include "support/catch.h"
#include "support/corpus.h"

namespace shapewise {
namespace {

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
