#include "buckets/plan_buckets.h"

#include <algorithm>
#include <utility>

#include "buckets/call_table.h"
#include "buckets/decision.h"
#include "buckets/frontier.h"
#include "buckets/prediction_interval.h"
#include "buckets/set_planner.h"
#include "buckets/validation.h"
#include "result/number_text.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

/// Number of points of the frontier that are shown if more buckets keep helping.
constexpr size_t kShownPoints = 32;

/// A plan with a larger relative distance from its lower bound is reported as weakly proven.
constexpr double kWeakProof = 0.05;

/// Every set has this many buckets or fewer if no more are allowed.
size_t FewestBuckets(const BucketLimits& limits) { return limits.forced.size() + 1; }

bool IsWeaklyProven(const BucketPoint& point) {
  return point.lower_bound && 1 + point.cost_overhead > (1 + kWeakProof) * (1 + *point.lower_bound);
}

/// The padding of held-out calls, unless too many do not fit.
std::optional<double> HeldPadding(const SetScore& score) {
  const HoldoutCheck check{.held_calls = score.calls + score.out_of_range,
                           .boundaries = {},
                           .out_of_range = score.out_of_range};
  return check.IsExceeded() ? std::nullopt : std::optional(score.Padding());
}

/// Makes a plan for one history.
class Planner {
 public:
  Planner(const SizeHistory& history, const PlanOptions& options)
      : history_(history),
        options_(options),
        limits_(options.limits),
        terms_(options, history.dims(), history.rows()),
        planner_(options.cost, limits_) {
    limits_.resize(history.dims(), limits_.empty() ? BucketLimits() : limits_.back());
  }

  Expected<BucketReport> Plan() {
    if (history_.calls() == 0) return MakeError("no sizes to plan with");
    if (terms_.GraphsInMemory() == 0) {
      return MakeError("memory allows no graph: --memory-mb is less than --graph-mb");
    }
    ReportInput();
    Split();
    const CallTable table(planned_, options_.cost);
    std::optional<SizeLine> line;
    if (history_.dims() == 1) {
      Expected<SizeLine> made = MakeSizeLine(planned_, options_.cost, limits_.front(), true);
      if (!made) return made.takeError();
      line = std::move(*made);
    }
    const SizeLine* line_or_null = line ? &*line : nullptr;
    if (Error error = PlanSets(line_or_null)) return error;
    AddFrontier(table);
    const DecisionInput input(options_, terms_, table, line_or_null,
                              static_cast<double>(report_.steps));
    report_.chosen = ChoosePoint(report_.frontier, input);
    // Points that were only planned for comparison and are of no use are not shown.
    TrimFrontier();
    ReportPlan(table, report_.frontier[report_.chosen]);
    Decide(input, report_);
    if (report_.mode == BucketMode::kMixed) ReportMix(table);
    Validate();
    if (line) CompareLadders(table, *line);
    report_.assumptions = terms_.Assumptions();
    ReportGaps();
    return std::move(report_);
  }

 private:
  void ReportInput() {
    report_.dims = history_.dims();
    report_.histogram = history_.Histogram();
    report_.is_ordered = history_.is_ordered();
    report_.is_censored = options_.is_censored;
    report_.cost_model = options_.cost.Describe();
    report_.is_in_seconds = options_.cost.IsInSeconds();
    report_.cost_noise = options_.noise.share;
    if (report_.is_in_seconds) {
      report_.static_compile = terms_.StaticCompile();
      report_.dynamic_compile = terms_.DynamicCompile();
    }
    report_.steps = options_.steps.value_or(history_.calls());
    report_.alignment = limits_.front().alignment;
  }

  void Split() {
    // In a log of misses, the order of calls says nothing about when sizes occur.
    if (!options_.is_censored) {
      split_ = SplitInTime(history_, options_.holdout.value_or(kDefaultHoldout));
    }
    planned_ = split_ && options_.holdout ? split_->before : report_.histogram;
    report_.planned_calls = planned_.calls;
  }

  /// Plans sets for all numbers of buckets; and sets without the held-out calls, for validation.
  Error PlanSets(const SizeLine* line) {
    const auto calls = static_cast<double>(planned_.calls);
    const size_t most =
        BucketsWorthPlanning(options_, terms_, line, calls, static_cast<double>(report_.steps));
    const std::vector<size_t> counts =
        line != nullptr
            ? std::vector<size_t>{std::max({most, kShownPoints, FewestBuckets(limits_.front())})}
            : DoublingCounts(most);
    Expected<std::vector<PlannedSet>> sets = planner_.Plan(planned_, counts, Foresight::kTail);
    if (!sets) return sets.takeError();
    if (sets->empty()) return MakeError("no set of buckets satisfies the limits on sizes");
    const std::optional<size_t> cap = BucketCap(options_, terms_);
    if (const size_t least = sets->front().buckets.size(); cap && least > *cap) {
      return MakeError("the limits on sizes need at least " + Counted(least, "bucket") + ", and " +
                       Counted(*cap, "is", "are") + " allowed");
    }
    sets_ = std::move(*sets);
    if (options_.holdout) {
      early_sets_ = sets_;
    } else if (line != nullptr) {
      PlanEarlySets(counts);
    }
    return Error::success();
  }

