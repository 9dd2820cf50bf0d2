// How many buckets, or whether another mode is better, and why.

#ifndef SHAPEWISE_BUCKETS_DECISION_H_
#define SHAPEWISE_BUCKETS_DECISION_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "buckets/outcomes.h"
#include "shapewise/buckets/plan_buckets.h"

namespace shapewise {

/// The most buckets that a plan may have: asked for, or room for them in memory. Absent: any
/// number.
std::optional<size_t> BucketCap(const PlanOptions& options, const ServingTerms& terms);

/// Up to how many buckets are worth planning. `line`: null for joint plans.
size_t BucketsWorthPlanning(const PlanOptions& options, const ServingTerms& terms,
                            const SizeLine* line, double planned_calls, double steps);

/// The element of `frontier` (by number of buckets) that is the plan: the one asked for; else, if
/// costs are in seconds, the one of least expected seconds; else the fewest buckets that cost
/// within 1 % of the last that is allowed.
size_t ChoosePoint(const std::vector<BucketPoint>& frontier, const PlanOptions& options,
                   std::optional<size_t> cap);

/// What a decision rests on.
struct DecisionInput {
  const PlanOptions& options;
  const ServingTerms& terms;
  const CallTable& table;  ///< of the calls that were planned on
  const SizeLine* line;    ///< null for joint plans
};

/// Fills `outcomes`, `mode`, `why`, `served`, `break_even`, `break_even_slowdown`,
/// `dynamic_slowdown`, `warm_up` and `recompile_limit` of a report whose plan and frontier are
/// there.
void Decide(const DecisionInput& input, BucketReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_DECISION_H_
