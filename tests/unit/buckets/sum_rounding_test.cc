#include "buckets/joint_bound.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>

namespace shapewise {
namespace {

TEST_CASE("A sum of four million terms is off by more than 1e-11, and by no more than its bound") {
  constexpr size_t kTerms = size_t{1} << 22;
  // In the second half of the sum each addition rounds down by 0.4 of the last digit.
  const double term = 1 + (0.4 * std::ldexp(1.0, -31));
  double sum = 0;
  for (size_t i = 0; i < kTerms; ++i) sum += term;
  const long double exact = static_cast<long double>(term) * kTerms;
  const auto off = static_cast<double>(std::abs(sum - exact) / exact);
  CHECK(off > 1e-11);
  CHECK(off <= SumRounding(kTerms));
}

}  // namespace
}  // namespace shapewise
