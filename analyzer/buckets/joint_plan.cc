#include "buckets/joint_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "buckets/call_table.h"
#include "buckets/joint_bound.h"
#include "buckets/joint_grid.h"
#include "buckets/layer_table.h"

namespace shapewise {
namespace {

std::vector<double> CostsAt(const SizeHistogram& calls, const CostModel& cost,
                            const std::vector<Sizes>& buckets) {
  std::vector<double> costs;
  for (const Sizes& bucket : buckets) costs.push_back(cost.Of(bucket, calls.dims, calls.rows));
  return costs;
}

/// Work for all counts together, in calls visited by sweeps of profits: about a second.
constexpr double kTotalWork = 4e8;

/// The same without a bound.
constexpr double kQuickWork = 3e7;

/// Sweeps per count, however many calls and counts there are.
constexpr double kLeastSweeps = 40;

/// Shares of the work for a count: one search by swaps, and all rounds of the bound.
constexpr double kSwapPart = 0.05;
constexpr double kRoundsPart = 0.7;
constexpr double kDisturbPart = 0.05;

/// Share of one search by swaps if no bound is computed.
constexpr double kQuickSwapPart = 0.4;

/// Steps of the bound between two evaluations of its fractional solution.
constexpr size_t kStepsARound = 50;
constexpr size_t kMaxRounds = 12;

/// Limit on steps of the innermost loops for one plan of nested sets: about a second.
constexpr double kNestedWork = 3e8;
constexpr double kQuickNestedWork = 2e7;

/// Larger nested sets are not planned: they would take too many graphs.
constexpr size_t kMostNested = 1024;

/// The bound has converged if a round raises it by less than this share.
constexpr double kSettled = 2e-5;

/// A plan within this share of its bound counts as optimal.
constexpr double kProven = 1e-9;

constexpr double kNoCost = std::numeric_limits<double>::infinity();

/// A slab: calls by place on the inner axis, all padded to the same outer place.
class Slab {
 public:
  /// `costs`, by inner place, must not fall. With `holds_last`, the last bucket is at the last
  /// place.
  void Reset(const std::vector<double>& weights, const std::vector<double>& costs,
             bool holds_last) {
    places_.assign(1, 0);
    sums_.assign(1, 0);
    costs_.assign(1, 0);
    for (size_t place = 0; place < weights.size(); ++place) {
      if (weights[place] <= 0 && !(holds_last && place + 1 == weights.size())) continue;
      places_.push_back(place);
      sums_.push_back(sums_.back() + weights[place]);
      costs_.push_back(costs[place]);
    }
  }

  /// The number of places with calls.
  size_t places() const { return places_.size() - 1; }

  /// The least cost of 1, 2 ... `max_count` buckets. `from` receives, for each of these numbers and
  /// each end, the number of places before the last bucket.
  std::vector<double> Plan(size_t max_count, std::vector<std::vector<uint32_t>>* from) {
    const size_t count = std::min(max_count, places());
    std::vector<double> least;
    before_.assign(places_.size(), kNoCost);
    before_[0] = 0;
    for (size_t buckets = 1; buckets <= count; ++buckets) {
      if (from != nullptr) from->emplace_back(places_.size(), 0);
      AddBucket(buckets, from);
      std::swap(before_, after_);
      least.push_back(before_.back());
    }
    return least;
  }

  /// Inner places of the best `count` buckets.
  std::vector<size_t> Places(size_t count) {
    std::vector<std::vector<uint32_t>> from;
    Plan(count, &from);
    std::vector<size_t> places;
    size_t end = this->places();
    for (size_t buckets = from.size(); buckets > 0; --buckets) {
      places.push_back(places_[end]);
      end = from[buckets - 1][end];
    }
    return places;
  }

