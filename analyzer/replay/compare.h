// Whether two results are the same numbers.

#ifndef SHAPEWISE_REPLAY_COMPARE_H_
#define SHAPEWISE_REPLAY_COMPARE_H_

#include <optional>
#include <string>

#include "replay/value.h"

namespace shapewise::replay {

struct Comparison {
  bool identical = false;               ///< every bit of every element; NaN is NaN
  bool equal = false;                   ///< within the tolerance
  std::optional<double> max_abs_error;  ///< of elements that are finite on both sides; absent: none
  std::string why;  ///< of results that cannot be compared: other kinds, other shapes
};

/// Compares tensors or numbers, element by element. An element may be off by `tolerance` times the
/// larger of its own magnitude, the usual magnitude of `expected`, and 1; infinite ones must be the
/// same. The usual magnitude is the largest one without outliers, such as what a mask is filled
/// with. `tolerance` absent: 64 roundings of the dtype (about 8e-6 of float32), of float16 and
/// bfloat16 four (4e-3, 3e-2).
Comparison Compare(const Value& expected, const Value& got, std::optional<double> tolerance);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_COMPARE_H_
