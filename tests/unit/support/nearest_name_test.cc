#include "shapewise/support/nearest_name.h"

#include "support/catch.h"

namespace shapewise {
namespace {

constexpr std::string_view kNames[] = {"class", "pattern", "limit", "SWG001", "SWG002"};

TEST_CASE("a slip is told what it may have meant", "[rules]") {
  CHECK(DidYouMean("clas", kNames) == "; did you mean 'class'?");
  CHECK(DidYouMean("Pattern", kNames) == "; did you mean 'pattern'?");
  CHECK(DidYouMean("limti", kNames).empty());  // two replacements in five letters: too far
}

TEST_CASE("what is far from every name is told nothing", "[rules]") {
  CHECK(DidYouMean("wholly-different", kNames).empty());
  CHECK(DidYouMean("", kNames).empty());
  CHECK(DidYouMean("class", {}).empty());
}

TEST_CASE("equally near names keep their order, up to the limit", "[rules]") {
  CHECK(NearestNames("swg003", kNames, 3) == std::vector<std::string_view>{"SWG001", "SWG002"});
  CHECK(NearestNames("swg003", kNames, 1) == std::vector<std::string_view>{"SWG001"});
}

}  // namespace
}  // namespace shapewise
