#include "rules/rule_set.h"
#include "rules/confidence.h"

#include "fixture_rules.h"
#include "support/catch.h"

namespace shapewise {
namespace {

FixtureFiles SelectionFiles() {
  FixtureFiles files;
  files.AddRule("fallback", "SWG009", "recompile", "{}");
  files.AddRule("second-one", "SWG003", "recompile", R"({"class": ["size", "dtype"]})");
  files.AddRule("first-one", "SWG002", "recompile", R"({"class": ["size"]})");
  files.AddRule("both", "SWG005", "recompile", R"({"class": ["size"], "limit": true})");
  files.AddRule("other-kind", "SWB001", "graph_break", "{}");
  return files;
}

Cause SizeCause() {
  Cause cause;
  cause.where = {.function = "forward", .file = "/w/model.py", .line = 10};
  cause.user = {.function = "attend", .file = "/w/attention.py", .line = 33};
  cause.culprit = Culprit{.guard_class = GuardClass::kSize, .source = "L['x']", .dim = 1};
  cause.count = 3;
  return cause;
}

std::string_view CodeFor(const RuleSet& set, const Cause& cause) {
  const Rule* rule = set.Match(cause);
  return rule == nullptr ? "none" : rule->code;
}

TEST_CASE("the rule with the most conditions applies; ties go to the lowest code", "[rules]") {
  const RuleSet set = SelectionFiles().Set();
  Cause cause = SizeCause();
  CHECK(CodeFor(set, cause) == "SWG002");
  cause.limit_hit = true;
  CHECK(CodeFor(set, cause) == "SWG005");
  cause.culprit->guard_class = GuardClass::kDtype;
  CHECK(CodeFor(set, cause) == "SWG003");
  cause.culprit->guard_class = GuardClass::kBool;
  CHECK(CodeFor(set, cause) == "SWG009");
  cause.kind = CauseKind::kGraphBreak;
  CHECK(CodeFor(set, cause) == "SWB001");
  cause.kind = CauseKind::kXla;
  CHECK(CodeFor(set, cause) == "none");
}

TEST_CASE("quoted words are more specific than a class or a pattern, and a limit is most specific",
          "[rules]") {
  FixtureFiles files;
  files.AddRule("class", "SWG001", "recompile", R"({"class": ["size"], "pattern": ["none"]})");
  files.AddRule("words", "SWG002", "recompile", R"({"class": ["size"], "message_has": ["freed"]})");
  files.AddRule("limit", "SWG003", "recompile", R"({"limit": true})");
  const RuleSet set = files.Set();
  Cause cause = SizeCause();
  CHECK(CodeFor(set, cause) == "SWG001");
  cause.message = "the object was freed";
  CHECK(CodeFor(set, cause) == "SWG002");
  cause.limit_hit = true;
  CHECK(CodeFor(set, cause) == "SWG003");
}

TEST_CASE("a suppressed exception has the rule of the raised one whose text it has", "[rules]") {
  FixtureFiles files;
  files.AddRule("suppressed", "SWB003", "skipped_frame", R"({"why": ["compile-error"]})");
  files.AddRule("no-tool", "SWB004", "compile_error", R"({"error_has": ["'ldconfig'"]})");
  files.AddRule("any-error", "SWB005", "compile_error", "{}");
  files.AddRule("class-only", "SWB006", "compile_error", R"({"type_has": ["Backend"]})");
  const RuleSet set = files.Set();
  Cause cause;
  cause.kind = CauseKind::kSkippedFrame;
  cause.type = "BackendCompilerFailed";
  cause.why = "compile-error";
  CHECK(CodeFor(set, cause) == "SWB003");
  cause.message = "FileNotFoundError: [Errno 2] No such file or directory: 'ldconfig'";
  CHECK(CodeFor(set, cause) == "SWB004");
  cause.why = "loop-break";
  CHECK(CodeFor(set, cause) == "none");
}

TEST_CASE("rules are sorted by code and found by code or name", "[rules]") {
  const RuleSet set = SelectionFiles().Set();
  REQUIRE(set.rules().size() == 5);
  CHECK(set.rules().front().code == "SWB001");
  CHECK(set.rules().back().code == "SWG009");
  CHECK(set.Find("SWG002")->name == "first-one");
  CHECK(set.Find("swg002") == set.Find("SWG002"));
  CHECK(set.Find("first-one") == set.Find("SWG002"));
  CHECK(set.Find("First-One") == set.Find("SWG002"));
  CHECK(set.Find("SWG0") == nullptr);
  CHECK(set.Find("") == nullptr);
}

TEST_CASE("the error lists every faulty file", "[rules]") {
  FixtureFiles files;
  files.Add("rules/guards/one.md", "# one\n");
  files.AddRule("good-one", "SWG001", "recompile", "{}");
  files.Add("rules/guards/two.md", "");
  CHECK(files.ErrorText() ==
        "rules/guards/one.md:1: expected a heading such as '# varying-dtype (SWG004)'\n"
        "rules/guards/two.md:1: the file is empty");
}

TEST_CASE("codes and names of rules are unique", "[rules]") {
  FixtureFiles files;
  files.AddRule("one", "SWG001", "recompile", "{}");
  files.AddRule("two", "SWG001", "recompile", "{}");
  CHECK(files.ErrorText() == "rules/fixture/two.md: SWG001 is taken by rules/fixture/one.md");

  FixtureFiles renamed;
  renamed.AddRule("one", "SWG001", "recompile", "{}");
  renamed.Add("rules/other/one.md", RuleText("one", "SWG002",
                                             R"("severity": "note", "over": "xla",
                                                "message": "found")"));
  CHECK(renamed.ErrorText() == "rules/other/one.md: one is taken by rules/fixture/one.md");
}

TEST_CASE("a second registry is an error", "[rules]") {
  FixtureFiles files;
  files.Add("rules/graph-breaks/registry.json", std::string(kFixtureRegistry));
  files.Add("rules/other/registry.json", std::string(kFixtureRegistry));
  CHECK(files.ErrorText() == "rules/other/registry.json: a second registry");
}

TEST_CASE("a category that the registry lacks is an error", "[rules]") {
  FixtureFiles files;
  files.Add(std::string(kFixtureRegistryPath), std::string(kFixtureRegistry));
  files.AddRule("one", "SWB001", "graph_break", R"({"category": ["IO", "SCLA"]})");
  CHECK(files.ErrorText() == "rules/fixture/one.md: the registry has no category 'SCLA'");
}

constexpr std::string_view kFullKeys = R"json("severity": "error", "torch": ">=2.1",
  "over": "recompile", "message": "{source_expr} varies in dim {dim}",
  "advice": [
    {"kind": "mark_dynamic", "text": "Mark {source_expr}.",
     "code": "torch._dynamo.mark_dynamic({source_expr}, {dim})",
                           "trap" : "Not {values}.", "torch" : ">=2.2", "confidence" : 0.9
},
    {"kind": "raise_limit", "text": "Raise it."},
    {"kind": "fix_break", "text": "Mend it."}])json";

TEST_CASE("a finding combines its rule and its cause", "[rules]") {
  FixtureFiles files;
  files.Add("rules/guards/varying.md", RuleText("varying", "SWS001", kFullKeys));
  const RuleSet set = files.Set();
  Cause cause = SizeCause();
  cause.values = {"4", "5"};
  cause.pattern = ValuePattern::kGrowing;
  cause.cost_seconds = 1.5;
  cause.ranks = {0, 1};
  cause.events = {2, 4, 6, 8};
  const Finding finding = set.MakeFinding(set.rules()[0], cause);
  CHECK(finding.rule == "SWS001");
  CHECK(finding.name == "varying");
  CHECK(finding.severity == Severity::kError);
  CHECK(finding.message == "x varies in dim 1");
  CHECK(finding.where == cause.where);
  CHECK(finding.user == cause.user);
  CHECK(finding.cause == cause.culprit);
  CHECK(finding.values == cause.values);
  CHECK(finding.pattern == "growing");
  CHECK(finding.count == 3);
  CHECK(finding.cost_seconds == 1.5);
  CHECK(finding.ranks == cause.ranks);
  CHECK(finding.events == cause.events);
  CHECK(finding.torch == ">=2.1");
  CHECK(finding.fingerprint.size() == 16);

  REQUIRE(finding.advice.size() == 3);
  const Action& mark = finding.advice[0];
  CHECK(mark.kind == "mark_dynamic");
  CHECK(mark.target == cause.where);
  CHECK(mark.source == "L['x']");
  CHECK(mark.dim == 1);
  CHECK(mark.text == "Mark x.");
  CHECK(mark.code == "torch._dynamo.mark_dynamic(x, 1)");
  CHECK(mark.trap == "Not 4, 5.");
  CHECK_FALSE(mark.saves_compiles.has_value());
  CHECK(mark.confidence == ConfidenceOnNewLogs(0.9));
  CHECK(mark.torch == ">=2.2");
  CHECK(mark.evidence == std::vector<size_t>{2, 4, 6});
  CHECK(finding.advice[1].torch == ">=2.1");
  CHECK(finding.advice[2].target == cause.user);
}

TEST_CASE("an action or a next step applies only if its own conditions hold", "[rules]") {
  FixtureFiles files;
  files.Add("rules/guards/varying.md", RuleText("varying", "SWS001", R"json("severity": "error",
    "over": "recompile", "message": "{subject} varies",
    "advice": [
      {"kind": "mark_dynamic", "where": {"class": ["size"]}, "text": "Mark it."},
      {"kind": "tensorize", "where": {"class": ["int"], "use": ["arithmetic"]}, "text": "Pass it."}],
    "next_steps": [
      {"where": {"limit": true}, "text": "Log more.", "code": "TORCH_LOGS=recompiles"}])json"));
  const RuleSet set = files.Set();
  Cause cause = SizeCause();
  const Finding of_size = set.MakeFinding(set.rules()[0], cause);
  CHECK(of_size.message == "the shape of L['x'] varies");
  REQUIRE(of_size.advice.size() == 1);
  CHECK(of_size.advice[0].kind == "mark_dynamic");
  CHECK(of_size.next_steps.empty());

  cause.culprit = Culprit{GuardClass::kInt, "L['n']", -1};
  CHECK(set.MakeFinding(set.rules()[0], cause).advice.empty());
  cause.use = ValueUse::kArithmetic;
  cause.limit_hit = true;
  const Finding of_int = set.MakeFinding(set.rules()[0], cause);
  REQUIRE(of_int.advice.size() == 1);
  CHECK(of_int.advice[0].kind == "tensorize");
  REQUIRE(of_int.next_steps.size() == 1);
  CHECK(of_int.next_steps[0] == NextStep{"Log more.", "TORCH_LOGS=recompiles"});
}

TEST_CASE("a raised limit is larger than the one that was hit, or left out if that is unknown",
          "[rules]") {
  FixtureFiles files;
  files.Add("rules/guards/varying.md", RuleText("varying", "SWS001", R"json("severity": "error",
    "over": "recompile", "message": "m",
    "advice": [{"kind": "raise_limit", "text": "Raise it.",
                "code": "torch._dynamo.config.{limit_option} = {raised_limit}"}])json"));
  const RuleSet set = files.Set();
  Cause cause = SizeCause();
  cause.limit_hit = true;
  const auto code = [&] { return set.MakeFinding(set.rules()[0], cause).advice[0].code; };
  CHECK(code().empty());
  cause.limit = 8;
  CHECK(code() == "torch._dynamo.config.recompile_limit = 32");
  cause.limit = 64;
  cause.limit_name = LimitName::kAccumulatedRecompileLimit;
  CHECK(code() == "torch._dynamo.config.accumulated_recompile_limit = 256");
}

TEST_CASE("in the code of a known library, its remedy comes first", "[rules]") {
  FixtureFiles files;
  files.Add("rules/guards/varying.md", RuleText("varying", "SWS001", R"json("severity": "error",
    "over": "recompile", "message": "m",
    "advice": [{"kind": "mark_dynamic", "text": "Mark it."}, {"kind": "bucket", "text": "Pad it."}])json"));
  files.Add("rules/libraries.json",
            R"json([{"library": "einops", "folders": ["einops/"], "versions": "all",
    "over": ["recompile"], "instead_of": ["mark_dynamic"], "sources": ["a page"],
    "advice": {"kind": "isolate", "text": "Upgrade einops."}}])json");
  const RuleSet set = files.Set();
  Cause cause = SizeCause();
  const auto kinds = [&] {
    std::vector<std::string> found;
    for (const Action& action : set.MakeFinding(set.rules()[0], cause).advice) {
      found.push_back(action.kind);
    }
    return found;
  };
  for (const std::string_view file :
       {"/opt/venv/site-packages/einops/einops.py", "einops\\layers.py"}) {
    cause.where.file = file;
    CHECK(kinds() == std::vector<std::string>{"isolate", "bucket"});
  }
  for (const std::string_view file : {"/srv/my_einops/layers.py", "/srv/app/einops.py", ""}) {
    cause.where.file = file;
    CHECK(kinds() == std::vector<std::string>{"mark_dynamic", "bucket"});
  }
}

TEST_CASE("the remedy of a server applies to everything in its log", "[rules]") {
  FixtureFiles files;
  files.Add("rules/guards/varying.md", RuleText("varying", "SWS001", R"json("severity": "error",
    "over": "recompile", "message": "m", "advice": [{"kind": "bucket", "text": "Pad it."}])json"));
  files.Add("rules/libraries.json",
            R"json([{"library": "vLLM", "folders": ["vllm/"], "server": "vllm", "versions": "all",
    "over": ["recompile"], "sources": ["a page"],
    "advice": {"kind": "config", "text": "Declare it."}}])json");
  const RuleSet set = files.Set();
  Cause cause = SizeCause();
  cause.where.file = "/srv/plugin/model.py";
  const auto first = [&] { return set.MakeFinding(set.rules()[0], cause).advice[0].kind; };
  CHECK(first() == "bucket");
  cause.server = "vllm";
  CHECK(first() == "config");
  cause.server = "sglang";
  CHECK(first() == "bucket");
}

TEST_CASE("the error for an invalid library names it", "[rules]") {
  FixtureFiles files;
  files.Add("rules/libraries.json", R"json([{"library": "einops", "folders": ["einops/"],
    "over": ["recompile"], "advice": {"kind": "isolate", "text": "Upgrade einops."}}])json");
  CHECK(files.ErrorText() == "rules/libraries.json: einops: a remedy needs its 'sources'");
}

