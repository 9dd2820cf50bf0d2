#include "ranks/rank_streams.h"

#include <cmath>

#include "support/catch.h"

namespace shapewise {
namespace {

LogTime At(uint8_t month, uint8_t day, int64_t micros) {
  return {.year = 0, .month = month, .day = day, .micros = micros};
}

TEST_CASE("seconds between printed times go over days and months", "[ranks]") {
  CHECK(SecondsOf(At(3, 1, 500'000)) - SecondsOf(At(2, 29, 0)) == kSecondsPerDay + 0.5);
  CHECK(std::isnan(SecondsOf({})));
}

TEST_CASE("an earlier time may lie on the day before", "[ranks]") {
  CHECK(EarlierBy(At(11, 21, 5'000'000), 2.5) == At(11, 21, 2'500'000));
  CHECK(EarlierBy(At(3, 1, 1'000'000), 2) == At(2, 29, 86'399'000'000));
  CHECK(EarlierBy(At(2, 29, 86'399'000'000), -2) == At(3, 1, 1'000'000));
  CHECK(EarlierBy({}, 2) == LogTime{});
}

}  // namespace
}  // namespace shapewise
