// Bounds the rounding error of sums of doubles.

#ifndef SHAPEWISE_BUCKETS_SUM_ROUNDING_H_
#define SHAPEWISE_BUCKETS_SUM_ROUNDING_H_

#include <cstddef>

namespace shapewise {

/// The maximum relative error of a sum of `terms` products of two non-negative doubles (Higham,
/// "Accuracy and Stability of Numerical Algorithms", 2002, section 3.1).
constexpr double SumRounding(size_t terms) {
  constexpr double kUnit = 0x1p-53;
  const double units = (static_cast<double>(terms) + 1) * kUnit;
  return units / (1 - units);
}

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_SUM_ROUNDING_H_