TEST_CASE("a rule names actions that it shares with others", "[rules]") {
  FixtureFiles files;
  files.Add("rules/actions.json", R"json({"limit": [
    {"kind": "raise_limit", "text": "Raise it.", "torch": ">=2.7", "where": {"limit": true}},
    {"kind": "raise_limit", "text": "Raise it.", "torch": "<2.7", "where": {"limit": true}}]})json");
  files.Add("rules/guards/varying.md", RuleText("varying", "SWS001", R"json("severity": "error",
    "over": "recompile", "message": "m", "advice": [
      {"same_as": "limit"}, {"kind": "bucket", "text": "Pad it."},
      {"same_as": "limit", "text": "Allow more.", "where": {"limit": false}}])json"));
  const RuleSet set = files.Set();
  Cause cause = SizeCause();
  const auto texts = [&] {
    std::vector<std::string> found;
    for (const Action& action : set.MakeFinding(set.rules()[0], cause).advice) {
      found.push_back(action.torch + action.text);
    }
    return found;
  };
  CHECK(texts() == std::vector<std::string>{"Pad it.", ">=2.7Allow more.", "<2.7Allow more."});
  cause.limit_hit = true;
  CHECK(texts() == std::vector<std::string>{">=2.7Raise it.", "<2.7Raise it.", "Pad it."});
}

