// Decides how many buckets to use, or whether another mode is better.

#ifndef SHAPEWISE_BUCKETS_DECISION_H_
#define SHAPEWISE_BUCKETS_DECISION_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "buckets/outcomes.h"
#include "buckets/plan_buckets.h"

namespace shapewise {

/// The maximum number of buckets, from the user or from the memory limit. Absent: unlimited.
std::optional<size_t> BucketCap(const PlanOptions& options, const ServingTerms& terms);

/// The largest number of buckets worth planning. `line`: null for joint plans.
size_t BucketsWorthPlanning(const PlanOptions& options, const ServingTerms& terms,
                            const SizeLine* line, double planned_calls, double steps);

/// The inputs of a decision. Keeps references.
struct DecisionInput {
  /// `table`: the calls used for planning. `line`: null for joint plans. `calls_to_come`: length of
  /// the run by whose time ways are compared.
  DecisionInput(const PlanOptions& plan_options, const ServingTerms& serving_terms,
                const CallTable& call_table, const SizeLine* size_line, double calls_to_come);

  const PlanOptions& options;
  const ServingTerms& terms;
  const CallTable& table;
  const SizeLine* line;
  double steps;
  std::vector<ServingWay> ways;  ///< without buckets; the cost of a dynamic graph is always known
  /// The best mix with buckets and something else; absent if there is no useful one.
  std::optional<MixedWay> mix;
};

/// Returns the index in `frontier` (sorted by number of buckets) of the plan. The requested number,
/// if given; else, with costs in seconds, the least expected seconds; with uncertain costs, the
/// fewest buckets that are as fast as the fastest way within the error; without seconds, the fewest
/// buckets that cost within 1 % of the largest allowed set.
size_t ChoosePoint(const std::vector<BucketPoint>& frontier, const DecisionInput& input);

/// Fills in `outcomes`, `mode`, `why`, `served`, `break_even`, `break_even_slowdown`,
/// `dynamic_slowdown`, `warm_up` and `recompile_limit` of a report that already has a plan and a
/// frontier.
void Decide(const DecisionInput& input, BucketReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_DECISION_H_