 private:
  /// after_[t] = min over s < t of before_[s] + (sums_[t] - sums_[s]) * costs_[t].
  void AddBucket(size_t buckets, std::vector<std::vector<uint32_t>>* from) {
    after_.assign(places_.size(), kNoCost);
    LineQueue lines(places_.size());
    for (size_t t = buckets; t < places_.size(); ++t) {
      if (before_[t - 1] < kNoCost) {
        lines.Add(sums_[t - 1], before_[t - 1], static_cast<uint32_t>(t - 1));
      }
      const LineQueue::Answer least = lines.Least(sums_[t], costs_[t]);
      after_[t] = least.cost;
      if (from != nullptr) from->back()[t] = least.stop;
    }
  }

  // Index 0 is before the first place.
  std::vector<size_t> places_;
  std::vector<double> sums_;
  std::vector<double> costs_;
  std::vector<double> before_;
  std::vector<double> after_;
};

/// The last slab of the best plan for some number of buckets up to some outer place.
struct LastSlab {
  double cost = kNoCost;
  size_t begin = 0;  ///< it starts here
  size_t count = 0;  ///< buckets in it
};

class NestedPlanner {
 public:
  NestedPlanner(const JointGrid& grid, size_t outer)
      : grid_(grid),
        outer_(outer),
        inner_(3 - outer),
        outer_places_(grid.axes[outer].sizes.size()),
        inner_places_(grid.axes[3 - outer].sizes.size()),
        calls_(outer_places_) {
    for (const JointClient& client : grid.clients) calls_[client.cell[outer]].push_back(&client);
  }

  double Work(size_t max_count) const {
    const double slabs =
        0.5 * static_cast<double>(outer_places_) * static_cast<double>(outer_places_ + 1);
    const auto inside = static_cast<double>(std::min(max_count, inner_places_));
    return slabs * inside * static_cast<double>(inner_places_ + max_count);
  }

  std::vector<std::vector<size_t>> Plan(size_t max_count) {
    // best_[end][k]: k buckets for the outer places before `end`.
    best_.assign(outer_places_ + 1, std::vector<LastSlab>(max_count + 1));
    best_[0].assign(max_count + 1, {.cost = 0, .begin = 0, .count = 0});
    for (size_t end = 1; end <= outer_places_; ++end) {
      std::vector<double> weights(inner_places_, 0);
      for (size_t begin = end; begin-- > 0;) {
        for (const JointClient* client : calls_[begin]) {
          weights[client->cell[inner_]] += client->weight;
        }
        ResetSlab(end, weights);
        const std::vector<double> least = slab_.Plan(max_count, nullptr);
        for (size_t inside = 1; inside <= least.size(); ++inside) {
          for (size_t count = inside; count <= max_count; ++count) {
            const double cost = best_[begin][count - inside].cost + least[inside - 1];
            if (cost < best_[end][count].cost) best_[end][count] = {cost, begin, inside};
          }
        }
      }
    }
    std::vector<std::vector<size_t>> sets;
    for (size_t count = 1; count <= max_count; ++count) sets.push_back(CellsOf(count));
    return sets;
  }

 private:
  size_t CellAt(size_t outer_place, size_t inner_place) const {
    GridCell cell{};
    cell[outer_] = static_cast<uint32_t>(outer_place);
    cell[inner_] = static_cast<uint32_t>(inner_place);
    return grid_.Number(cell);
  }

  void ResetSlab(size_t end, const std::vector<double>& weights) {
    costs_.clear();
    for (size_t place = 0; place < inner_places_; ++place) {
      costs_.push_back(grid_.cost[CellAt(end - 1, place)]);
    }
    slab_.Reset(weights, costs_, grid_.must_hold_corner && end == outer_places_);
  }

  std::vector<size_t> CellsOf(size_t count) {
    std::vector<size_t> cells;
    for (size_t end = outer_places_; end > 0;) {
      const LastSlab& last = best_[end][count];
      std::vector<double> weights(inner_places_, 0);
      for (size_t place = last.begin; place < end; ++place) {
        for (const JointClient* client : calls_[place]) {
          weights[client->cell[inner_]] += client->weight;
        }
      }
      ResetSlab(end, weights);
      for (const size_t place : slab_.Places(last.count)) cells.push_back(CellAt(end - 1, place));
      end = last.begin;
      count -= last.count;
    }
    return cells;
  }

