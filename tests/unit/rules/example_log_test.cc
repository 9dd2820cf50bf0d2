#include "rules/example_log.h"

#include "support/catch.h"

namespace shapewise {
namespace {

std::string Expand(std::string_view text) {
  Expected<std::string> expanded = ExpandExampleLog(text);
  return expanded ? *expanded : "error: " + llvm::toString(expanded.takeError());
}

TEST_CASE("a log without repetitions stays as it is", "[rules]") {
  CHECK(Expand("a\n\n b @n\n@end\n") == "a\n\n b @n\n@end\n");
  CHECK(Expand("").empty());
}

TEST_CASE("lines are repeated, with the number of the repetition", "[rules]") {
  CHECK(Expand("a\n@repeat 3\nx[@n] is y[@n]\n z\n@end\nb\n") ==
        "a\nx[0] is y[0]\n z\nx[1] is y[1]\n z\nx[2] is y[2]\n z\nb\n");
}

TEST_CASE("an invalid repetition is an error", "[rules]") {
  CHECK(Expand("@repeat 2\na\n") == "error: '@repeat' without its '@end'");
  CHECK(Expand("@repeat 2\n@repeat 2\n@end\n@end\n") == "error: '@repeat' inside another one");
  for (const std::string_view text : {"@repeat\n@end\n", "@repeat 0\n@end\n", "@repeat x\n@end\n",
                                      "@repeat 2 times\n@end\n", "@repeat 100001\n@end\n"}) {
    CHECK(Expand(text) == "error: expected a number from 1 to 100000 behind '@repeat'");
  }
}

}  // namespace
}  // namespace shapewise
