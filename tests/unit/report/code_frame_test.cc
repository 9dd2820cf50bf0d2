#include "report/code_frame.h"

#include <string>

#include "report/formats.h"
#include "support/catch.h"

namespace shapewise {
namespace {

/// The frame of line 1 of a file that is `code`, marked from column 5 to column 6.
std::string Frame(const std::string& code) {
  CodeTexts texts;
  texts.AddFile("model.py", code);
  std::string text;
  llvm::raw_string_ostream out(text);
  Document page("check", /*all=*/false);
  CodeRange range;
  range.line = 1;
  range.column = 5;
  range.end_line = 1;
  range.end_column = 6;
  AddCodeFrame(texts, "model.py", range, TextStyle::kError, 40, page);
  RenderText(page, {}, out);
  return out.str();
}

TEST_CASE("a frame shows the line and marks the relevant part") {
  CHECK(Frame("a = b\n") == "    |\n  1 | a = b\n    |     ^\n");
}

TEST_CASE("a very long line is named but not shown") {
  const std::string line = "a = '" + std::string(5000, 'b') + "'";
  CHECK(Frame(line + "\n") == "    |\n  1 | (a line of 5006 bytes is not shown)\n");
}

}  // namespace
}  // namespace shapewise