  const JointGrid& grid_;
  size_t outer_;
  size_t inner_;
  size_t outer_places_;
  size_t inner_places_;
  std::vector<std::vector<const JointClient*>> calls_;  ///< by outer place
  std::vector<std::vector<LastSlab>> best_;
  std::vector<double> costs_;
  Slab slab_;
};

/// Returns the best nested sets of 1, 2 ... `max_count` buckets, as cells, in a grid whose first
/// axis has one place. Places of axis `outer` (1 or 2) are divided into slabs. In a slab, all calls
/// are padded to its end, and along the other axis to the nearest of the slab's own buckets.
/// Outside of this model a call may use a bucket of another slab, so the real cost may be lower.
/// Empty if the search would take more than `most_work` steps of the innermost loops.
std::vector<std::vector<size_t>> NestedSets(const JointGrid& grid, size_t outer, size_t max_count,
                                            double most_work) {
  NestedPlanner planner(grid, outer);
  if (planner.Work(max_count) > most_work) return {};
  return planner.Plan(max_count);
}

/// The best set found, and a lower bound for sets of as many buckets; 0: not requested.
struct PlannedCells {
  CellSet set;
  double lower_bound = 0;
};

/// Makes plans for one count at a time, preferably ascending, because each set starts from the
/// previous one and never costs more.
class JointPlanner {
 public:
  /// `counts`: not empty, ascending; the work is divided among them. `grid` must outlive the
  /// planner.
  JointPlanner(const JointGrid& grid, const std::vector<size_t>& counts, JointEffort effort)
      : grid_(grid), search_(grid), bound_(grid), effort_(effort) {
    const size_t rows = grid.cells() / grid.columns();
    const auto sweep = static_cast<double>(grid.clients.size() * rows);
    const double total = effort == JointEffort::kQuick ? kQuickWork : kTotalWork;
    work_ = std::max(total / static_cast<double>(counts.size()), kLeastSweeps * sweep);
    const size_t largest = std::min({counts.back(), grid.cells(), kMostNested});
    if (grid.axes[0].sizes.size() > 1) return;
    for (const size_t outer : {size_t{1}, size_t{2}}) {
      const double most = effort == JointEffort::kQuick ? kQuickNestedWork : kNestedWork;
      nested_.push_back(NestedSets(grid, outer, largest, most));
    }
  }

  /// `count`: at least 1.
  PlannedCells Plan(size_t count) {
    if (set_.cells.size() > count) set_ = {};
    ImproveOn(set_, count);
    for (const std::vector<std::vector<size_t>>& sets : nested_) {
      if (sets.empty()) continue;
      ImproveOn(search_.Evaluate(sets[std::min(count, sets.size()) - 1]), count);
    }
    if (IsExact(count)) return {set_, set_.cost};
    if (effort_ == JointEffort::kQuick) return {set_, 0};
    const double lower_bound = Prove(count);
    if (set_.cost > lower_bound * (1 + kProven)) Disturb(count);
    return {set_, lower_bound};
  }

 private:
  /// On a line every set is nested, so the best nested one is optimal.
  bool IsExact(size_t count) const {
    if (!grid_.is_complete || grid_.axes[1].sizes.size() > 1) return false;
    return std::min(count, grid_.cells()) <= nested_[1].size();
  }

  /// Fills up `set` and improves it by swaps; kept if it is the best so far.
  void ImproveOn(CellSet set, size_t count) {
    search_.Add(set, count);
    const double part = effort_ == JointEffort::kQuick ? kQuickSwapPart : kSwapPart;
    search_.Swap(set, static_cast<uint64_t>(part * work_));
    if (set.cost < set_.cost) set_ = std::move(set);
  }

