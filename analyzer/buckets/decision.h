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

/// What a decision rests on. Keeps references.
struct DecisionInput {
  /// `table`: of the calls that were planned on. `line`: null for joint plans. `calls_to_come`: by
  /// whose time ways are judged.
  DecisionInput(const PlanOptions& plan_options, const ServingTerms& serving_terms,
                const CallTable& call_table, const SizeLine* size_line, double calls_to_come);

  const PlanOptions& options;
  const ServingTerms& terms;
  const CallTable& table;
  const SizeLine* line;
  double steps;
  std::vector<ServingWay> ways;  ///< without buckets; of a dynamic graph enough is always known
  std::optional<MixedWay> mix;   ///< the best real one; absent: there is none
};

/// The element of `frontier` (by number of buckets) that is the plan: the one asked for; else, if
/// costs are in seconds, the one of least expected seconds; with costs that are known to a share
/// only, the fewest buckets that are within it as fast as the fastest way; else, without seconds,
/// the fewest buckets that cost within 1 % of the last that is allowed.
size_t ChoosePoint(const std::vector<BucketPoint>& frontier, const DecisionInput& input);

/// Fills `outcomes`, `mode`, `why`, `served`, `break_even`, `break_even_slowdown`,
/// `dynamic_slowdown`, `warm_up` and `recompile_limit` of a report whose plan and frontier are
/// there.
void Decide(const DecisionInput& input, BucketReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_DECISION_H_
