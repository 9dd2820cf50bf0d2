// Plans sets of buckets for parts of a run in the same way as for the whole run.

#ifndef SHAPEWISE_BUCKETS_SET_PLANNER_H_
#define SHAPEWISE_BUCKETS_SET_PLANNER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "buckets/joint_plan.h"
#include "buckets/plan_buckets.h"

namespace shapewise {

/// The best set of at most `count` buckets.
struct PlannedSet {
  size_t count = 0;
  std::vector<Sizes> buckets;
  std::optional<double> lower_bound;  ///< of the cost of all calls; absent: the set is optimal
};

/// How much sets account for calls that were not observed.
enum class Foresight : uint8_t {
  kTail,  ///< some weight is spread over the tail: for future calls
  kNone,  ///< optimal for exactly these calls: the reference for others
};

class SetPlanner {
 public:
  /// `limits`: one per dim. Keeps references.
  SetPlanner(const CostModel& cost, const std::vector<BucketLimits>& limits)
      : cost_(cost), limits_(limits) {}

  /// The best sets of at most `counts` (ascending) buckets that the limits allow; forced sizes may
  /// need more. With one dim: all numbers up to the last of `counts`, and always optimal; `effort`
  /// applies to joint plans. Error: no call in range, or contradictory limits.
  Expected<std::vector<PlannedSet>> Plan(const SizeHistogram& calls,
                                         const std::vector<size_t>& counts, Foresight foresight,
                                         JointEffort effort = JointEffort::kProven) const;
  /// A set of at most `count` buckets for comparisons; joint sets are planned quickly. Empty: none.
  std::vector<Sizes> PlanOne(const SizeHistogram& calls, size_t count, Foresight foresight) const;

 private:
  const CostModel& cost_;
  const std::vector<BucketLimits>& limits_;
};

/// 1, 2, 4 ... and `most` itself.
std::vector<size_t> DoublingCounts(size_t most);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_SET_PLANNER_H_
