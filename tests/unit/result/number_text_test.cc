#include "result/number_text.h"

#include "support/catch.h"

namespace shapewise {
namespace {

TEST_CASE("ranks in a row are told by the first and the last", "[result]") {
  CHECK(RankRanges({}).empty());
  CHECK(RankRanges({3}) == "3");
  CHECK(RankRanges({0, 1, 2, 3, 6}) == "0-3, 6");
  CHECK(RanksText({3}) == "rank 3");
  CHECK(RanksText({0, 2, 3}) == "ranks 0, 2-3");
}

TEST_CASE("seconds are told as exactly as they matter", "[result]") {
  CHECK(SecondsText(0.424) == "0.42 s");
  CHECK(SecondsText(12.34) == "12.3 s");
  CHECK(SecondsText(200) == "3 min 20 s");
}

}  // namespace
}  // namespace shapewise