  void PlanEarlySets(const std::vector<size_t>& counts) {
    if (!split_) return;
    Expected<std::vector<PlannedSet>> sets =
        planner_.Plan(split_->before, counts, Foresight::kTail, JointEffort::kQuick);
    if (sets) {
      early_sets_ = std::move(*sets);
    } else {
      llvm::consumeError(sets.takeError());
    }
  }

  /// The set of at most `count` buckets among those planned without the held-out calls.
  const PlannedSet* EarlySet(size_t count) const {
    const PlannedSet* found = nullptr;
    for (const PlannedSet& set : early_sets_) {
      if (set.count <= count) found = &set;
    }
    return found;
  }

  void AddFrontier(const CallTable& table) {
    const CostModel padding_only;
    std::optional<CallTable> held;
    if (split_) held.emplace(split_->after, padding_only);
    const double ideal = table.Ideal();
    for (const PlannedSet& set : sets_) {
      BucketPoint point;
      point.buckets = set.count;
      point.boundaries = set.buckets;
      SetScore score = table.Score(point.boundaries);
      // The weight on an unobserved tail may make another bucket worse for the observed calls; then
      // it is not used.
      if (!report_.frontier.empty()) {
        const BucketPoint& before = report_.frontier.back();
        if (score.Overhead() >= before.cost_overhead ||
            (options_.cost.IsPaddingOnly() && score.Padding() > before.padding.train)) {
          point.boundaries = before.boundaries;
          score = table.Score(point.boundaries);
        }
      }
      point.padding.train = score.Padding();
      const PlannedSet* early = EarlySet(set.count);
      if (held && early != nullptr) {
        point.padding.holdout =
            HeldPadding(held->Score(options_.holdout ? point.boundaries : early->buckets));
      }
      point.cost_overhead = score.Overhead();
      point.compiles = point.boundaries.size();
      point.worst_call = score.worst_call;
      if (report_.is_in_seconds) {
        const ServingWay way = BucketWay(point.boundaries, score, report_.dims, terms_);
        point.expected_seconds = way.Seconds(static_cast<double>(report_.steps));
      }
      if (set.lower_bound && ideal > 0) {
        point.lower_bound =
            std::min(point.cost_overhead, std::max(0.0, (*set.lower_bound / score.ideal) - 1));
      }
      report_.frontier.push_back(std::move(point));
    }
  }

  void TrimFrontier() {
    std::vector<BucketPoint>& frontier = report_.frontier;
    // The plan is the first of equal points.
    while (report_.chosen > 0 &&
           frontier[report_.chosen].boundaries == frontier[report_.chosen - 1].boundaries) {
      --report_.chosen;
    }
    while (frontier.size() > report_.chosen + 1 &&
           frontier.back().boundaries == frontier[frontier.size() - 2].boundaries) {
      frontier.pop_back();
    }
  }

  void ReportPlan(const CallTable& table, const BucketPoint& point) {
    report_.boundaries = point.boundaries;
    report_.padding = point.padding;
    report_.cost_overhead = point.cost_overhead;
    const CallTable* all = &table;
    std::optional<CallTable> made;
    if (split_ && options_.holdout) all = &made.emplace(report_.histogram, options_.cost);
    ReportBuckets(table, all->Score(report_.boundaries));
  }

  void ReportBuckets(const CallTable& table, SetScore score) {
    report_.cost_a_bucket.clear();
    for (const Sizes& sizes : report_.boundaries) {
      report_.cost_a_bucket.push_back(table.CostOf(sizes));
    }
    report_.calls_a_bucket = std::move(score.calls_a_bucket);
    report_.out_of_range = score.out_of_range;
  }

