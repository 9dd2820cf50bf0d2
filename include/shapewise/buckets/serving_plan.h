// One optimiser over ways to serve a size: static buckets, dynamic graphs, captured sizes, eager.

#ifndef SHAPEWISE_BUCKETS_SERVING_PLAN_H_
#define SHAPEWISE_BUCKETS_SERVING_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shapewise/buckets/size_line.h"
#include "shapewise/result/bucket_report.h"

namespace shapewise {

/// A way to serve calls, and its prices in seconds over the life of the process.
struct ServingMode {
  ServingKind kind = ServingKind::kBucket;
  double price = 0;  ///< a bucket, a capture, a range; of kinds that have one graph: that graph
  /// Of one call at each stop of the line, in its order; infinity: the mode does not serve it. Of
  /// kBucket and kCaptured: of any call that is padded to the stop.
  std::vector<double> cost{};
  /// kCaptured: captures belong to one graph that has to be compiled besides, for this price; with
  /// kDynamic in the plan, they belong to that graph.
  double base_price = 0;
};

/// Calls that one mode serves: stops first..last of the line.
struct ServedRange {
  ServingKind kind = ServingKind::kBucket;
  size_t first = 0;
  size_t last = 0;
};

/// Who serves which stop, at least total cost.
struct ServingPlan {
  std::vector<ServedRange> ranges;  ///< ascending, all stops; neighbours of one shared graph joined
  double cost = 0;                  ///< of calls, without prices
  double prices = 0;
  double Total() const { return cost + prices; }
};

/// The best plan: each stop is served by one of `modes` (at most one of a kind). Buckets and
/// captures end at stops that may end; where one must end, one does, if either kind is among the
/// modes. O(n) for each set of shared graphs that is compiled, of which there are at most 2^4;
/// O(n log n) where the costs of padded kinds fall. `max_graphs`: at most so many buckets, captures
/// and ranges together; absent: any number. No ranges and infinite cost if no plan serves every
/// stop.
ServingPlan BestServingPlan(const SizeLine& line, const std::vector<ServingMode>& modes,
                            std::optional<size_t> max_graphs);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_SERVING_PLAN_H_
