#include "rules/rule_block.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "rules/conditions.h"
#include "support/catch.h"

namespace shapewise {
namespace {

using namespace std::string_view_literals;

Expected<Rule> Parse(std::string_view block) {
  static RuleStorage storage;
  RuleFile& file = storage.files.emplace_back();
  file.path = "rules/guards/short.md";
  file.group = "guards";
  file.name = "short";
  file.code = "SWG001";
  file.summary = "A.";
  file.block = block;
  file.block_line = 5;
  return ParseRuleBlock(file, storage.documents.emplace_back(RuleBlockOf(file)), storage);
}

constexpr std::string_view kRequired =
    R"("code": "SWG001", "since": "0.1", "severity": "warning", "over": "recompile",)";

/// The error for a block with all required keys but the message, and `keys`.
std::string ErrorWith(std::string_view keys) {
  Expected<Rule> rule = Parse(std::string("{").append(kRequired).append(keys).append("}"));
  return rule ? "no error" : llvm::toString(rule.takeError());
}

std::string ErrorOf(std::string_view block) {
  Expected<Rule> rule = Parse(block);
  return rule ? "no error" : llvm::toString(rule.takeError());
}

const std::string kAt = "rules/guards/short.md:5: ";

TEST_CASE("a complete block is parsed into a rule", "[rules]") {
  Expected<Rule> rule = Parse(R"({
    "code": "SWG001", "since": "0.1", "severity": "error", "torch": ">=2.2 <2.8",
    "over": "recompile",
    "where": {"class": ["size", "stride"], "limit": true},
    "message": "{source} varies",
    "advice": [{"kind": "hoist", "text": "Do it.", "code": "x = {'a': 1}", "trap": "Mind it.",
                "torch": ">=2.4", "confidence": 0.7, "ran": "2.13.0"},
               {"kind": "config", "text": "Or so.", "not_run": "needs a GPU"}]})");
  if (!rule) FAIL(llvm::toString(rule.takeError()));
  CHECK(rule->code == "SWG001");
  CHECK(rule->name == "short");
  CHECK(rule->group == "guards");
  CHECK(rule->summary == "A.");
  CHECK(rule->since == "0.1");
  CHECK(rule->severity == Severity::kError);
  CHECK(rule->torch == ">=2.2 <2.8");
  CHECK(rule->over == CauseKind::kRecompile);
  REQUIRE(rule->conditions.size() == 2);
  CHECK(ConditionName(rule->conditions[0]) == "class");
  CHECK(std::ranges::equal(rule->conditions[0].words, std::array{"size"sv, "stride"sv}));
  CHECK(rule->conditions[1].flag);
  REQUIRE(rule->advice.size() == 2);
  CHECK(rule->advice[0].code == "x = {'a': 1}");
  CHECK(rule->advice[0].confidence == 0.7);
  CHECK(rule->advice[1].confidence == 0.5);
  CHECK(rule->advice[1].torch.empty());
}

TEST_CASE("a rule over the log has no kind of cause", "[rules]") {
  Expected<Rule> rule = Parse(R"({"code": "SWG001", "since": "0.1", "severity": "note",
      "over": "log", "where": {"stat": ["record_cut"]}, "message": "cut"})");
  if (!rule) FAIL(llvm::toString(rule.takeError()));
  CHECK_FALSE(rule->over.has_value());
}

TEST_CASE("the error for a misspelled name suggests the nearest one", "[rules]") {
  CHECK(ErrorWith(R"("mesage": "x")") == kAt + "unknown key 'mesage'; did you mean 'message'?");
  CHECK(ErrorWith(R"("message": "x", "where": {"clas": ["size"]})") ==
        kAt + "unknown condition 'clas'; did you mean 'class'?");
  CHECK(ErrorWith(R"("message": "x", "where": {"class": ["sise"]})") ==
        kAt + "unknown word of condition 'class' 'sise'; did you mean 'size'?");
  CHECK(ErrorWith(R"("message": "x", "where": {"pattern": ["counters"]})") ==
        kAt + "unknown word of condition 'pattern' 'counters'; did you mean 'counter'?");
  CHECK(ErrorWith(R"("message": "{cuont}")") ==
        kAt + "'message': unknown placeholder {cuont}; did you mean 'count'?");
  CHECK(ErrorWith(R"("message": "{sourc}")") ==
        kAt + "'message': unknown placeholder {sourc}; did you mean 'source'?");
  CHECK(ErrorWith(R"("message": "x", "advice": [{"kind": "hoistt", "text": "Do."}])") ==
        kAt + "unknown kind of advice 'hoistt'; did you mean 'hoist'?");
  CHECK(ErrorWith(R"("message": "x", "advice": [{"kinds": "hoist", "text": "Do."}])") ==
        kAt + "unknown key of an advice 'kinds'; did you mean 'kind'?");
  CHECK(ErrorOf(R"({"code": "SWG001", "since": "0.1", "severity": "warnin"})") ==
        kAt + "unknown severity 'warnin'; did you mean 'warning'?");
  CHECK(
      ErrorOf(R"({"code": "SWG001", "since": "0.1", "severity": "note", "over": "recompiles"})") ==
      kAt + "unknown kind of cause 'recompiles'; did you mean 'recompile'?");
}

