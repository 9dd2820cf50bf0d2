// Buckets in two or three dims together: each call runs at the cheapest bucket that holds it.

#ifndef SHAPEWISE_BUCKETS_JOINT_PLAN_H_
#define SHAPEWISE_BUCKETS_JOINT_PLAN_H_

#include <array>
#include <cstddef>
#include <vector>

#include "shapewise/buckets/cost_model.h"
#include "shapewise/buckets/size_line.h"
#include "shapewise/model/size_history.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// The problem: calls as points, buckets as points that hold all calls not larger in any dim.
struct JointProblem {
  SizeHistogram calls;                              ///< weights: SizeCount::calls
  CostModel cost;                                   ///< of a call at its bucket's sizes
  std::array<BucketLimits, kMaxSizeDims> limits{};  ///< one a dim; forced sizes are not looked at
};

/// A set of buckets with a proof of how good it is.
struct JointSet {
  std::vector<Sizes> buckets;  ///< ascending; each call has one that holds it
  double cost = 0;             ///< of all calls
  /// No set of this many buckets costs less than this: the bound of a Lagrangian relaxation.
  double lower_bound = 0;
};

/// The best sets found for each of `counts` (numbers of buckets, ascending), one each: the better
/// of nested exact planning (two dims) and greedy addition, both bettered by swaps. Error: no call.
Expected<std::vector<JointSet>> PlanJointly(const JointProblem& problem,
                                            const std::vector<size_t>& counts);

/// What all calls of `calls` cost with `buckets`; calls that fit none are left out of the sum and
/// counted in `unserved`.
double CostWith(const SizeHistogram& calls, const CostModel& cost,
                const std::vector<Sizes>& buckets, uint64_t& unserved);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_JOINT_PLAN_H_
