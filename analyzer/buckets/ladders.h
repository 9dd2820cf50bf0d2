// Lists of sizes that other programs ship, as functions of the largest size, and how a plan
// compares with them.

#ifndef SHAPEWISE_BUCKETS_LADDERS_H_
#define SHAPEWISE_BUCKETS_LADDERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "buckets/call_table.h"
#include "buckets/size_line.h"
#include "result/bucket_report.h"
#include "support/error.h"

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

/// The names that LadderOf accepts, sorted.
std::vector<std::string> LadderNames();

/// The ladder called `name`, up to the first size of at least `max`. The work does not grow with
/// `max`. Error: unknown name; suggests the nearest.
Expected<SizeLadder> LadderOf(std::string_view name, int64_t max);

/// Evaluates `ladder` on the calls of `planned` (one dim), and on `held` if given. Our sets are the
/// best ones on `line`, which must be made from `planned`.
LadderComparison CompareLadder(const SizeLadder& ladder, const CallTable& planned,
                               const CallTable* held, const SizeLine& line);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_LADDERS_H_
