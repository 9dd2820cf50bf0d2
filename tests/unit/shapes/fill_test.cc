// What arithmetic makes of the numbers at padded positions, against numbers.

#include <cmath>
#include <limits>
#include <vector>

#include "shapes/fill.h"
#include "support/catch.h"

namespace shapewise {
namespace {

using Kind = Fill::Kind;

// Numbers that a fill may stand for.
std::vector<double> SamplesOf(const Fill& fill) {
  const double infinity = std::numeric_limits<double>::infinity();
  switch (fill.kind) {
    case Kind::kNumber:
      return {fill.number};
    case Kind::kPositive:
      return {0.25, 1, 7};
    case Kind::kNegative:
      return {-0.25, -1, -7};
    case Kind::kNonNegative:
      return {0, 0.5, 3};
    case Kind::kVeryLow:
      return {-1e4, -1e9, -infinity};
    case Kind::kAny:
      return {0, -1, infinity, std::nan("")};
    default:
      return {-3, -0.5, 0, 1, 2};
  }
}

bool Holds(const Fill& fill, double value) {
  switch (fill.kind) {
    case Kind::kNumber:
      return value == fill.number;
    case Kind::kPositive:
      return value > 0 && std::isfinite(value);
    case Kind::kNegative:
      return value < 0 && std::isfinite(value);
    case Kind::kNonNegative:
      return value >= 0 && std::isfinite(value);
    case Kind::kVeryLow:
      return value <= -9e3;  // of sums with ordinary numbers
    case Kind::kAny:
      return true;
    default:
      return std::isfinite(value);
  }
}

const std::vector<Fill>& AllFills() {
  static const std::vector<Fill> fills = {
      Fill::Number(0),         Fill::Number(1),           Fill::Number(-2),
      Fill::Number(-1e9),      Fill::Of(Kind::kPositive), Fill::Of(Kind::kNegative),
      Fill::Of(Kind::kFinite), Fill::Of(Kind::kVeryLow),  Fill::Of(Kind::kNonNegative),
      Fill::Of(Kind::kAny)};
  return fills;
}

TEST_CASE("every pair of numbers lies in what is said of their fills", "[fill]") {
  const auto check = [](Pointwise function, auto&& compute) {
    for (const Fill& a : AllFills()) {
      for (const Fill& b : AllFills()) {
        const Fill result = Evaluate(function, std::vector<Fill>{a, b});
        for (const double x : SamplesOf(a)) {
          for (const double y : SamplesOf(b)) {
            const double value = compute(x, y);
            INFO("function " << static_cast<int>(function) << " of " << x << " and " << y);
            CHECK(Holds(result, value));
          }
        }
      }
    }
  };
  check(Pointwise::kAdd, [](double x, double y) { return x + y; });
  check(Pointwise::kSubtract, [](double x, double y) { return x - y; });
  check(Pointwise::kMultiply, [](double x, double y) { return x * y; });
  check(Pointwise::kDivide, [](double x, double y) { return x / y; });
  check(Pointwise::kLess, [](double x, double y) { return x < y ? 1.0 : 0.0; });
  check(Pointwise::kLessEqual, [](double x, double y) { return x <= y ? 1.0 : 0.0; });
  check(Pointwise::kEqual, [](double x, double y) { return x == y ? 1.0 : 0.0; });
  check(Pointwise::kGreater, [](double x, double y) { return x > y ? 1.0 : 0.0; });
}

TEST_CASE("every number lies in what is said of its fill", "[fill]") {
  const auto check = [](Pointwise function, auto&& compute) {
    for (const Fill& a : AllFills()) {
      const Fill result = Evaluate(function, std::vector<Fill>{a});
      for (const double x : SamplesOf(a)) {
        INFO("function " << static_cast<int>(function) << " of " << x);
        CHECK(Holds(result, compute(x)));
      }
    }
  };
  check(Pointwise::kNegate, [](double x) { return -x; });
  check(Pointwise::kExp, [](double x) { return std::exp(x); });
  check(Pointwise::kLog, [](double x) { return std::log(x); });
  check(Pointwise::kSqrt, [](double x) { return std::sqrt(x); });
  check(Pointwise::kRsqrt, [](double x) { return 1 / std::sqrt(x); });
  check(Pointwise::kSquare, [](double x) { return x * x; });
  check(Pointwise::kAbs, [](double x) { return std::fabs(x); });
  check(Pointwise::kRelu, [](double x) { return x > 0 || std::isnan(x) ? x : 0; });
  check(Pointwise::kSigmoid, [](double x) { return 1 / (1 + std::exp(-x)); });
  check(Pointwise::kNot, [](double x) { return x == 0 ? 1.0 : 0.0; });
}

TEST_CASE("a mask decides which fill is left", "[fill]") {
  const Fill finite = Fill::Of(Kind::kFinite);
  const Fill low = Fill::Number(-std::numeric_limits<double>::infinity());
  CHECK(Evaluate(Pointwise::kMaskedFill, std::vector{finite, Fill::Number(1), low}) == low);
  CHECK(Evaluate(Pointwise::kMaskedFill, std::vector{finite, Fill::Number(0), low}) == finite);
  CHECK(Evaluate(Pointwise::kWhere, std::vector{Fill::Number(1), low, finite}) == low);
  // exp(-1e4) is 0 in every floating-point type.
  CHECK(Evaluate(Pointwise::kExp, std::vector{Fill::Of(Kind::kVeryLow)}).IsNumber(0));
}

TEST_CASE("neutral elements leave reductions as they are", "[fill]") {
  const Fill real = Fill::Real();
  CHECK(IsNeutral(Reduction::kSum, Fill::Number(0), real));
  CHECK_FALSE(IsNeutral(Reduction::kMean, Fill::Number(0), real));
  CHECK(IsNeutral(Reduction::kMax, Fill::Of(Kind::kVeryLow), real));
  CHECK_FALSE(IsNeutral(Reduction::kMax, Fill::Number(0), real));
  CHECK(IsNeutral(Reduction::kMax, Fill::Number(0), Fill::Of(Kind::kNonNegative)));
  CHECK(IsNeutral(Reduction::kAll, Fill::Number(1), real));
  CHECK_FALSE(IsNeutral(Reduction::kAll, Fill::Number(0), real));
}

}  // namespace
}  // namespace shapewise