  /// Raises a lower bound in rounds; after each, tries the buckets that the fractional solution
  /// uses most.
  double Prove(size_t count) {
    bound_.Start(count, search_.Prices(set_), prices_);
    const auto most = static_cast<uint64_t>(kRoundsPart * work_);
    const uint64_t end = bound_.work() + search_.work() + most;
    for (size_t round = 0; round < kMaxRounds; ++round) {
      const double before = bound_.bound();
      bound_.Climb(set_.cost, kStepsARound, most);
      if (set_.cost <= bound_.bound() * (1 + kProven)) break;
      const double cost = set_.cost;
      ImproveOn(MostUsed(count), count);
      if (bound_.work() + search_.work() > end) break;
      if (bound_.bound() < before * (1 + kSettled) && set_.cost >= cost && round > 2) break;
    }
    prices_ = bound_.prices();
    return bound_.bound();
  }

  /// Removes two buckets at a time, near ones first, and continues the search from there.
  void Disturb(size_t count) {
    const uint64_t end = search_.work() + static_cast<uint64_t>(kDisturbPart * work_);
    for (size_t apart = 1; apart < set_.cells.size(); ++apart) {
      for (size_t i = 0; i + apart < set_.cells.size(); ++i) {
        if (search_.work() > end) return;
        std::vector<size_t> cells = set_.cells;
        cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(i + apart));
        cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(i));
        cells.push_back(grid_.corner());
        ImproveOn(search_.Evaluate(std::move(cells)), count);
      }
    }
  }

  /// The buckets that the fractional solution uses most. If a call fits none of them, the last one
  /// is replaced by the largest bucket.
  CellSet MostUsed(size_t count) {
    const std::vector<double>& shares = bound_.shares();
    std::vector<size_t> cells;
    for (size_t cell = 0; cell < shares.size(); ++cell) {
      if (shares[cell] > 0) cells.push_back(cell);
    }
    const size_t kept = std::min(cells.size(), count);
    std::ranges::partial_sort(
        cells, cells.begin() + static_cast<std::ptrdiff_t>(kept),
        [&](size_t a, size_t b) { return shares[a] != shares[b] ? shares[a] > shares[b] : a < b; });
    cells.resize(kept);
    CellSet set = search_.Evaluate(cells);
    if (!std::isinf(set.cost)) return set;
    if (kept == count) cells.pop_back();
    cells.push_back(grid_.corner());
    return search_.Evaluate(std::move(cells));
  }

  const JointGrid& grid_;
  JointSearch search_;
  JointBound bound_;
  JointEffort effort_;
  double work_ = 0;  ///< limit for one count, in units of ProfitSweep
  /// By order of the axes, then by count minus 1.
  std::vector<std::vector<std::vector<size_t>>> nested_;
  CellSet set_;                 ///< the best so far
  std::vector<double> prices_;  ///< final prices of the bound for the previous count
};

/// Drops buckets that serve no call, and lowers the others to the sizes of their calls if that
/// saves something; this uses sizes that were left out of the grid. `stays`: a bucket reserved for
/// future calls. `buckets` are ascending before and after.
void LowerAndDrop(const SizeHistogram& calls, const CostModel& cost,
                  const std::vector<AllowedSizes>& allowed, const std::optional<Sizes>& stays,
                  std::vector<Sizes>& buckets) {
  const std::vector<double> costs = CostsAt(calls, cost, buckets);
  std::vector<Sizes> lowered(buckets.size(), Sizes{0, 0, 0});
  for (const SizeCount& count : calls.counts) {
    Sizes& bucket = lowered[CheapestBucket(buckets, costs, count.sizes)];
    for (size_t dim = 0; dim < kMaxSizeDims; ++dim) {
      const int64_t size = count.sizes[dim];
      bucket[dim] = std::max(bucket[dim], dim < calls.dims ? allowed[dim].AtLeast(size) : 1);
    }
  }
  std::vector<Sizes> kept;
  for (size_t i = 0; i < buckets.size(); ++i) {
    if (buckets[i] == stays) {
      kept.push_back(buckets[i]);
    } else if (lowered[i][0] > 0) {
      const bool is_cheaper = cost.Of(lowered[i], calls.dims, calls.rows) < costs[i];
      kept.push_back(is_cheaper ? lowered[i] : buckets[i]);
    }
  }
  std::ranges::sort(kept);
  kept.erase(std::ranges::unique(kept).begin(), kept.end());
  buckets = std::move(kept);
}

