#include "report/printed_text.h"

#include <string>

#include "support/catch.h"

namespace shapewise {
namespace {

/// What `print` prints on a page of `width` columns.
template <typename Print>
std::string Page(size_t width, bool color, const Print& print) {
  std::string text;
  llvm::raw_string_ostream out(text);
  PrintedText page(out, width, color);
  print(page);
  return out.str();
}

TEST_CASE("a paragraph wraps at blanks with a hanging indent") {
  const std::string text = Page(20, false, [](PrintedText& page) {
    page.Begin(2, 4).Add("one two three four five six").End();
  });
  CHECK(text == "  one two three four\n    five six\n");
}

TEST_CASE("a word longer than the page is not split") {
  const std::string text = Page(10, false, [](PrintedText& page) {
    page.Begin(0, 2).Add("at /a/very/long/path.py:12 in f").End();
  });
  CHECK(text == "at\n  /a/very/long/path.py:12\n  in f\n");
}

TEST_CASE("pieces without a blank between them are one word") {
  const std::string text = Page(12, false, [](PrintedText& page) {
    page.Begin(0).Add("see error").Add(TextStyle::kError, "[SWG001]").Add(": x").End();
  });
  CHECK(text == "see\nerror[SWG001]:\nx\n");
}

TEST_CASE("a tab moves to its column, or adds one blank if already past it") {
  const std::string text = Page(40, false, [](PrintedText& page) {
    page.Begin(2, 8).Add("ab").Tab(8).Add("x").End();
    page.Begin(2, 8).Add("abcdefgh").Tab(8).Add("x").End();
  });
  CHECK(text == "  ab    x\n  abcdefgh x\n");
}

TEST_CASE("colors change only with the style and end with the line") {
  const std::string text = Page(9, true, [](PrintedText& page) {
    page.Begin(0).Add(TextStyle::kStrong, "one two three").Add(" four").End();
  });
  CHECK(text == "\x1b[1mone two\x1b[0m\n\x1b[1mthree\x1b[0m\nfour\n");
}

TEST_CASE("control characters in a log do not reach the terminal") {
  const std::string text = Page(80, false, [](PrintedText& page) {
    page.Begin(0).Add("red \x1b[31mtext\r").End();
    page.Lines(2, TextStyle::kCode, "a\x1b[2J\n\n\xff");
  });
  CHECK(text == "red ?[31mtext?\n  a?[2J\n\n  \xef\xbf\xbd\n");
}

TEST_CASE("columns are those of the terminal, not bytes") {
  CHECK(TextColumns("abc") == 3);
  CHECK(TextColumns("\xc3\xa9t\xc3\xa9") == 3);
  CHECK(TextColumns("\xe6\x97\xa5\xe6\x9c\xac") == 4);
}

}  // namespace
}  // namespace shapewise
