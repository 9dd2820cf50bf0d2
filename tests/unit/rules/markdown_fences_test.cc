#include "rules/markdown_fences.h"

#include "support/catch.h"

namespace shapewise {
namespace {

/// One line a block: "3 h2 Sources", "4 text ...", "6 fence[log] ...".
std::string Dump(std::string_view text) {
  std::string dump;
  for (const MarkdownBlock& block : ReadMarkdown(text)) {
    dump += std::to_string(block.line);
    switch (block.kind) {
      case MarkdownKind::kHeading:
        dump += " h" + std::to_string(block.level) + " " + block.text + "\n";
        break;
      case MarkdownKind::kText:
        dump += " text " + block.text;
        break;
      case MarkdownKind::kFence:
        dump += " fence[" + block.info + "]" + (block.is_closed ? " " : " open ") + block.text;
        if (block.text.empty()) dump += "\n";
        break;
    }
  }
  return dump;
}

TEST_CASE("headings, text and fences keep their order and lines", "[rules]") {
  CHECK(Dump("# a (B)\n\none\n\n\n## Two\n```log\nx\n\ny\n```\nend") ==
        "1 h1 a (B)\n3 text one\n6 h2 Two\n7 fence[log] x\n\ny\n12 text end\n");
}

TEST_CASE("blank lines within text are kept; those around it are dropped", "[rules]") {
  CHECK(Dump("\n\na\n\nb\n\n\n") == "3 text a\n\nb\n");
}

TEST_CASE("a longer fence can contain a shorter one", "[rules]") {
  CHECK(Dump("````md\n```log\nx\n```\n````\n") == "1 fence[md] ```log\nx\n```\n");
}

TEST_CASE("a fence may be empty, indented a little, or never closed", "[rules]") {
  CHECK(Dump("```log\n```\n") == "1 fence[log] \n");
  CHECK(Dump("  ```log\nx\n  ```\n") == "1 fence[log] x\n");
  CHECK(Dump("    ```log\n") == "1 text     ```log\n");
  CHECK(Dump("```log\nx\n") == "1 fence[log] open x\n");
}

TEST_CASE("a fence with an info does not close another", "[rules]") {
  CHECK(Dump("```log\n```expect\n```\n") == "1 fence[log] ```expect\n");
}

TEST_CASE("text that resembles a marker is text", "[rules]") {
  CHECK(Dump("#hash\n####### seven\n`` two\n") == "1 text #hash\n####### seven\n`` two\n");
}

TEST_CASE("Windows line ends are accepted", "[rules]") {
  CHECK(Dump("# a\r\n```log\r\nx\r\n```\r\n") == "1 h1 a\n2 fence[log] x\n");
}

TEST_CASE("an empty text has no blocks", "[rules]") {
  CHECK(Dump("").empty());
  CHECK(Dump("\n \n").empty());
}

}  // namespace
}  // namespace shapewise
