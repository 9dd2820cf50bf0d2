#include "shapewise/syntax/outline.h"

#include <string>

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

}  // namespace
}  // namespace shapewise
