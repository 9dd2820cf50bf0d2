// The provably best sets of buckets on a line, for every number of buckets and for every price.

#ifndef SHAPEWISE_BUCKETS_FRONTIER_H_
#define SHAPEWISE_BUCKETS_FRONTIER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shapewise/buckets/size_line.h"

namespace shapewise {

/// A set of buckets and what all calls of its line cost with it.
struct BucketSet {
  std::vector<int64_t> sizes;  ///< ascending
  double cost = 0;             ///< sum over stops of weight times cost; prices not included
};

/// The best set for each number of buckets from the fewest that the line allows to `max_buckets`:
/// element i has at most fewest + i buckets, and fewer where one more saves nothing. O(n k) if the
/// line is monotone (docs/buckets.md), else O(n k log n).
std::vector<BucketSet> ExactFrontier(const SizeLine& line, size_t max_buckets);

/// The set of least cost plus `price` a bucket; of equals the one with fewest buckets. O(n) if the
/// line is monotone, else O(n log n).
BucketSet BestAtPrice(const SizeLine& line, double price);

/// One stretch of prices over which the same number of buckets is best.
struct PriceRange {
  double from = 0;  ///< price a bucket, in the unit of the line's costs
  double to = 0;    ///< infinity in the last
  BucketSet set;
};

/// The best set for every price from 0 up to where the fewest are best, ascending; at most
/// `max_ranges` of them, the ones with fewest buckets.
std::vector<PriceRange> PriceFrontier(const SizeLine& line, size_t max_ranges);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_FRONTIER_H_
