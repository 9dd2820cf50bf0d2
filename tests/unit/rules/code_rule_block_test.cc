#include "rules/rule_block.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "fixture_rules.h"
#include "support/catch.h"

namespace shapewise {
namespace {

using namespace std::string_view_literals;

RuleFile FileWith(std::string_view block) {
  RuleFile file;
  file.path = "rules/code/short.md";
  file.group = "code";
  file.name = "short";
  file.code = "SWP001";
  file.summary = "A.";
  file.block = block;
  file.block_line = 5;
  return file;
}

constexpr std::string_view kRequired =
    R"("code": "SWP001", "since": "0.1", "severity": "warning", "over": "code",)";

/// The error for a block with the keys that every rule has, and `keys`.
std::string ErrorWith(std::string_view keys) {
  const RuleFile file = FileWith(std::string("{").append(kRequired).append(keys).append("}"));
  RuleStorage storage;
  Expected<CodeRule> rule = ParseCodeRuleBlock(file, RuleBlockOf(file), storage);
  return rule ? "no error" : llvm::toString(rule.takeError());
}

const std::string kAt = "rules/code/short.md:5: ";

TEST_CASE("a complete block is parsed into a rule over code", "[rules]") {
  const RuleFile file = FileWith(R"({
    "code": "SWP001", "since": "0.1", "severity": "error", "torch": ">=2.2", "over": "code",
    "where": {"at": ["call"]}, "breaks": ["GB0033", "GB0124"], "confidence": 0.5,
    "fold": "class", "message": "{callee}", "advice": "Do.", "fix": {"rewrite": "select"}})");
  const nlohmann::json block = RuleBlockOf(file);
  CHECK(MentionsCode(block));
  RuleStorage storage;
  Expected<CodeRule> rule = ParseCodeRuleBlock(file, block, storage);
  if (!rule) FAIL(llvm::toString(rule.takeError()));
  CHECK(rule->code == "SWP001");
  CHECK(rule->name == "short");
  CHECK(rule->group == "code");
  CHECK(rule->severity == Severity::kError);
  CHECK(rule->torch == ">=2.2");
  CHECK(std::ranges::equal(rule->breaks, std::array{"GB0033"sv, "GB0124"sv}));
  CHECK(rule->confidence == 0.5);
  CHECK(rule->fold == kFoldInClass);
  CHECK_FALSE(rule->is_quiet);
  CHECK(rule->message == "{callee}");
  CHECK(rule->advice == "Do.");
  CHECK(rule->where == R"({"at":["call"]})");
  CHECK(rule->fix == R"({"rewrite":"select"})");
}

TEST_CASE("an invalid rule over code is an error", "[rules]") {
  const std::string rest = R"("message": "m", "where": {})";
  CHECK(ErrorWith(rest) == "no error");
  CHECK(ErrorWith(R"("where": {})") == kAt + "no 'message'");
  CHECK(ErrorWith(R"("quiet": true, "where": {})") == "no error");
  CHECK(ErrorWith(R"("message": "m")") == kAt + "no 'where'");
  CHECK(ErrorWith(R"("message": "m", "where": [])") == kAt + "'where' has to be an object");
  CHECK(ErrorWith(R"("message": "a\nb", "where": {})") == kAt + "'message' has to be one line");
  CHECK(ErrorWith(rest + R"(, "fold": "clas")") ==
        kAt + "unknown word of 'fold' 'clas'; did you mean 'class'?");
  CHECK(ErrorWith(rest + R"(, "quiet": 1)") == kAt + "'quiet' has to be true or false");
  CHECK(ErrorWith(rest + R"(, "breaks": "GB0001")") == kAt + "'breaks' has to be a list of texts");
  CHECK(ErrorWith(rest + R"(, "confidence": 2)") ==
        kAt + "'confidence' has to be a number from 0 to 1");
  CHECK(ErrorWith(R"("reader": true, "message": "it is {found}")") == "no error");
  CHECK(ErrorWith(R"("reader": true, "message": "m")") ==
        kAt + "'message' has to say {found}, what the reader found");
  CHECK(ErrorWith(R"("reader": true, "message": "{found}", "where": {})") ==
        kAt + "the reader knows no facts: 'where' has to go");
  CHECK(ErrorWith(rest + R"(, "fixx": {})") == kAt + "unknown key 'fixx'; did you mean 'fix'?");
}

TEST_CASE("a rule set contains rules over code and over logs", "[rules]") {
  FixtureFiles files;
  files.AddRule("of-logs", "SWG001", "recompile", "{}");
  files.AddRule("of-code", "SWP001", "code", R"({"at": ["call"]})");
  const RuleSet set = files.Set();
  REQUIRE(set.rules().size() == 1);
  REQUIRE(set.code_rules().size() == 1);
  CHECK(set.code_rules()[0].markdown.starts_with("# of-code (SWP001)"));
  REQUIRE(set.Heads().size() == 2);
  CHECK(set.Heads()[0]->code == "SWG001");
  CHECK(set.Heads()[1]->code == "SWP001");
  CHECK(set.Find("SWP001") == nullptr);
  CHECK(set.FindHead("swp001") == set.Heads()[1]);
  CHECK(set.FindHead("OF-LOGS") == set.Heads()[0]);

  Expected<std::string> manual = set.Explain("of-code");
  if (!manual) FAIL(llvm::toString(manual.takeError()));
  CHECK(manual->starts_with("of-code (SWP001)\n"));

  files.AddRule("of-logs", "SWP002", "code", R"({"at": ["call"]})");
  CHECK(files.ErrorText() ==
        "rules/fixture/of-logs.md: of-logs is taken by rules/fixture/of-logs.md");
}

}  // namespace
}  // namespace shapewise
