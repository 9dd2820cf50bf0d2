// A list of sizes to pad to, stored as stretches, because a list up to a large size can be long.

#ifndef SHAPEWISE_BUCKETS_SIZE_LADDER_H_
#define SHAPEWISE_BUCKETS_SIZE_LADDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shapewise {

/// Sizes `first`, `first` + `step` ... up to and including `last`.
struct SizeStretch {
  int64_t first = 0;
  int64_t step = 1;
  int64_t last = 0;
};

/// A named list of sizes for comparison.
struct SizeLadder {
  std::string name;
  std::string source;
  std::vector<SizeStretch> stretches;  ///< ascending

  /// The number of sizes.
  uint64_t Count() const;
  /// The smallest size of at least `size`; absent: all sizes are smaller.
  std::optional<int64_t> AtLeast(int64_t size) const;
};

/// Converts the ascending `sizes` to stretches of one size each.
std::vector<SizeStretch> StretchesOf(const std::vector<int64_t>& sizes);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_SIZE_LADDER_H_
