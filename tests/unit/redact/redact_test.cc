// What-ifs and calls without names mean what they meant with them.
// The report of a redacted run is that of the original: the same rules, numbers and places, without
// names.

#include "redact/redactor.h"

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
#include "support/random.h"

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

Redactor Keyed(const std::string& key) { return Redactor({key, {}}); }

TEST_CASE("names become tokens; words of Python, guards and torch are kept", "[redact]") {
  Redactor redactor({"", {}});
  const auto expression = [&](std::string_view text) {
    return redactor.Rewrite(TextKind::kExpression, text);
  };
  CHECK(expression("L['self'].encoder.weight") == "L['self'].name1.name2");
  CHECK(expression("L['encoder'].size()[0] == 8") == "L['name1'].size()[0] == 8");
  CHECK(expression("2 <= L['x'].size()[1] <= s77") == "2 <= L['name3'].size()[1] <= s77");
  CHECK(expression("___check_type_id(L['x'], 94)") == "___check_type_id(L['name3'], 94)");
  CHECK(expression("<class 'torch.nn.modules.linear.Linear'>") ==
        "<class 'torch.nn.modules.linear.Linear'>");
  CHECK(expression("<class 'moe.gates.Gate'>") == "<class 'name4.name5.name6'>");
  CHECK(expression("L['mode'] == 'train'") == "L['name7'] == 'name8'");
  CHECK(expression("torch_dynamo_resume_in_train_at_12_3") ==
        "torch_dynamo_resume_in_name8_at_12_3");
  CHECK(expression("torch_dynamo_resume_in_<lambda>_at_7") ==
        "torch_dynamo_resume_in_<lambda>_at_7");
  CHECK(expression("outer.<locals>.forward") == "name9.<locals>.forward");
  CHECK(expression("self.decoder_layer_idx") == "self.name10_layer_idx");
  CHECK(expression("self.layer_idx") == "self.layer_idx");
}

TEST_CASE("attribute chains of torch are kept; operators of others are replaced", "[redact]") {
  Redactor redactor({"", {}});
  const auto expression = [&](std::string_view text) {
    return redactor.Rewrite(TextKind::kExpression, text);
  };
  CHECK(expression("torch.ops.aten.add.Tensor") == "torch.ops.aten.add.Tensor");
  CHECK(expression("aten::_local_scalar_dense") == "aten::_local_scalar_dense");
  CHECK(expression("torch.ops.acme.route.default") == "torch.ops.name1.name2.name3");
  CHECK(expression("torch.classes.acme.Table") == "torch.classes.name1.name4");
  CHECK(expression("self.torch.secret") == "self.torch.name5");
}

TEST_CASE("paths keep their extensions and their part below an installed torch", "[redact]") {
  Redactor redactor({"", {}});
  const auto path = [&](std::string_view text) { return redactor.Rewrite(TextKind::kPath, text); };
  CHECK(path("/home/ann/moe/gate.py") == "/name1/name2/name3/name4.py");
  CHECK(path("moe/rank_0.log.gz") == "name3/name5.log.gz");
  CHECK(path("/home/ann/v/lib/python3.11/site-packages/torch/nn/functional.py") ==
        "/name1/name2/name6/lib/python3.11/site-packages/torch/nn/functional.py");
  CHECK(path("/v/lib/python3.11/site-packages/acme/gate.py") ==
        "/name6/lib/python3.11/site-packages/name7/name4.py");
  CHECK(path("/src/pytorch/torch/nn/secret.py") == "/name8/name9/torch/nn/name10.py");
  CHECK(path("nn/functional.py") == "nn/functional.py");
  CHECK(path("nn/secret.py") == "name11/name10.py");
  CHECK(path("-") == "-");
  CHECK(path("<string>") == "<string>");
  CHECK(path("C:\\work\\gate.py") == "name12:\\name13\\name4.py");
}