/// The cost of the calls with one bucket for each.
double LeastCost(const SizeHistogram& calls, const CostModel& cost,
                 const std::vector<AllowedSizes>& allowed) {
  if (!cost.points().empty()) return 0;
  double total = 0;
  for (const SizeCount& count : calls.counts) {
    Sizes bucket{1, 1, 1};
    for (size_t dim = 0; dim < calls.dims; ++dim) {
      bucket[dim] = allowed[dim].AtLeast(count.sizes[dim]);
    }
    total += static_cast<double>(count.calls) * cost.Of(bucket, calls.dims, calls.rows);
  }
  return total * (1 - SumRounding(calls.counts.size()));
}

/// More buckets never need to cost more, so the bound for a larger number applies to smaller ones.
void RaiseBounds(std::vector<JointSet>& sets) {
  for (size_t i = sets.size(); i-- > 1;) {
    sets[i - 1].lower_bound = std::max(sets[i - 1].lower_bound, sets[i].lower_bound);
  }
}

}  // namespace

double CostWith(const SizeHistogram& calls, const CostModel& cost,
                const std::vector<Sizes>& buckets, uint64_t& unserved) {
  const std::vector<double> costs = CostsAt(calls, cost, buckets);
  unserved = 0;
  double total = 0;
  for (const SizeCount& count : calls.counts) {
    const size_t bucket = CheapestBucket(buckets, costs, count.sizes);
    if (bucket == buckets.size()) {
      unserved += count.calls;
    } else {
      total += static_cast<double>(count.calls) * costs[bucket];
    }
  }
  return total;
}

Expected<std::vector<JointSet>> PlanJointly(const JointProblem& problem,
                                            const std::vector<size_t>& counts, JointEffort effort) {
  const SizeHistogram calls = CallsWithin(problem);
  if (calls.counts.empty()) return MakeError("there is no call to plan buckets for");
  Expected<std::vector<AllowedSizes>> allowed = AllowedInDims(problem, calls);
  if (!allowed) return allowed.takeError();
  const bool must_hold_corner = std::ranges::any_of(
      problem.limits, [](const BucketLimits& limits) { return limits.max > 0; });
  const JointGrid grid = MakeJointGrid(calls, problem.cost, *allowed, must_hold_corner);
  std::vector<JointSet> sets;
  if (counts.empty()) return sets;
  const double least = LeastCost(calls, problem.cost, *allowed);
  std::optional<Sizes> stays;
  if (grid.must_hold_corner) stays = grid.BucketAt(grid.corner());
  JointPlanner planner(grid, counts, effort);
  for (const size_t count : counts) {
    const PlannedCells planned = planner.Plan(std::max<size_t>(count, 1));
    JointSet set{.buckets = {}, .lower_bound = planned.lower_bound, .is_coarse = !grid.is_complete};
    for (const size_t cell : planned.set.cells) set.buckets.push_back(grid.BucketAt(cell));
    std::ranges::sort(set.buckets);
    LowerAndDrop(calls, problem.cost, *allowed, stays, set.buckets);
    uint64_t unserved = 0;
    set.cost = CostWith(calls, problem.cost, set.buckets, unserved);
    // Sets of the coarse grid do not get worse, but lowering may make them so.
    if (!sets.empty() && sets.back().buckets.size() <= count && set.cost >= sets.back().cost) {
      set.buckets = sets.back().buckets;
      set.cost = sets.back().cost;
    }
    set.lower_bound = std::max(set.lower_bound, least);
    // The cost of padding is an integer, so round the bound up.
    if (problem.cost.IsPaddingOnly()) set.lower_bound = std::ceil(set.lower_bound);
    set.lower_bound = std::min(set.lower_bound, set.cost);
    sets.push_back(std::move(set));
  }
  RaiseBounds(sets);
  return sets;
}

}  // namespace shapewise