  /// Reports the mix as the plan.
  void ReportMix(const CallTable& table) {
    const auto score_on = [&](const CallTable& calls) {
      return ScoreMix(calls, report_.served, terms_, report_.alignment);
    };
    SetScore score = score_on(table);
    report_.padding = {score.Padding(), std::nullopt};
    report_.cost_overhead = score.Overhead();
    if (split_ && options_.holdout) {
      const SetScore held = score_on(CallTable(split_->after, options_.cost));
      report_.padding.holdout = HeldPadding(held);
      if (held.out_of_range > 0) {
        report_.gaps.push_back(std::to_string(held.out_of_range) + " of the last " +
                               Counted(split_->after.calls, "call") +
                               " are larger than those that the mix was planned for.");
      }
      score = score_on(CallTable(report_.histogram, options_.cost));
    } else if (split_) {
      report_.gaps.emplace_back(
          "How the mix does on later calls was not checked: --holdout plans without some of them.");
    }
    ReportBuckets(table, std::move(score));
  }

  void Validate() {
    if (options_.is_censored) return;
    const size_t count = report_.frontier[report_.chosen].boundaries.size();
    report_.drift = FindDrift(history_, options_.cost, limits_, count);
    if (report_.mode == BucketMode::kMixed) return;
    // Joint planning is slow, so only the plan itself is validated.
    if (early_sets_.empty()) PlanEarlySets({report_.frontier[report_.chosen].buckets});
    if (split_) {
      const PlannedSet* early = EarlySet(report_.frontier[report_.chosen].buckets);
      if (early != nullptr) {
        report_.holdout =
            CheckHeldOut(*split_, options_.holdout ? report_.boundaries : early->buckets,
                         options_.cost, limits_);
        report_.padding.holdout.reset();
        if (!report_.holdout->IsExceeded()) report_.padding.holdout = report_.holdout->padding;
        report_.frontier[report_.chosen].padding.holdout = report_.padding.holdout;
      }
    }
    Predict();
  }

  void Predict() {
    NewRunPrediction prediction = PredictNewRun({.history = history_,
                                                 .planned_calls = planned_.calls,
                                                 .buckets = report_.boundaries,
                                                 .limits = limits_,
                                                 .cost = options_.cost,
                                                 .new_calls = report_.steps});
    report_.padding_95 = prediction.padding;
    report_.cost_overhead_95 = prediction.cost_overhead;
    // Histories too short for a hold-out have a gap of their own.
    const bool is_said = history_.is_ordered() && !split_;
    if (!prediction.gap.empty() && !is_said) report_.gaps.push_back(std::move(prediction.gap));
  }

  void CompareLadders(const CallTable& table, const SizeLine& line) {
    std::optional<CallTable> held;
    if (split_) held.emplace(split_->after, options_.cost);
    for (const SizeLadder& ladder : options_.ladders) {
      report_.ladders.push_back(CompareLadder(ladder, table, held ? &*held : nullptr, line));
    }
  }

  void ReportGaps() {
    std::vector<std::string>& gaps = report_.gaps;
    if (options_.is_censored) {
      gaps.emplace_back(
          "The sizes come from a log that contains only cache misses: each is one compile, however "
          "many calls had that size, and sizes that came after the recompile limit are missing. So "
          "neither the largest size nor the padding is known; record every call "
          "(analyzer/docs/call-records.md) and plan again.");
    } else if (!history_.is_ordered()) {
      gaps.emplace_back(
          "The calls have no order in time: that the plan holds for later ones is not checked.");
    } else if (!split_) {
      gaps.push_back("Only " + Counted(history_.calls(), "call") +
                     ": too few to hold some out and check the plan on them.");
    }
    if (IsWeaklyProven(report_.frontier[report_.chosen])) {
      gaps.emplace_back(
          "How good the plan is could not be proven closely: the least that any set of as many "
          "buckets must cost lies more than 5 % below what this one costs. A better set may exist; "
          "where it lies is not known.");
    }
    if (options_.noise.share > 0 && !options_.noise.is_reported) {
      gaps.push_back(
          "Some measured times fall where sizes grow: they are taken to be off by at least " +
          PercentText(options_.noise.share) +
          ", and ways that are closer than that for equal. Times of a quieter machine, or a column "
          "spread with their variation, would separate more of them.");
    }
    if (history_.rounded_to() > 1) {
      gaps.push_back("There are too many distinct sizes: they were rounded up to multiples of " +
                     std::to_string(history_.rounded_to()) + ".");
    }
  }

  const SizeHistory& history_;
  const PlanOptions& options_;
  std::vector<BucketLimits> limits_;
  ServingTerms terms_;
  SetPlanner planner_;
  SizeHistogram planned_;
  std::optional<TimeSplit> split_;
  std::vector<PlannedSet> sets_;
  std::vector<PlannedSet> early_sets_;
  BucketReport report_;
};

}  // namespace

Expected<BucketReport> PlanBuckets(const SizeHistory& history, const PlanOptions& options) {
  return Planner(history, options).Plan();
}

}  // namespace shapewise
