// Sizes that may be buckets: every small one, then multiples, but for what is forbidden or forced.

#ifndef SHAPEWISE_ANALYZER_BUCKETS_ALLOWED_SIZES_H_
#define SHAPEWISE_ANALYZER_BUCKETS_ALLOWED_SIZES_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "shapewise/buckets/size_line.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// Limits without contradiction, ready to be asked for the sizes that they allow.
class AllowedSizes {
 public:
  /// `largest`: the largest size that came. Error: names the limits that contradict each other.
  static Expected<AllowedSizes> Make(const BucketLimits& limits, int64_t largest);

  /// The smallest size of at least `size` that may be a bucket.
  int64_t AtLeast(int64_t size) const;
  /// The largest size of at most `size` that may be a bucket, if there is one.
  std::optional<int64_t> AtMost(int64_t size) const;

  /// Calls up to here are served.
  int64_t max() const { return limits_.max; }
  /// The largest bucket.
  int64_t top() const { return top_; }
  /// Ascending, each once.
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