TEST_CASE("errors for shared actions name the file and the nearest list", "[rules]") {
  const std::string rule = RuleText("varying", "SWS001", R"json("severity": "error",
    "over": "recompile", "message": "m", "advice": [{"same_as": "limits"}])json");
  FixtureFiles files;
  files.Add("rules/guards/varying.md", rule);
  files.Add("rules/actions.json", R"json({"limit": []})json");
  CHECK(files.ErrorText() ==
        "rules/guards/varying.md:5: unknown list of actions 'limits'; did you mean 'limit'?");
  FixtureFiles broken;
  broken.Add("rules/guards/varying.md", rule);
  broken.Add("rules/actions.json", R"json({"limits": ["Raise it."]})json");
  CHECK(broken.ErrorText() == "rules/actions.json: has to be an object of lists of actions");
}

TEST_CASE("disabling a function is not advised where it makes no clean split", "[rules]") {
  FixtureFiles files;
  files.Add("rules/graph-breaks/any.md", RuleText("any", "SWB001", R"json("severity": "warning",
    "over": "graph_break", "message": "m",
    "advice": [{"kind": "disable_region", "text": "Disable it."}])json"));
  const RuleSet set = files.Set();
  Cause cause;
  cause.kind = CauseKind::kGraphBreak;
  CHECK(set.MakeFinding(set.rules()[0], cause).advice.size() == 1);
  cause.fatal = true;
  CHECK(set.MakeFinding(set.rules()[0], cause).advice.empty());
  cause.fatal = false;
  cause.why = "loop-break";
  CHECK(set.MakeFinding(set.rules()[0], cause).advice.empty());
}

TEST_CASE("the id of a break tells its type where the first line is missing", "[rules]") {
  Cause cause;
  cause.kind = CauseKind::kGraphBreak;
  cause.gb = "GB0098";
  CHECK(RuleSet::Builtin().Match(cause)->code == "SWB019");
  cause.gb = "GB0102";
  CHECK(RuleSet::Builtin().Match(cause)->code != "SWB019");
}

TEST_CASE("a finding without a pattern has an empty one", "[rules]") {
  const RuleSet set = SelectionFiles().Set();
  CHECK(set.MakeFinding(set.rules()[0], SizeCause()).pattern.empty());
}

}  // namespace
}  // namespace shapewise
