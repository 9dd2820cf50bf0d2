// Plans buckets in two or three dims together; each call runs at the cheapest bucket that fits it.

#ifndef SHAPEWISE_BUCKETS_JOINT_PLAN_H_
#define SHAPEWISE_BUCKETS_JOINT_PLAN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "buckets/cost_model.h"
#include "buckets/size_line.h"
#include "model/size_history.h"
#include "support/error.h"

namespace shapewise {

/// The problem: calls and buckets are points, and a bucket fits calls that are not larger in any
/// dim. Calls beyond a declared maximum (BucketLimits::max) are ignored. If a maximum is declared,
/// one bucket of every set has the largest size in every dim. Otherwise only observed calls must
/// fit: in batches with a budget of elements, the largest sizes never occur together.
struct JointProblem {
  SizeHistogram calls;                              ///< weights: SizeCount::calls
  CostModel cost;                                   ///< of a call at its bucket's sizes
  std::array<BucketLimits, kMaxSizeDims> limits{};  ///< one per dim; forced sizes are ignored
};

/// A set of buckets with a lower bound that shows how good it is.
struct JointSet {
  std::vector<Sizes> buckets;  ///< ascending; each call fits at least one
  double cost = 0;             ///< of all calls
  /// No set of this many buckets costs less: a Lagrangian bound, or the cost of all calls with one
  /// bucket each.
  double lower_bound = 0;
  /// Some sizes were left out during planning to bound the work. The bound still holds for all
  /// sizes.
  bool is_coarse = false;
};

/// How much work a joint plan may take.
enum class JointEffort : uint8_t {
  kProven,  ///< a long search, with a bound on how good the result can be
  kQuick,  ///< a good set quickly, with the cost without padding as the only bound; for comparisons
};

/// Returns the best set found for each number of buckets in `counts` (ascending): the better of
/// nested exact planning (two dims) and greedy addition, both improved by swaps. A set for a larger
/// count never costs more, and has fewer buckets if one more saves nothing. Work is bounded by
/// counting steps, so the result is deterministic and independent of the order of calls. Error: no
/// call within the limits, or contradictory limits.
Expected<std::vector<JointSet>> PlanJointly(const JointProblem& problem,
                                            const std::vector<size_t>& counts,
                                            JointEffort effort = JointEffort::kProven);

/// The total cost of `calls` with `buckets`, each at the cheapest one that fits. Calls that fit
/// none are counted in `unserved`.
double CostWith(const SizeHistogram& calls, const CostModel& cost,
                const std::vector<Sizes>& buckets, uint64_t& unserved);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_JOINT_PLAN_H_