TEST_CASE("messages keep the given words", "[redact]") {
  Redactor redactor({"", {"Attempted", "call"}});
  CHECK(redactor.Rewrite(TextKind::kProse, "Attempted call of gate in line 7") ==
        "Attempted call of name1 in line 7");
  CHECK(redactor.Rewrite(TextKind::kExpression, "Attempted") == "name2");
  CHECK(redactor.RewriteCode("the 'gate' of the others") == "the 'name1' of the others");
}

TEST_CASE("in our sentences, names in code are replaced and words are kept", "[redact]") {
  const std::string sentence =
      "Sizes come in bursts: e is a letter, dim 0 of a size (its end) doesn't vary, 12 calls.";
  Redactor redactor({"", {}});
  for (const std::string_view name : {"e", "", "12", "0", "Sizes", "size", "dim", "calls", "is",
                                      "of", "its", "end", "bursts", "letter", "a"}) {
    redactor.Rewrite(TextKind::kPath, name);
    redactor.Rewrite(TextKind::kExpression, name);
  }
  CHECK(redactor.RewriteCode(sentence) == sentence);
  redactor.Rewrite(TextKind::kExpression, "gate");
  const std::string token = redactor.Rewrite(TextKind::kExpression, "gate");
  for (const std::string_view text :
       {"a range on gate.size(0)", "the tensor 'gate' is", "mark_static(gate, 0) pins",
        "it asks gate[0]", "a:0 and gate:1", "in src/gate.py", "in gate.py:12", "[gate] says",
        "self.gate is", "acme::gate is", "moe/gate"}) {
    CAPTURE(text);
    const std::string redacted = redactor.RewriteCode(text);
    const bool is_list = text.starts_with('[');  // brackets of a sentence subscript nothing
    CHECK((redacted.find("gate") == std::string::npos) != is_list);
    CHECK((redacted.find(token) != std::string::npos) != is_list);
  }
}

TEST_CASE("sentences of a plan are kept for any names of files and columns", "[redact]") {
  BucketReport report;
  report.cost_model = "measured at 3 sizes";
  report.why = "one dynamic graph is 5.0 % slower, padded to 64 costs 60.0 % more than no padding";
  report.gaps = {
      "The calls have no order in time: that the plan holds for later ones is not checked."};
  report.assumptions = {"a compile takes 30 s"};
  report.unread = {"e: no such file"};
  report.simulations = {{"buckets(x, 1, 16|40)", 2, 0, {"the second size makes a dynamic graph"}}};
  report.static_compile = CompilePrice{1, "e"};
  const BucketReport before = report;
  for (const std::string_view name :
       {"e", "", "7", "30", "calls", "the", "plan", "dynamic graph", "x", "s", "padding"}) {
    Redactor redactor({"", {}});
    BucketReport redacted = report;
    redacted.inputs = {std::string(name)};
    redacted.columns = {std::string(name)};
    RedactBuckets(redactor, {}, redacted);
    CAPTURE(name);
    CHECK(redacted.cost_model == before.cost_model);
    CHECK(redacted.why == before.why);
    CHECK(redacted.gaps == before.gaps);
    CHECK(redacted.assumptions == before.assumptions);
    CHECK(redacted.unread == before.unread);
    // A policy names tensors, which may be columns.
    CHECK((redacted.simulations[0].policy == before.simulations[0].policy) == (name != "x"));
    CHECK(redacted.simulations[0].traps == before.simulations[0].traps);
  }
}

TEST_CASE("numbers are kept; words that begin like one are not", "[redact]") {
  Redactor redactor({"", {}});
  for (const std::string_view number : {"12", "0x7fA0", "1e5", "3x16", "2048MB", "12ms", "007"}) {
    CHECK(redactor.Rewrite(TextKind::kExpression, number) == number);
  }
  CHECK(redactor.Rewrite(TextKind::kExpression, "3gates") == "name1");
  CHECK(redactor.Rewrite(TextKind::kExpression, "9f8e7d6c5b4a") == "name2");
}

