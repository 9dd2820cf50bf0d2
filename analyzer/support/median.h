// The median.

#ifndef SHAPEWISE_SUPPORT_MEDIAN_H_
#define SHAPEWISE_SUPPORT_MEDIAN_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace shapewise {

/// The median of `values`, which are reordered; for an even number of values the mean of the middle
/// two. 0 if empty.
inline double MedianOf(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_MEDIAN_H_
