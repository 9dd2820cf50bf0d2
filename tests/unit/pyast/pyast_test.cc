// What tests/tools/check_pyast.py cannot compare with CPython: recovery, limits, printed text.

#include <string>
#include <string_view>

#include "pyast/parser.h"
#include "support/catch.h"
#include "support/pyast_dump.h"

namespace shapewise::pyast {
namespace {

std::string Places(const std::string& dump) {
  std::string text;
  for (size_t i = 0; i < dump.size(); ++i) {
    if (dump[i] == '@') {
      while (i + 1 < dump.size() && (isdigit(dump[i + 1]) != 0 || dump[i + 1] == '-')) ++i;
    } else {
      text += dump[i];
    }
  }
  return text;
}

/// The statements of `code`, without places.
std::string TreeOf(std::string_view code) {
  llvm::BumpPtrAllocator arena;
  Parser parser(arena);
  std::string dump;
  for (const Stmt* statement : parser.ParseModule(code)->body) Dump(statement, dump);
  return Places(dump);
}

/// `code` as one expression; "none" if it is not an expression.
std::string ExpressionOf(std::string_view code, ParseOptions options = {}) {
  llvm::BumpPtrAllocator arena;
  Parser parser(arena, options);
  const Expr* const expression = parser.ParseExpression(code);
  if (expression == nullptr) return "none";
  std::string dump;
  Dump(expression, dump);
  return Places(dump);
}

TEST_CASE("a bad statement becomes an Error, and those around it are read") {
  CHECK(TreeOf("pass\nx = = 1\nbreak\n") == "(Pass)(Error [])(Break)");
  CHECK(TreeOf("pass; x y\nbreak") == "(Pass)(Error [])(Break)");
}

TEST_CASE("the block below a bad line is read") {
  CHECK(TreeOf("if x y:\n  pass\nbreak\n") == "(Error [(Pass)])(Break)");
  CHECK(TreeOf("pass\n  break\nx\n") == "(Pass)(Error [(Break)])(Expr (Name \"x\"))");
}

TEST_CASE("an open bracket ends where a statement begins") {
  CHECK(TreeOf("x = (1,\ndef f(): pass\n") ==
        "(Error [])(FunctionDef \"f\" (arguments [] [] _ [] [] _ []) [(Pass)] [] _ [])");
}

TEST_CASE("a string that does not end takes its line") {
  CHECK(TreeOf("x = f('a\nbreak\n") == "(Error [])(Break)");
  CHECK(TreeOf("x = '''a\nbreak\n") == "(Error [])(Break)");
  CHECK(TreeOf("x = f'{a\nbreak\n") == "(Error [])(Break)");
}

TEST_CASE("errors are listed with their places") {
  llvm::BumpPtrAllocator arena;
  Parser parser(arena);
  parser.ParseModule("pass\nx = )\nif y:\nz\n");
  REQUIRE(parser.faults().size() == 2);
  CHECK(parser.faults()[0].span.begin == 9);
  CHECK(parser.faults()[1].span.begin == 17);
}

TEST_CASE("comments are listed with their places") {
  llvm::BumpPtrAllocator arena;
  Parser parser(arena);
  const std::string_view code = "# a\nx = (1,  # b\n  2)\n    # c";
  parser.ParseModule(code);
  REQUIRE(parser.comments().size() == 3);
  CHECK(code.substr(parser.comments()[1].begin, 3) == "# b");
  CHECK(parser.comments()[2].end == code.size());
}

TEST_CASE("nesting is limited, and what is nested deeper is an error") {
  const auto nested = [](size_t depth) {
    return std::string(depth, '(') + "x" + std::string(depth, ')');
  };
  CHECK(ExpressionOf(nested(200)) == "(Name \"x\")");
  CHECK(ExpressionOf(nested(201)) == "none");
  std::string minus(1000, '-');
  CHECK(ExpressionOf(minus + "x") != "none");
  CHECK(ExpressionOf(minus + minus + "x") == "none");
  std::string sum = "x";
  for (int i = 0; i < 3000; ++i) sum += "+x";
  CHECK(ExpressionOf(sum) == "none");
  CHECK(ExpressionOf(sum.substr(0, 4001)) != "none");
}

TEST_CASE("an expression ends with its text") {
  CHECK(ExpressionOf(" a.b[0]\n  ") ==
        "(Subscript (Attribute (Name \"a\") \"b\") (Constant int \"0\"))");
  CHECK(ExpressionOf("a b") == "none");
  CHECK(ExpressionOf("(a") == "none");
  CHECK(ExpressionOf("") == "none");
  CHECK(ExpressionOf("x = 1") == "none");
}

TEST_CASE("numbers are integers, floats or imaginary, with underscores or without") {
  CHECK(ExpressionOf("0_3.1_4") == "(Constant float \"0_3.1_4\")");
  CHECK(ExpressionOf("0_1j") == "(Constant complex \"0_1j\")");
  CHECK(ExpressionOf("0xE1") == "(Constant int \"0xE1\")");
  CHECK(ExpressionOf("0B1_0") == "(Constant int \"0B1_0\")");
}

TEST_CASE("escapes are undone") {
  CHECK(ExpressionOf("'a\\x41\\u00e9\\101\\q' \"b\"") == "(Constant str \"aA\\c3\\a9A\\5cqb\")");
  CHECK(ExpressionOf("rb'\\n'") == "(Constant bytes \"\\5cn\")");
}

TEST_CASE("the first statement of a text is read up to its end, a compound one up to its colon") {
  llvm::BumpPtrAllocator arena;
  Parser parser(arena);
  size_t end = 0;
  const std::string_view text = "  x = f(a,\n b); y = = 1";
  REQUIRE(parser.ParseFirst(text, end) != nullptr);
  CHECK(text.substr(end) == "; y = = 1");
  const std::string_view function = "def f(self,\n    x : T = 1):\n  return x";
  const auto* const head = llvm::dyn_cast_or_null<FunctionDef>(parser.ParseFirst(function, end));
  REQUIRE(head != nullptr);
  CHECK(head->args->args.size() == 2);
  CHECK(function.substr(end) == "\n  return x");
  CHECK(parser.ParseFirst("def f(", end) == nullptr);
}

TEST_CASE("of printed text, what is no expression is one element") {
  const ParseOptions printed{.is_printed = true};
  CHECK(ExpressionOf("f(%x, <function g at 0x7f>, k = cuda:0, [a b, 1])", printed) ==
        "(Call (Name \"f\") [(Name \"x\") (ErrorExpr) (List [(ErrorExpr) (Constant int \"1\")])] "
        "[(keyword \"k\" (ErrorExpr))])");
  CHECK(ExpressionOf("f32[]", printed) == "(Subscript (Name \"f32\") (Tuple []))");
  CHECK(ExpressionOf("f(don't, b)", printed) ==
        "(Call (Name \"f\") [(ErrorExpr) (Name \"b\")] [])");
  CHECK(ExpressionOf("f(a b)") == "none");
}

TEST_CASE("a line index knows lines") {
  const LineIndex lines("ab\r\nc\rd\n");
  CHECK(lines.LineOf(0) == 1);
  CHECK(lines.LineOf(3) == 1);
  CHECK(lines.LineOf(4) == 2);
  CHECK(lines.LineOf(6) == 3);
}

}  // namespace
}  // namespace shapewise::pyast
