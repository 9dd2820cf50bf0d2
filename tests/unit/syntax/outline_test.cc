#include "syntax/outline.h"

#include <algorithm>
#include <string>
#include <vector>

#include "support/catch.h"

namespace shapewise {
namespace {

std::string_view TextOf(std::string_view text, FileSpan span) {
  return text.substr(span.begin, span.end - span.begin);
}

TEST_CASE("a function goes from its first decorator to the end of its last line", "[syntax]") {
  constexpr std::string_view kText =
      "import a\n"
      "\n"
      "@first\n"
      "# between\n"
      "@second(\n"
      "  1)\n"
      "async def f(x,\n"
      "y=')'):\n"
      "    return (x,\n"
      "y)\n"
      "\n"
      "# behind\n"
      "a = 1\n";
  const Outline outline = OutlinePython(kText);
  REQUIRE(outline.functions.size() == 1);
  CHECK(outline.functions[0].name == "f");
  CHECK(outline.functions[0].has_decorators);
  CHECK(TextOf(kText, outline.functions[0].span) ==
        "@first\n# between\n@second(\n  1)\nasync def f(x,\ny=')'):\n    return (x,\ny)\n");
  REQUIRE(outline.module.size() == 2);
  CHECK(TextOf(kText, outline.module[0]) == "import a\n\n");
  CHECK(TextOf(kText, outline.module[1]) == "\n# behind\na = 1\n");
  CHECK(outline.faults.empty());
}

/// "def f 0-10, class C 12-20; 4 a fault": functions, classes, faults.
std::string Describe(std::string_view text) {
  const Outline outline = OutlinePython(text);
  std::string described;
  const auto add = [&](std::string_view what, std::string_view name, FileSpan span) {
    if (!described.empty()) described += ", ";
    described += what;
    described += name;
    described += " " + std::to_string(span.begin) + "-" + std::to_string(span.end);
  };
  for (const OutlinedFunction& each : outline.functions) add("def ", each.name, each.span);
  for (const OutlinedClass& each : outline.classes) add("class ", each.name, each.span);
  for (const OutlineFault& fault : outline.faults) {
    described += "; " + std::to_string(fault.offset) + " " + std::string(fault.message);
  }
  return described;
}

/// Whether every byte of `text` is in exactly one function, class's own lines, or module's lines.
bool Covers(std::string_view text) {
  const Outline outline = OutlinePython(text);
  std::vector<int> owners(text.size(), 0);
  bool is_whole = true;
  const auto add = [&](FileSpan span) {
    is_whole &= span.begin < span.end && span.end <= text.size();
    for (size_t i = span.begin; i < span.end && i < text.size(); ++i) ++owners[i];
  };
  for (const OutlinedFunction& function : outline.functions) add(function.span);
  for (const OutlinedClass& outlined : outline.classes) {
    for (const FileSpan& span : outlined.own) add(span);
  }
  for (const FileSpan& span : outline.module) add(span);
  return is_whole && std::ranges::all_of(owners, [](int count) { return count == 1; });
}

constexpr std::string_view kBusy =
    "\xEF\xBB\xBF'''doc\ndef no(): pass\n'''\r\n"
    "import a\r"
    "if a:\n"
    "    def f(x=')'): pass\n"
    "else:\n"
    "    @d\n"
    "    class C(B):\n"
    "        x = 1; y = f'{x[\"]\"]} {{' # (\n"
    "\n"
    "        async def g(self):\n"
    "            def inner():\n"
    "                return \"\"\"\nclass no:\n\"\"\"\n"
    "\t    # a comment\n"
    "        # of the class\n"
    "        class D: z = '\\\n'\n"
    "        def \\\n h(self): return [\n1]\n"
    "\f\n"
    "    def k(): pass\n"
    "class E[T]: pass\n"
    "def l(): return rf'\\{1}' + b'\\''\n";

TEST_CASE("the outline knows strings, brackets, blocks and all ends of lines", "[syntax]") {
  const Outline outline = OutlinePython(kBusy);
  std::string names;
  for (const OutlinedFunction& function : outline.functions) {
    const std::string_view owner =
        function.in_class < 0 ? "" : outline.classes[static_cast<size_t>(function.in_class)].name;
    names += std::string(owner) + "." + std::string(function.name) + " ";
  }
  CHECK(names == ".f C.g C.h .k .l ");
  REQUIRE(outline.classes.size() == 3);
  CHECK(outline.classes[0].name == "C");
  CHECK(outline.classes[1].name == "D");
  CHECK(outline.classes[1].in_class == 0);
  CHECK(outline.classes[2].name == "E");
  CHECK(outline.classes[2].in_class == -1);
  CHECK(TextOf(kBusy, outline.functions[1].span).ends_with("class no:\n\"\"\"\n"));
  CHECK(TextOf(kBusy, outline.classes[0].span).starts_with("    @d\n    class C(B):"));
  CHECK(TextOf(kBusy, outline.classes[0].span).ends_with("return [\n1]\n"));
  CHECK(outline.faults.empty());
}

TEST_CASE("every byte belongs to one part, wherever a text is cut", "[syntax]") {
  for (size_t end = 0; end <= kBusy.size(); ++end) {
    CAPTURE(end);
    CHECK(Covers(kBusy.substr(0, end)));
    CHECK(Covers(kBusy.substr(end)));
  }
}

TEST_CASE("a decorator at the end of a class decorates nothing behind it", "[syntax]") {
  constexpr std::string_view kText = "class C:\n  @d\ndef f(): pass\n";
  CHECK(Covers(kText));
  const Outline outline = OutlinePython(kText);
  REQUIRE(outline.functions.size() == 1);
  CHECK_FALSE(outline.functions[0].has_decorators);
  CHECK(TextOf(kText, outline.functions[0].span) == "def f(): pass\n");
}

TEST_CASE("what cannot be Python is told with its place", "[syntax]") {
  CHECK(Describe("x = (1,\n\ndef f():\n    y = ]\n") ==
        "def f 9-28; 4 '(' was never closed; 26 unmatched ']'");
  CHECK(Describe("def f(): '''a\nclass C: pass\n") ==
        "def f 0-14, class C 14-28; 9 unterminated triple-quoted string literal");
  CHECK(Describe("x = 'a\ndef f(): pass\n") == "def f 7-21; 4 unterminated string literal");
  CHECK(Describe("if a:\n    b\n  def f(): c\n") ==
        "def f 12-25; 14 unindent does not match any outer indentation level");
}

TEST_CASE("names that begin like keywords are names", "[syntax]") {
  CHECK(Describe("define = 1\nclassy(2)\nasync_def = def_ = 3\nclass_ = 4\n").empty());
  CHECK(Describe("def\tf(): pass\nclass  C:pass\nasync  def g(): pass\n") ==
        "def f 0-14, def g 28-49, class C 14-28");
}

TEST_CASE("an f-string that has no end does not hide what follows", "[syntax]") {
  CHECK(Describe("x = f'{a'\ny = f\"{b['\n\ndef f(): pass\n").starts_with("def f 22-36"));
}

TEST_CASE("lines begin behind each kind of end", "[syntax]") {
  CHECK(LineStarts("") == std::vector<size_t>{0});
  CHECK(LineStarts("a\nb\r\nc\rd") == std::vector<size_t>{0, 2, 5, 7});
  CHECK(LineStarts("\n\r\r\n") == std::vector<size_t>{0, 1, 2, 4});
}

}  // namespace
}  // namespace shapewise