TEST_CASE("the error for a wrong type names the key", "[rules]") {
  CHECK(ErrorOf("{") == kAt + "the rule block is not valid JSON");
  CHECK(ErrorOf("[]") == kAt + "the rule block has to be an object");
  CHECK(ErrorOf("{}") == kAt + "no 'code'");
  CHECK(ErrorOf(R"({"code": "SWG002"})") == kAt + "'code' is SWG002, but the heading says SWG001");
  CHECK(ErrorOf(R"({"code": 1})") == kAt + "'code' has to be a text");
  CHECK(ErrorWith(R"("message": "")") == kAt + "'message' has to be a text");
  CHECK(ErrorWith(R"("message": "a\nb")") == kAt + "'message' has to be one line");
  CHECK(ErrorWith(R"("message": "x", "where": [])") == kAt + "'where' has to be an object");
  CHECK(ErrorWith(R"("message": "x", "where": {"class": "size"})") ==
        kAt + "condition 'class' takes a list of texts");
  CHECK(ErrorWith(R"("message": "x", "where": {"class": []})") ==
        kAt + "condition 'class' takes a list of texts");
  CHECK(ErrorWith(R"("message": "x", "where": {"type_has": [1]})") ==
        kAt + "condition 'type_has' takes a list of texts");
  CHECK(ErrorWith(R"("message": "x", "where": {"limit": ["yes"]})") ==
        kAt + "condition 'limit' takes true or false");
  CHECK(ErrorWith(R"("message": "x", "where": {"not_limit": true})")
            .starts_with(kAt + "unknown condition 'not_limit'"));
  CHECK(ErrorWith(R"("message": "x", "where": {"stat": ["record_cut"]})") ==
        kAt + "condition 'stat' needs \"over\": \"log\"");
  CHECK(ErrorWith(R"("message": "x", "advice": {})") ==
        kAt + "'advice' has to be a list of objects");
  CHECK(ErrorWith(R"("message": "x", "advice": [1])") ==
        kAt + "'advice' has to be a list of objects");
  CHECK(
      ErrorWith(R"("message": "x", "advice": [{"kind": "hoist", "text": "a", "confidence": 2}])") ==
      kAt + "'confidence' has to be a number from 0 to 1");
  CHECK(ErrorWith(R"("message": "x", "torch": "2.1")") ==
        kAt + "'torch' has to be a range such as '>=2.2 <2.8', not '2.1'");
}

TEST_CASE("an action has either 'ran' or 'not_run'", "[rules]") {
  CHECK(ErrorWith(R"("message": "x", "advice": [{"kind": "hoist", "text": "a", "ran": "2.13.0",
                      "not_run": "needs a GPU"}])") ==
        kAt + "an advice has 'ran' or 'not_run', not both");
  CHECK(ErrorWith(R"("message": "x", "advice": [{"kind": "hoist", "text": "a", "ran": 2}])") ==
        kAt + "'ran' has to be a text");
}

TEST_CASE("a range of releases consists of bounds separated by blanks", "[rules]") {
  for (const char* range : {">=2.1", ">=2.2 <2.8", "==2.10", "<=2.3", ">2.0"}) {
    CAPTURE(range);
    CHECK(IsTorchRange(range));
  }
  for (const char* range : {"", "2.1", ">=2", ">= 2.1", ">=2.1,<2.3", ">=2.1 ", "=2.1"}) {
    CAPTURE(range);
    CHECK_FALSE(IsTorchRange(range));
  }
}

}  // namespace
}  // namespace shapewise
