// Compares two results numerically.

#ifndef SHAPEWISE_REPLAY_COMPARE_H_
#define SHAPEWISE_REPLAY_COMPARE_H_

#include <optional>
#include <string>

#include "replay/value.h"

namespace shapewise::replay {

struct Comparison {
  bool identical = false;  ///< every bit of every element; NaN is NaN
  bool equal = false;      ///< within the tolerance
  /// Over elements that are finite on both sides; absent: none.
  std::optional<double> max_abs_error;
  std::string why;  ///< why results cannot be compared: different kinds or shapes
};

/// Compares tensors or numbers element by element. An element may differ by `tolerance` times the
/// largest of its own magnitude, the usual magnitude of `expected`, and 1; infinite ones must be
/// equal. The usual magnitude is the largest one without outliers such as mask values. `tolerance`
/// absent: 64 roundings of the dtype (about 8e-6 for float32), four for float16 and bfloat16 (4e-3,
/// 3e-2).
Comparison Compare(const Value& expected, const Value& got, std::optional<double> tolerance);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_COMPARE_H_
