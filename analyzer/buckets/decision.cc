#include "buckets/decision.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <tuple>
#include <utility>

#include "buckets/frontier.h"
#include "llvm/ADT/STLExtras.h"
#include "result/number_text.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

/// torch._dynamo.config.recompile_limit: this many graphs need no setting.
constexpr size_t kDefaultLimit = 8;
/// Plans within this relative cost are equally good; then fewer graphs are better.
constexpr double kTie = 0.01;
/// The maximum number of points planned individually.
constexpr size_t kMostPoints = 128;
/// Joint plans are searched, not solved: by default, no more buckets are tried.
constexpr size_t kMostJointBuckets = 64;

/// The fastest compiled way: among the allowed points of the frontier, the ways without buckets,
/// and the mix. Costs must be in seconds.
ServingWay FastestWay(const std::vector<BucketPoint>& frontier, const DecisionInput& input,
                      size_t dims) {
  const std::optional<size_t> cap = BucketCap(input.options, input.terms);
  const BucketPoint* point = &frontier.front();
  for (const BucketPoint& other : frontier) {
    const bool is_allowed = !cap || other.boundaries.size() <= *cap;
    if (is_allowed && *other.expected_seconds < *point->expected_seconds) point = &other;
  }
  ServingWay fastest =
      BucketWay(point->boundaries, input.table.Score(point->boundaries), dims, input.terms);
  const auto consider = [&](const ServingWay& way) {
    if (way.Seconds(input.steps) < fastest.Seconds(input.steps)) fastest = way;
  };
  for (const ServingWay& way : input.ways) {
    if (way.kind != ServingKind::kEager) consider(way);
  }
  if (input.mix) consider(input.mix->way);
  return fastest;
}

/// The number of points of the frontier that limits allow. Points with more graphs than the default
/// recompile_limit are shown, but not chosen without costs in seconds or an option that allows
/// them.
size_t AllowedPoints(const std::vector<BucketPoint>& frontier, const DecisionInput& input) {
  std::optional<size_t> cap = BucketCap(input.options, input.terms);
  const bool is_by_seconds = frontier.front().expected_seconds.has_value();
  const bool is_asked_for = input.options.buckets || input.options.max_buckets;
  if (!is_by_seconds && !is_asked_for) cap = std::min(cap.value_or(kDefaultLimit), kDefaultLimit);
  size_t allowed = frontier.size();
  while (cap && allowed > 1 && frontier[allowed - 1].boundaries.size() > *cap) --allowed;
  return allowed;
}

/// With equal numbers of graphs, simpler ways come first.
int ComplexityOf(const ServingWay& way) {
  if (way.kind == ServingKind::kDynamic) return 0;
  return way.kind == ServingKind::kAlignedDynamic ? 1 : 2;
}

/// Makes the decision for one report.
class Decider {
 public:
  Decider(const DecisionInput& input, BucketReport& report)
      : in_(input), report_(report), steps_(input.steps) {}

  void Decide() {
    const SetScore score = in_.table.Score(report_.boundaries);
    plan_ = BucketWay(report_.boundaries, score, report_.dims, in_.terms);
    report_.dynamic_slowdown = DynamicWay().overhead;
    ReportBreakEvenSlowdown();
    ChooseMode();
    AddOutcomes();
    if (in_.terms.IsInSeconds()) ReportBreakEven();
    if (report_.mode == BucketMode::kMixed) report_.boundaries = BucketsOf(report_.served);
    report_.warm_up = report_.boundaries;
    // Largest first, so that the others can reuse its memory.
    std::ranges::stable_sort(report_.warm_up, std::greater(), VolumeOf);
    const size_t graphs =
        report_.mode == BucketMode::kMixed ? in_.mix->way.compiles : report_.boundaries.size();
    report_.recompile_limit = std::max(kDefaultLimit, graphs);
  }

 private:
  /// This mode always has a known cost, possibly assumed.
  const ServingWay& DynamicWay() const {
    return *llvm::find_if(in_.ways,
                          [](const ServingWay& way) { return way.kind == ServingKind::kDynamic; });
  }

  void ReportBreakEvenSlowdown() {
    double slowdown = plan_.overhead;
    const double ideal =
        in_.table.Ideal() / static_cast<double>(std::max<uint64_t>(1, in_.table.calls().calls));
    if (in_.terms.IsInSeconds() && ideal > 0 && steps_ > 0) {
      slowdown = ((plan_.Seconds(steps_) - in_.terms.DynamicPrice()) / (ideal * steps_)) - 1;
    }
    report_.break_even_slowdown = std::max(0.0, slowdown);
  }

  void ChooseMode() {
    report_.mode = plan_.mode;
    if (in_.terms.IsInSeconds()) {
      ChooseBySeconds();
    } else {
      ChooseByOverhead();
    }
    if (report_.is_censored) report_.why += "; how often each size occurs is not known";
  }

