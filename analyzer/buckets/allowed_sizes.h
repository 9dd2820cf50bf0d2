// The sizes that may be buckets: every small one, then multiples, except forbidden ones, and forced
// ones.

#ifndef SHAPEWISE_ANALYZER_BUCKETS_ALLOWED_SIZES_H_
#define SHAPEWISE_ANALYZER_BUCKETS_ALLOWED_SIZES_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "buckets/size_line.h"
#include "support/error.h"

namespace shapewise {

/// Consistent limits, with queries for the sizes that they allow.
class AllowedSizes {
 public:
  /// `largest`: the largest observed size. Error: names contradictory limits.
  static Expected<AllowedSizes> Make(const BucketLimits& limits, int64_t largest);

  /// The smallest allowed bucket of at least `size`.
  int64_t AtLeast(int64_t size) const;
  /// The largest allowed bucket of at most `size`, if any.
  std::optional<int64_t> AtMost(int64_t size) const;

  /// The largest size of calls that are served.
  int64_t max() const { return limits_.max; }
  /// The largest bucket.
  int64_t top() const { return top_; }
  /// Ascending and distinct.
  const std::vector<int64_t>& forced() const { return limits_.forced; }
  bool IsForced(int64_t size) const;

 private:
  explicit AllowedSizes(BucketLimits limits) : limits_(std::move(limits)) {}

  bool IsForbidden(int64_t size) const;

  BucketLimits limits_;
  int64_t top_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_BUCKETS_ALLOWED_SIZES_H_