TEST_CASE("a line of code keeps its form, which shows how a value is used", "[redact]") {
  Redactor redactor({"", {}});
  CHECK(redactor.Rewrite(TextKind::kExpression, "return self.gate(x)") ==
        "return self.name1(name2)");
  CHECK(redactor.Rewrite(TextKind::kExpression, "if \"secret plan\" in plans[3]:  # ours") ==
        "if \"name3 name4\" in name5[3]:  # name6");
}

TEST_CASE("with a key, a token depends only on key and name", "[redact]") {
  Redactor first = Keyed("secret");
  Redactor second = Keyed("secret");
  first.Rewrite(TextKind::kExpression, "others come before");
  // HMAC-SHA256 of "gate" with the key "secret", as other programs compute it.
  const std::string token = second.Rewrite(TextKind::kExpression, "gate");
  CHECK(token == "name44a7e25ec0");
  CHECK(first.Rewrite(TextKind::kPath, "gate") == token);
  CHECK(Keyed("other").Rewrite(TextKind::kExpression, "gate") != token);
  CHECK(first.RewriteHash(7) == second.RewriteHash(7));
  CHECK(first.RewriteHash(7) != first.RewriteHash(8));
}

std::string RandomName(Random& random) {
  static constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  std::string name = "zq";
  const size_t length = 4 + random.Below(12);
  while (name.size() < length) name += kLetters[random.Below(kLetters.size())];
  // Names in other scripts are names, too.
  if (random.Below(8) == 0) name += "\xC3\xA9";
  return name;
}

/// Texts as PyTorch prints them, with a name for each '@'.
constexpr std::string_view kTexts[] = {
    "L['self']._modules['@']._parameters['@'].size()[0]",
    "/@/@/site-packages/@/@.py",
    "torch_dynamo_resume_in_@_at_12",
    "@: tensor 'L['@']' size mismatch at index 0. expected 3, actual 4",
    "<class '@.@'> # @ @(@) in @",
    "call_function UserFunctionVariable(@) [ConstantVariable(str: '@')] {}",
    "torch.ops.@.@ and torch.classes.@.@ and self.torch.@",
    "__import_@_dot_@ G['@']",
    "/torch/nn/@/@.py",
    "torch/@.py",
    "@_layer_idx + layer_@_id",
    "12@ 0x7@ @12",
};

TEST_CASE("no name passes, in any position and for any kind of text", "[redact]") {
  Random random(7);
  for (const std::string& key : {std::string(), std::string("k")}) {
    Redactor redactor({key, {"call", "function", "tensor"}});
    for (int round = 0; round < 2000; ++round) {
      std::string text;
      std::vector<std::string> names;
      for (const char c : kTexts[random.Below(std::size(kTexts))]) {
        if (c != '@') {
          text += c;
          continue;
        }
        names.push_back(RandomName(random));
        text += names.back();
      }
      for (const TextKind kind : {TextKind::kExpression, TextKind::kPath, TextKind::kProse}) {
        const std::string redacted = redactor.Rewrite(kind, text);
        INFO(text << " -> " << redacted);
        for (const std::string& name : names) {
          CHECK(redacted.find(name) == std::string::npos);
        }
        CHECK(redacted.find("zq") == std::string::npos);
      }
    }
  }
}

TEST_CASE("different names have different tokens, equal names equal ones", "[redact]") {
  Random random(8);
  for (const std::string& key : {std::string(), std::string("k")}) {
    Redactor redactor({key, {}});
    std::vector<std::pair<std::string, std::string>> pairs;
    for (int i = 0; i < 3000; ++i) {
      const std::string name = RandomName(random);
      pairs.emplace_back(redactor.Rewrite(TextKind::kExpression, name), name);
    }
    std::ranges::sort(pairs);
    for (size_t i = 1; i < pairs.size(); ++i) {
      CHECK((pairs[i].first == pairs[i - 1].first) == (pairs[i].second == pairs[i - 1].second));
    }
  }
}

}  // namespace
}  // namespace shapewise
