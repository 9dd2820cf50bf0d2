// Optimizes how to serve each size: with static buckets, dynamic graphs, captured sizes or eagerly.

#ifndef SHAPEWISE_BUCKETS_SERVING_PLAN_H_
#define SHAPEWISE_BUCKETS_SERVING_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "buckets/size_line.h"
#include "result/bucket_report.h"

namespace shapewise {

/// Whether one graph of this kind serves all its calls.
bool IsSharedKind(ServingKind kind);

/// A way to serve calls, with its prices in seconds over the life of the process.
struct ServingMode {
  ServingKind kind = ServingKind::kBucket;
  /// Per bucket, capture or range; for kinds with one shared graph, of that graph.
  double price = 0;
  /// Cost of one call at each stop of the line, in order; infinity: the mode cannot serve it. For
  /// kBucket and kCaptured: the cost of any call padded to the stop.
  std::vector<double> cost{};
  /// kCaptured: price of compiling the graph that all captures share. If kDynamic is in the plan,
  /// captures use that graph instead.
  double base_price = 0;
};

/// Calls served by one mode: stops first..last of the line.
struct ServedRange {
  ServingKind kind = ServingKind::kBucket;
  size_t first = 0;
  size_t last = 0;
};

/// Which mode serves which stop, at least total cost.
struct ServingPlan {
  /// Ascending, covering all stops; neighbours that share a graph are joined.
  std::vector<ServedRange> ranges;
  double cost = 0;  ///< of the calls, without prices
  double prices = 0;
  double Total() const { return cost + prices; }
};

/// Returns the best plan, in which each stop is served by one of `modes` (at most one of a kind).
/// Buckets and captures end only at stops with may_end, and one must end at each stop with must_end
/// if either kind is among the modes. O(n) for each set of shared graphs, of which there are at
/// most 2^4; O(n log n) if costs of padded kinds fall. `max_graphs`: limit on buckets, captures and
/// ranges together; `max_total`: the same with shared graphs; absent: no limit. Returns no ranges
/// and infinite cost if no plan serves every stop.
ServingPlan BestServingPlan(const SizeLine& line, const std::vector<ServingMode>& modes,
                            std::optional<size_t> max_graphs,
                            std::optional<size_t> max_total = std::nullopt);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_SERVING_PLAN_H_
