#include "support/nearest_name.h"

#include "support/catch.h"

namespace shapewise {
namespace {

constexpr std::string_view kNames[] = {"class", "pattern", "limit", "SWG001", "SWG002"};

TEST_CASE("a misspelled name gets a suggestion", "[rules]") {
  CHECK(DidYouMean("clas", kNames) == "; did you mean 'class'?");
  CHECK(DidYouMean("Pattern", kNames) == "; did you mean 'pattern'?");
  // Two neighboring letters that are swapped are one slip; two other replacements in five letters
  // are too many.
  CHECK(DidYouMean("limti", kNames) == "; did you mean 'limit'?");
  CHECK(DidYouMean("lomat", kNames).empty());
}

TEST_CASE("a name unlike all others gets no suggestion", "[rules]") {
  CHECK(DidYouMean("wholly-different", kNames).empty());
  CHECK(DidYouMean("", kNames).empty());
  CHECK(DidYouMean("class", {}).empty());
}

TEST_CASE("equally similar names are listed in their order, up to the limit", "[rules]") {
  CHECK(NearestNames("swg003", kNames, 3) == std::vector<std::string_view>{"SWG001", "SWG002"});
  CHECK(NearestNames("swg003", kNames, 1) == std::vector<std::string_view>{"SWG001"});
}

}  // namespace
}  // namespace shapewise