  void ChooseBySeconds() {
    const ServingWay fastest = FastestWay(report_.frontier, in_, report_.dims);
    const ServingWay* best = SimplestAsFastAs(fastest);
    report_.mode = best->mode;
    report_.way = best->kind;
    if (best->mode == BucketMode::kMixed) report_.served = in_.mix->served;
    report_.why = Counted(report_.steps, "call") + " take " + SecondsOf(*best);
    const bool is_asked_for = in_.options.buckets.has_value();
    if (is_asked_for) report_.why += " (so many buckets were asked for)";
    const bool is_by_noise =
        !is_asked_for && best->Seconds(steps_) > fastest.SecondsWithin(steps_, 0);
    if (is_by_noise) {
      report_.why += ", as fast within what was measured (\u00b1" +
                     PercentText(in_.options.noise.share) + ") as " + SecondsOf(fastest);
    }
    const auto add = [&](const ServingWay& way) {
      const bool is_reported = &way == best || (is_by_noise && way.name == fastest.name);
      if (!is_reported) report_.why += ", " + SecondsOf(way);
    };
    add(plan_);
    for (const ServingWay& way : in_.ways) add(way);
    report_.why += MemoryText(best->compiles);
  }

  /// The way with the fewest graphs among the compiled ways that are as fast as the fastest within
  /// the measurement error: costs are not known well enough to justify another graph. Ways with
  /// assumed costs must be within a tie, because nothing was measured. A mix needs two compiled
  /// functions, so it is chosen only if no other way is as fast.
  const ServingWay* SimplestAsFastAs(const ServingWay& fastest) const {
    if (in_.options.buckets) return &plan_;
    const double measured = fastest.SecondsWithin(steps_, in_.options.noise.share);
    const double assumed = fastest.SecondsWithin(steps_, 0);
    const auto order_of = [&](const ServingWay& way) {
      return std::tuple(way.compiles, ComplexityOf(way), way.Seconds(steps_));
    };
    const ServingWay* best = nullptr;
    const auto consider = [&](const ServingWay& way) {
      if (way.Seconds(steps_) > (way.is_assumed ? assumed : measured)) return;
      if (best == nullptr || order_of(way) < order_of(*best)) best = &way;
    };
    consider(plan_);
    for (const ServingWay& way : in_.ways) {
      if (way.kind != ServingKind::kEager) consider(way);
    }
    if (best != nullptr) return best;
    // Only a mix can be that much faster; the plan of buckets is the fastest of its kind then.
    return in_.mix ? &in_.mix->way : &plan_;
  }

  std::string SecondsOf(const ServingWay& way) const {
    const double seconds = way.Seconds(steps_);
    constexpr double kTwoHours = 7200;
    return (seconds < kTwoHours ? SecondsText(seconds) : DurationText(seconds)) + " with " +
           way.name + (way.is_assumed ? " if it is as slow as assumed" : "");
  }

  void ChooseByOverhead() {
    const ServingWay& dynamic = DynamicWay();
    const std::string cost = (plan_.buckets == 1 ? " costs " : " cost ") +
                             (plan_.overhead > 0 ? PercentText(plan_.overhead) + " more than"
                                                 : std::string("as much as")) +
                             " no padding";
    if (!dynamic.is_assumed && !in_.options.buckets && dynamic.overhead < plan_.overhead) {
      report_.mode = BucketMode::kDynamic;
      report_.way = dynamic.kind;
      report_.why =
          "one dynamic graph is " + PercentText(dynamic.overhead) + " slower, " + plan_.name + cost;
      return;
    }
    if (report_.is_censored) {
      report_.why = "every size that missed fits " + plan_.name;
      return;
    }
    report_.why = plan_.name + cost;
    const std::vector<BucketPoint>& frontier = report_.frontier;
    const size_t allowed = AllowedPoints(frontier, in_);
    const size_t most = frontier[allowed - 1].boundaries.size();
    if (plan_.buckets < most) report_.why += ", within 1 % of " + std::to_string(most) + " buckets";
    report_.why += MemoryText(most);
    const bool is_unlimited = !BucketCap(in_.options, in_.terms);
    const bool is_more_better = frontier.back().cost_overhead < plan_.overhead ||
                                (in_.line == nullptr && plan_.overhead > 0);
    if (is_unlimited && plan_.buckets == kDefaultLimit && is_more_better) {
      report_.why += "; --max-buckets allows more";
    }
    if (!dynamic.is_assumed) {
      report_.why += "; one dynamic graph is " + PercentText(dynamic.overhead) + " slower";
    } else if (plan_.overhead > 0) {
      report_.why += "; one dynamic graph is better if it is slower by less than that";
    }
  }

  /// "; memory allows 3 graphs", if it allows no more than `graphs`.
  std::string MemoryText(size_t graphs) const {
    const std::optional<size_t> memory = in_.terms.GraphsInMemory();
    return memory && *memory <= graphs ? "; memory allows " + Counted(*memory, "graph") : "";
  }

