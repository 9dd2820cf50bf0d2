// Plans sets of buckets for parts of a run in the way in which the whole is planned.

#ifndef SHAPEWISE_BUCKETS_SET_PLANNER_H_
#define SHAPEWISE_BUCKETS_SET_PLANNER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "shapewise/buckets/joint_plan.h"
#include "shapewise/buckets/plan_buckets.h"

namespace shapewise {

/// The best set of at most `count` buckets.
struct PlannedSet {
  size_t count = 0;
  std::vector<Sizes> buckets;
  std::optional<double> lower_bound;  ///< on the cost of all calls; absent: the set is the best
};

/// How far sets are made to look beyond the calls that came.
enum class Foresight : uint8_t {
  kTail,  ///< some weight is spread over the tail: for calls to come
  kNone,  ///< the very best for these calls: what others are measured by
};

class SetPlanner {
 public:
  /// `limits`: one a dim. Keeps references.
  SetPlanner(const CostModel& cost, const std::vector<BucketLimits>& limits)
      : cost_(cost), limits_(limits) {}

  /// The sets of at most so many buckets, for each of `counts` (ascending) that the limits allow:
  /// forced sizes may need more. One dim: all numbers up to the last of `counts`, whatever it
  /// lists, and always the best: `effort` is of joint plans. Error: no call in range, or limits
  /// that contradict each other.
  Expected<std::vector<PlannedSet>> Plan(const SizeHistogram& calls,
                                         const std::vector<size_t>& counts, Foresight foresight,
                                         JointEffort effort = JointEffort::kProven) const;
  /// The set of at most `count` buckets, for comparisons: joint sets are planned quickly. Empty if
  /// there is none.
  std::vector<Sizes> PlanOne(const SizeHistogram& calls, size_t count, Foresight foresight) const;

 private:
  const CostModel& cost_;
  const std::vector<BucketLimits>& limits_;
};

/// 1, 2, 4 ... and `most` itself.
std::vector<size_t> DoublingCounts(size_t most);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_SET_PLANNER_H_
