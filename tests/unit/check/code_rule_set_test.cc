#include "check/code_rule_set.h"

#include "check/fact_condition.h"
#include "fixture_code_rules.h"
#include "support/catch.h"

namespace shapewise {
namespace {

constexpr Value kTensor{.kind = ValueKind::kTensor};
constexpr Value kInt{.kind = ValueKind::kInt};

Value With(Value value, Trait trait) {
  value.traits |= static_cast<uint16_t>(trait);
  return value;
}

Fact Call(std::string_view name, std::vector<Value> arguments = {},
          std::vector<std::string_view> keywords = {}) {
  Fact fact;
  fact.kind = FactKind::kCall;
  fact.certainty = 100;
  fact.name = name;
  keywords.resize(arguments.size());
  fact.arguments.assign(arguments.begin(), arguments.end());
  fact.keywords.assign(keywords.begin(), keywords.end());
  return fact;
}

Fact TruthOf(const Value& subject, FactUse use) {
  Fact fact;
  fact.kind = FactKind::kTruth;
  fact.use = use;
  fact.subject = subject;
  fact.certainty = subject.certainty;
  return fact;
}

/// The code of the rule that `fact` gets; empty: none.
std::string_view MatchedBy(const CodeRuleSet& rules, const Fact& fact) {
  Project project;
  const CodeRule* rule = rules.Match(project, fact);
  return rule == nullptr ? "" : rule->code;
}

/// Whether a rule with this "where" speaks of `fact`.
bool Speaks(std::string where, const Fact& fact) {
  return !MatchedBy(MakeCodeRuleSet({MakeCodeRule("SWP001", std::move(where))}), fact).empty();
}

TEST_CASE("a fix that skips something while compiling is never safe") {
  const CodeRuleSet& rules = CodeRuleSet::Builtin();
  for (const CodeRule& rule : rules.rules()) {
    for (const FixTemplate& fix : rules.FixesOf(rule)) {
      INFO(rule.code);
      if (fix.with.find("is_compiling") != std::string::npos) CHECK(fix.safe == false);
    }
  }
}

TEST_CASE("a fact matches the rule with the most conditions; ties go to the lowest code",
          "[check]") {
  const CodeRuleSet rules = MakeCodeRuleSet({
      MakeCodeRule("SWP004", R"({"at": ["call"], "name": ["torch.where"], "without": ["1"]})"),
      MakeCodeRule("SWP003", R"({"at": ["call"], "name": ["torch.where"]})"),
      MakeCodeRule("SWP002", R"({"at": ["call"], "name": ["torch.*"]})"),
      MakeCodeRule("SWP001", R"({"at": ["call"]})"),
  });
  CHECK(MatchedBy(rules, Call("torch.where", {kTensor})) == "SWP004");
  CHECK(MatchedBy(rules, Call("torch.where", {kTensor, kTensor, kTensor})) == "SWP002");
  CHECK(MatchedBy(rules, Call("torch.cat")) == "SWP002");
  CHECK(MatchedBy(rules, Call("numpy.sum")) == "SWP001");
  CHECK(MatchedBy(rules, TruthOf(kTensor, FactUse::kIf)).empty());
}

TEST_CASE("names match exactly or with wildcards", "[check]") {
  const std::string_view where = R"({"at": ["call"], "name": ["a.b", "c.*", "*.end"]})";
  CHECK(Speaks(std::string(where), Call("a.b")));
  CHECK(Speaks(std::string(where), Call("c.d.e")));
  CHECK(Speaks(std::string(where), Call("x.end")));
  CHECK_FALSE(Speaks(std::string(where), Call("a.bc")));
  CHECK_FALSE(Speaks(std::string(where), Call("c")));

  CHECK(FitsGlob("a*b*c", "abc"));
  CHECK(FitsGlob("a*b*c", "a.b.b.c"));
  CHECK(FitsGlob("*", ""));
  CHECK_FALSE(FitsGlob("a*b*c", "acb"));
  CHECK_FALSE(FitsGlob("ab*ba", "aba"));
  CHECK_FALSE(FitsGlob("a*", "ba"));
}

TEST_CASE("facts that no rule can match are filtered by kind and name", "[check]") {
  const CodeRuleSet rules = MakeCodeRuleSet({
      MakeCodeRule("SWP001", R"({"at": ["call"], "name": ["a.b", "c.*"]})"),
      MakeCodeRule("SWP002", R"({"at": ["truth"]})"),
  });
  CHECK(rules.MayMatch(FactKind::kCall, "a.b"));
  CHECK(rules.MayMatch(FactKind::kCall, "c.d"));
  CHECK_FALSE(rules.MayMatch(FactKind::kCall, "d"));
  CHECK(rules.MayMatch(FactKind::kTruth, ""));
  CHECK_FALSE(rules.MayMatch(FactKind::kIndex, ""));
}

TEST_CASE("conditions match values by kind and traits", "[check]") {
  const Value mask = With(kTensor, Trait::kMask);
  const std::string kind = R"({"at": ["truth"], "subject": ["tensor", "array"]})";
  CHECK(Speaks(kind, TruthOf(kTensor, FactUse::kIf)));
  CHECK_FALSE(Speaks(kind, TruthOf(kInt, FactUse::kIf)));

  const std::string traits =
      R"({"at": ["truth"], "subject_is": ["mask", "integers", "!constant"]})";
  CHECK(Speaks(traits, TruthOf(mask, FactUse::kIf)));
  CHECK_FALSE(Speaks(traits, TruthOf(kTensor, FactUse::kIf)));
  CHECK_FALSE(Speaks(traits, TruthOf(With(mask, Trait::kConstant), FactUse::kIf)));

  const std::string use = R"({"at": ["truth"], "use": ["if", "while"]})";
  CHECK(Speaks(use, TruthOf(kTensor, FactUse::kWhile)));
  CHECK_FALSE(Speaks(use, TruthOf(kTensor, FactUse::kAssert)));
}

TEST_CASE("only positional arguments are counted", "[check]") {
  const Fact fact = Call("f", {kInt, kTensor, kTensor}, {"", "out", ""});
  CHECK(Speaks(R"({"at": ["call"], "argument0": ["int"]})", fact));
  CHECK(Speaks(R"({"at": ["call"], "argument1": ["tensor"]})", fact));
  CHECK_FALSE(Speaks(R"({"at": ["call"], "argument2": ["tensor"]})", fact));
  CHECK(Speaks(R"({"at": ["call"], "argument:out": ["tensor"]})", fact));
  CHECK_FALSE(Speaks(R"({"at": ["call"], "argument:in": ["tensor"]})", fact));
  CHECK(Speaks(R"({"at": ["call"], "argument*": ["tensor"]})", fact));
  CHECK_FALSE(
      Speaks(R"({"at": ["call"], "argument*": ["tensor"], "argument*_is": ["mask"]})", fact));
  CHECK(Speaks(R"({"at": ["call"], "with": ["out", "5"], "without": ["2", "in"]})", fact));
  CHECK_FALSE(Speaks(R"({"at": ["call"], "without": ["1"]})", fact));
  CHECK_FALSE(Speaks(R"({"at": ["call"], "with": ["in", "2"]})", fact));
}

TEST_CASE("conditions match surroundings and run conditions", "[check]") {
  Fact fact = Call("f");
  fact.in_loop = true;
  fact.conditions = static_cast<uint16_t>(RunCondition::kTraining);
  CHECK(Speaks(R"({"at": ["call"], "in": ["try", "loop"]})", fact));
  CHECK_FALSE(Speaks(R"({"at": ["call"], "in": ["try"]})", fact));
  CHECK(Speaks(R"({"at": ["call"], "under": ["training", "dtype"]})", fact));
  CHECK_FALSE(Speaks(R"({"at": ["call"], "under": ["dtype"]})", fact));
  CHECK_FALSE(Speaks(R"({"at": ["call"], "not_under": ["training"]})", fact));
  CHECK_FALSE(Speaks(R"({"at": ["call"], "function": ["forward"]})", fact));
}

TEST_CASE("certainty is that of the least certain value in the conditions", "[check]") {
  const CodeRuleSet rules = MakeCodeRuleSet({
      MakeCodeRule("SWP001", R"({"at": ["call"], "name": ["int"], "argument0": ["tensor"]})"),
      MakeCodeRule("SWP002", R"({"at": ["call"], "name": ["id"]})"),
  });
  Value guessed = kTensor;
  guessed.certainty = 80;
  CHECK(CertaintyOf(rules.ConditionOf(rules.rules()[0]), Call("int", {guessed})) == 80);
  CHECK(CertaintyOf(rules.ConditionOf(rules.rules()[1]), Call("id", {guessed})) == 100);
}

TEST_CASE("the error for an invalid rule suggests the nearest word", "[check]") {
  const auto error = [](std::string where) {
    return CodeRuleError(MakeCodeRule("SWP001", std::move(where)));
  };
  const std::string at = "rules/code/rule-SWP001.md: ";
  CHECK(error("[]") == at + "'where' has to be an object");
  CHECK(error(R"({"name": ["f"]})") == at + "'where' needs 'at'");
  CHECK(error(R"({"at": ["cal"]})") == at + "unknown word of 'at' 'cal'; did you mean 'call'?");
  CHECK(error(R"({"at": "call"})") == at + "'at' has to be a list of texts");
  CHECK(error(R"({"at": ["call"], "subjekt": ["tensor"]})") ==
        at + "unknown key of 'where' 'subjekt'; did you mean 'subject'?");
  CHECK(error(R"({"at": ["call"], "subject_is": ["!mas"]})") ==
        at + "unknown word of 'subject_is' 'mas'; did you mean 'mask'?");
  CHECK(error(R"({"at": ["call"], "argument:out_written": ["tru"]})") ==
        at + "unknown word of 'argument:out_written' 'tru'; did you mean 'true'?");
  CHECK(error(R"({"at": ["call"], "subject_from": ["cat"]})") ==
        at + "unknown key of 'where' 'subject_from'; did you mean 'subject_is'?");
  CHECK(error(R"({"at": ["call"], "argument0": []})") ==
        at + "'argument0' has to be a list of texts");
  CHECK(CodeRuleError(MakeCodeRule("SWP001", R"({"at": ["call"]})", "{calle}")) ==
        at + "'message': unknown placeholder {calle}; did you mean 'callee'?");
}

}  // namespace
}  // namespace shapewise