  void AddOutcomes() {
    std::vector<ServingWay> all = in_.ways;
    all.push_back(plan_);
    if (plan_.buckets > 1 && !report_.boundaries.empty()) {
      const std::vector<Sizes> one = {Largest()};
      all.push_back(BucketWay(one, in_.table.Score(one), report_.dims, in_.terms));
    }
    if (in_.mix) all.push_back(in_.mix->way);
    const bool in_seconds = in_.terms.IsInSeconds();
    std::ranges::stable_sort(all, [&](const ServingWay& a, const ServingWay& b) {
      return in_seconds ? a.Seconds(steps_) < b.Seconds(steps_) : a.overhead < b.overhead;
    });
    for (const ServingWay& way : all) {
      ModeOutcome outcome;
      outcome.name = way.name;
      outcome.mode = way.mode;
      outcome.compiles = way.compiles;
      outcome.cost_overhead = way.overhead;
      if (in_seconds) outcome.seconds = way.Seconds(steps_);
      outcome.is_assumed = way.is_assumed;
      report_.outcomes.push_back(std::move(outcome));
    }
  }

  /// Sizes that contain all boundaries.
  Sizes Largest() const {
    Sizes largest = {1, 1, 1};
    for (const Sizes& sizes : report_.boundaries) {
      for (size_t dim = 0; dim < sizes.size(); ++dim) {
        largest[dim] = std::max(largest[dim], sizes[dim]);
      }
    }
    return largest;
  }

  void ReportBreakEven() {
    std::vector<ServingWay> ways = in_.ways;
    const std::optional<size_t> cap = BucketCap(in_.options, in_.terms);
    const auto add = [&](const std::vector<Sizes>& buckets) {
      if (buckets.empty() || (cap && buckets.size() > *cap)) return;
      ways.push_back(BucketWay(buckets, in_.table.Score(buckets), report_.dims, in_.terms));
    };
    for (const BucketPoint& point : report_.frontier) add(point.boundaries);
    if (in_.line != nullptr) {
      for (const PriceRange& range : PriceFrontier(*in_.line, kMostPoints)) {
        if (range.set.sizes.size() > report_.frontier.size()) add(AsSizes(range.set.sizes));
      }
    }
    report_.break_even = BreakEvens(ways);
  }

  const DecisionInput& in_;
  BucketReport& report_;
  double steps_;
  ServingWay plan_;
};

}  // namespace

std::optional<size_t> BucketCap(const PlanOptions& options, const ServingTerms& terms) {
  std::optional<size_t> cap = terms.GraphsInMemory();
  for (const std::optional<size_t>& asked : {options.buckets, options.max_buckets}) {
    if (asked) cap = std::min(cap.value_or(*asked), *asked);
  }
  return cap;
}

size_t BucketsWorthPlanning(const PlanOptions& options, const ServingTerms& terms,
                            const SizeLine* line, double planned_calls, double steps) {
  const std::optional<size_t> cap = BucketCap(options, terms);
  if (options.buckets) return *cap;
  if (!terms.IsInSeconds()) return cap.value_or(kDefaultLimit);
  if (line == nullptr) return std::min(cap.value_or(kMostJointBuckets), kMostJointBuckets);
  // Price of a graph in seconds for a run like this one.
  const double price = steps > 0 ? terms.BucketPrice() * planned_calls / steps
                                 : std::numeric_limits<double>::infinity();
  const size_t best = BestAtPrice(*line, price).sizes.size();
  const size_t around = std::max<size_t>(best + (best / 4) + 1, kDefaultLimit);
  return std::min({cap.value_or(around), around, std::max(best, kMostPoints)});
}

DecisionInput::DecisionInput(const PlanOptions& plan_options, const ServingTerms& serving_terms,
                             const CallTable& call_table, const SizeLine* size_line,
                             double calls_to_come)
    : options(plan_options),
      terms(serving_terms),
      table(call_table),
      line(size_line),
      steps(calls_to_come),
      ways(PlainWays(
          table, terms,
          options.limits.empty() ? BucketLimits().alignment : options.limits.front().alignment)) {
  if (!terms.IsInSeconds() || line == nullptr || table.calls().calls == 0) return;
  mix = BestMix(table, *line, terms, steps, BucketCap(options, terms));
  if (!IsRealMix(*mix)) mix.reset();
}

size_t ChoosePoint(const std::vector<BucketPoint>& frontier, const DecisionInput& input) {
  const PlanOptions& options = input.options;
  const size_t allowed = AllowedPoints(frontier, input);
  if (options.buckets) return allowed - 1;
  if (frontier.front().expected_seconds) {
    size_t best = 0;
    for (size_t i = 1; i < allowed; ++i) {
      if (*frontier[i].expected_seconds < *frontier[best].expected_seconds) best = i;
    }
    if (options.noise.share <= 0) return best;
    // Measured costs have one dim.
    const double limit =
        FastestWay(frontier, input, /*dims=*/1).SecondsWithin(input.steps, options.noise.share);
    for (size_t i = 0; i < best; ++i) {
      if (*frontier[i].expected_seconds <= limit) return i;
    }
    return best;
  }
  const double good_enough = (1 + kTie) * (1 + frontier[allowed - 1].cost_overhead);
  for (size_t i = 0; i < allowed; ++i) {
    if (1 + frontier[i].cost_overhead <= good_enough) return i;
  }
  return allowed - 1;
}

void Decide(const DecisionInput& input, BucketReport& report) { Decider(input, report).Decide(); }

}  // namespace shapewise
