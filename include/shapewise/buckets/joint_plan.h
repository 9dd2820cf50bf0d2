// Buckets in two or three dims together: each call runs at the cheapest bucket that holds it.

#ifndef SHAPEWISE_BUCKETS_JOINT_PLAN_H_
#define SHAPEWISE_BUCKETS_JOINT_PLAN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shapewise/buckets/cost_model.h"
#include "shapewise/buckets/size_line.h"
#include "shapewise/model/size_history.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// The problem: calls as points, buckets as points that hold all calls not larger in any dim. Calls
/// beyond a declared maximum (BucketLimits::max) are left out. If one is declared, one bucket of
/// every set holds the largest sizes of all dims together; if none is, only calls that came need to
/// be held: in batches with a budget of elements the largest sizes never come together.
struct JointProblem {
  SizeHistogram calls;                              ///< weights: SizeCount::calls
  CostModel cost;                                   ///< of a call at its bucket's sizes
  std::array<BucketLimits, kMaxSizeDims> limits{};  ///< one a dim; forced sizes are not looked at
};

/// A set of buckets with a proof of how good it is.
struct JointSet {
  std::vector<Sizes> buckets;  ///< ascending; each call has one that holds it
  double cost = 0;             ///< of all calls
  /// No set of this many buckets costs less than this: the bound of a Lagrangian relaxation, or
  /// what all calls cost with a bucket each.
  double lower_bound = 0;
  /// Sizes were left out while planning, to bound the work; the bound is still one for all sizes.
  bool is_coarse = false;
};

/// How much is done for joint plans.
enum class JointEffort : uint8_t {
  kProven,  ///< sets are searched for at length, and a bound proves how good they can be
  kQuick,   ///< a good set soon, and no bound but the cost without padding: for comparisons
};

/// The best sets found for each of `counts` (numbers of buckets, ascending), one each: the better
/// of nested exact planning (two dims) and greedy addition, both bettered by swaps. A set for a
/// larger count never costs more. Sets may have fewer buckets, where one more saves nothing. Work
/// is bounded by counting steps, so the answer is always the same; the order of calls plays no
/// part. Error: no call within the limits, or limits that contradict each other.
Expected<std::vector<JointSet>> PlanJointly(const JointProblem& problem,
                                            const std::vector<size_t>& counts,
                                            JointEffort effort = JointEffort::kProven);

/// What all `calls` cost with `buckets`, each at the cheapest that holds it; calls that fit none
/// are left out of the sum and counted in `unserved`.
double CostWith(const SizeHistogram& calls, const CostModel& cost,
                const std::vector<Sizes>& buckets, uint64_t& unserved);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_JOINT_PLAN_H_
