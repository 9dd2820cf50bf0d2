#include "rules/rule_file.h"

#include "support/catch.h"

namespace shapewise {
namespace {

constexpr std::string_view kPath = "rules/guards/varying-dtype.md";

constexpr std::string_view kHead = "# varying-dtype (SWG004)\n\nTwo\nlines.\n\nMore.\n\n";
constexpr std::string_view kBlock = "```json rule\n{}\n```\n\n";

RuleFile Read(std::string_view text) {
  Expected<RuleFile> file = ReadRuleFile(kPath, text);
  if (!file) FAIL(llvm::toString(file.takeError()));
  return std::move(*file);
}

std::string ErrorText(const std::string& text) {
  Expected<RuleFile> file = ReadRuleFile(kPath, text);
  return file ? "no error" : llvm::toString(file.takeError());
}

std::string WithBody(std::string_view body) {
  return std::string(kHead) + std::string(kBlock) + std::string(body);
}

TEST_CASE("a rule file is split into its parts", "[rules]") {
  const RuleFile file = Read(WithBody("## Why it costs\n\nBecause.\n\n## Sources\n\n- here\n"));
  CHECK(file.group == "guards");
  CHECK(file.stem == "varying-dtype");
  CHECK(file.name == "varying-dtype");
  CHECK(file.code == "SWG004");
  CHECK(file.summary == "Two lines.");
  CHECK(file.block == "{}\n");
  CHECK(file.block_line == 8);
  REQUIRE(file.sections.size() == 2);
  CHECK(file.sections[1].title == "Sources");
  CHECK(file.FindSection("Sources") == &file.sections[1]);
  CHECK(file.FindSection("Nowhere") == nullptr);
}

TEST_CASE("examples have expectations and are not part of the manual", "[rules]") {
  const RuleFile file = Read(
      WithBody("## Fires\n\nText.\n\n```log\na\nb\n```\n\n```expect\nlog:1: x\n\nlog:2: y\n```\n"
               "## Stays quiet\n\n```log\nc\n```\n## Why it costs\n\n```log\nnot a test\n```\n"));
  REQUIRE(file.examples.size() == 2);
  CHECK(file.examples[0].fires);
  CHECK(file.examples[0].text == "a\nb\n");
  CHECK(file.examples[0].expect == std::vector<std::string>{"log:1: x", "log:2: y"});
  CHECK(file.examples[0].line == 16);
  CHECK_FALSE(file.examples[1].fires);
  CHECK(file.examples[1].expect.empty());
  CHECK(file.FindSection("Fires")->blocks.size() == 1);
  CHECK(file.FindSection("Stays quiet")->blocks.empty());
  CHECK(file.FindSection("Why it costs")->blocks.size() == 1);
}

TEST_CASE("the error for an invalid file names the line", "[rules]") {
  const std::string at = std::string(kPath) + ":";
  CHECK(ErrorText("") == at + "1: the file is empty");
  CHECK(ErrorText("## a (B)\n") == at + "1: expected a heading such as '# varying-dtype (SWG004)'");
  CHECK(ErrorText("# SWG004\n") == at + "1: expected a heading such as '# varying-dtype (SWG004)'");
  CHECK(ErrorText("# a (B)\n\n## Fires\n") == at + "2: expected a summary under the heading");
  CHECK(ErrorText(std::string(kHead)) == at + "1: no ```json rule block");
  CHECK(ErrorText(WithBody(kBlock)) == at + "12: a second ```json rule block");
  CHECK(ErrorText(WithBody("Prose.\n")) ==
        at + "12: expected the ```json rule block or a '## ' section here");
  CHECK(ErrorText(WithBody("## Fires\n```log\n")) == at + "13: this fence is never closed");
  CHECK(ErrorText(WithBody("## Fires\n```log\nx\n```\nProse.\n```expect\ny\n```\n")) ==
        at + "13: expected an expect fence right after this example");
  CHECK(ErrorText(WithBody("## Fires\n```expect\ny\n```\n")) ==
        at + "13: an expect fence has to follow the example it is for");
  CHECK(ErrorText(WithBody("## Fires\n```log\nx\n```\n```expect\n```\n")) ==
        at + "16: an example that fires has at least one line to expect");
  CHECK(ErrorText(WithBody("## Stays quiet\n```log\nx\n```\n```expect\ny\n```\n")) ==
        at + "16: an example that stays quiet has nothing to expect");
}

}  // namespace
}  // namespace shapewise
