// Finds provably optimal sets of buckets on a line, for every number of buckets and every price.

#ifndef SHAPEWISE_BUCKETS_FRONTIER_H_
#define SHAPEWISE_BUCKETS_FRONTIER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "buckets/size_line.h"

namespace shapewise {

/// A set of buckets and the total cost of all calls of its line with it.
struct BucketSet {
  std::vector<int64_t> sizes;  ///< ascending
  double cost = 0;             ///< sum over stops of weight times cost, without prices
};

/// The best set for each number of buckets from the fewest that the line allows to `max_buckets`.
/// Element i has at most fewest + i buckets, and fewer if one more saves nothing. O(n k) if the
/// line is monotone (docs/buckets.md), else O(n k log n).
std::vector<BucketSet> ExactFrontier(const SizeLine& line, size_t max_buckets);

/// The set of least total cost with `price` per bucket; ties go to fewer buckets. O(n) if the line
/// is monotone, else O(n log n).
BucketSet BestAtPrice(const SizeLine& line, double price);

/// A range of prices over which the same number of buckets is best.
struct PriceRange {
  double from = 0;  ///< price per bucket, in the unit of the line's costs
  double to = 0;    ///< infinity in the last range
  BucketSet set;
};

/// The best set for every price from 0 to the price at which the fewest buckets are best,
/// ascending. Returns at most `max_ranges` ranges, those with the fewest buckets.
std::vector<PriceRange> PriceFrontier(const SizeLine& line, size_t max_ranges);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_FRONTIER_H_
