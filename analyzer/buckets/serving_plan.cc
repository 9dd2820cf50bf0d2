// Tries all sets of shared graphs to decide which are worth their price; the rest is one pass.

#include "buckets/serving_plan.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "buckets/layer_table.h"

namespace shapewise {
namespace {

constexpr double kUnserved = std::numeric_limits<double>::infinity();

/// An origin encodes the mode in the upper bits and the start of the stretch in the lower ones.
constexpr uint32_t kFromBits = 29;

uint32_t OriginOf(size_t mode, size_t from) {
  return static_cast<uint32_t>((mode << kFromBits) | from);
}
size_t ModeOf(uint32_t origin) { return origin >> kFromBits; }
size_t FromOf(uint32_t origin) { return origin & ((uint32_t{1} << kFromBits) - 1); }

/// Bit i: mode number i.
using ModeSet = uint32_t;

/// Stops served by one mode.
struct ServedStretch {
  size_t mode = 0;  ///< its number
  size_t from = 0;  ///< number of stops before it
  size_t to = 0;    ///< number of stops including it
};

/// Which mode serves each stop, without the prices of shared graphs.
struct ServingSolution {
  std::vector<ServedStretch> stretches;  ///< ascending; neighbours with one shared graph are joined
  size_t graphs = 0;                     ///< number of stretches with a graph of their own
  double cost = 0;
  double prices = 0;
  double Total() const { return cost + prices; }
};

/// Solves one line for subsets of its modes.
class ServingSolver {
 public:
  /// Both must outlive it.
  ServingSolver(const SizeLine& line, const std::vector<ServingMode>& modes)
      : modes_(modes), line_(line), weight_to_{0} {
    for (const SizeStop& stop : line.stops) {
      weight_to_.push_back(weight_to_.back() + stop.weight);
    }
    double least_total = 0;
    for (size_t stop = 0; stop < line.stops.size(); ++stop) {
      double least = kUnserved;
      for (const ServingMode& mode : modes_) {
        least = std::min(least, mode.cost[stop]);
        if (mode.cost[stop] < kUnserved) most_cost_ = std::max(most_cost_, mode.cost[stop]);
      }
      if (least < kUnserved) least_total += line.stops[stop].weight * least;
    }
    for (const ServingMode& mode : modes_) {
      has_padded_ = has_padded_ || IsPaddedKind(mode.kind);
      most_price_ = std::max(most_price_, mode.price);
    }
    // Breaks ties between equal costs in favor of fewer graphs.
    trace_ = (kRounding * (least_total + most_price_)) + std::numeric_limits<double>::min();
  }

  /// Restricts the solver to these modes.
  void Use(ModeSet modes) {
    stretches_.clear();
    shared_cost_.assign(columns(), kUnserved);
    shared_mode_.assign(columns(), 0);
    for (size_t mode = 0; mode < modes_.size(); ++mode) {
      if ((modes >> mode) % 2 == 0) continue;
      if (!IsSharedKind(modes_[mode].kind)) {
        stretches_.push_back(MakeStretches(mode));
        continue;
      }
      for (size_t j = 1; j < columns(); ++j) {
        if (IsCut(j) || modes_[mode].cost[j - 1] >= shared_cost_[j]) continue;
        shared_cost_[j] = modes_[mode].cost[j - 1];
        shared_mode_[j] = static_cast<uint8_t>(mode);
      }
    }
  }

  /// The best solution if each graph costs `extra` more than its price. Empty: no mode in use
  /// serves some stop.
  std::optional<ServingSolution> Best(double extra) {
    Layer best(columns());
    std::vector<uint32_t> origin(columns());
    Pass(extra + trace_, best, best, origin.data());
    if (best.back() == kUnserved) return std::nullopt;
    ServingSolution solution;
    for (size_t to = line_.stops.size(); to > 0; to = FromOf(origin[to])) {
      Prepend({.mode = ModeOf(origin[to]), .from = FromOf(origin[to]), .to = to}, solution);
    }
    std::ranges::reverse(solution.stretches);
    return solution;
  }

  /// The best solution with at most `most` graphs, if any: one layer per graph.
  std::optional<ServingSolution> BestByLayers(size_t most) {
    const Layer none(columns(), kUnserved);
    Layer shared(columns());
    std::vector<uint32_t> unused(columns());
    Pass(trace_, none, shared, unused.data());
    double least = shared.back();
    size_t best = 0;
    most = std::min(most, line_.stops.size());
    const auto next = [this](const Layer& before, Layer& after, uint32_t* origin) {
      after[0] = kUnserved;
      Pass(trace_, before, after, origin);
    };
    LayerTable table(std::move(shared), most, next);
    while (table.count() < most) {
      const double cost = table.Add().back();
      if (cost >= least) continue;
      least = cost;
      best = table.count();
    }
    if (least == kUnserved) return std::nullopt;

    ServingSolution solution;
    size_t to = line_.stops.size();
    for (size_t layer = best; layer > 0;) {
      const uint32_t origin = table.Origins(layer - 1)[to];
      const ServedStretch stretch{.mode = ModeOf(origin), .from = FromOf(origin), .to = to};
      Prepend(stretch, solution);
      to = stretch.from;
      if (!IsSharedKind(modes_[stretch.mode].kind)) --layer;
    }
    for (; to > 0; --to) Prepend({.mode = shared_mode_[to], .from = to - 1, .to = to}, solution);
    std::ranges::reverse(solution.stretches);
    return solution;
  }

  /// A price at which every graph that can be left out is.
  double HighestPrice() const {
    return (weight_to_.back() * most_cost_) + (static_cast<double>(columns()) * most_price_) + 1;
  }

 private:
  size_t columns() const { return weight_to_.size(); }
  double Weight(size_t stops) const { return line_.stops[stops - 1].weight; }
  /// A mode in use with one graph for each of its stretches.
  struct Stretches {
    size_t mode;
    bool is_padded;
    bool is_monotone;
    std::vector<double> cost;  ///< element j: cost of a call at the last of the first j stops
    /// Total cost of their calls, each at its own size; for modes without padding.
    std::vector<double> summed;
    LineQueue queue;   ///< for padded modes
    double least = 0;  ///< without padding: cost before a stretch, minus `summed` there
    size_t least_from = 0;
    bool is_begun = false;
  };

  Stretches MakeStretches(size_t mode) const {
    const std::vector<double>& costs = modes_[mode].cost;
    Stretches stretches{.mode = mode,
                        .is_padded = IsPaddedKind(modes_[mode].kind),
                        .is_monotone = true,
                        .cost = {kUnserved},
                        .summed = {},
                        .queue = LineQueue(columns())};
    stretches.cost.insert(stretches.cost.end(), costs.begin(), costs.end());
    if (!stretches.is_padded) {
      double sum = 0;
      for (size_t j = 0; j < stretches.cost.size(); ++j) {
        if (j > 0 && stretches.cost[j] < kUnserved) sum += Weight(j) * stretches.cost[j];
        stretches.summed.push_back(sum);
      }
      return stretches;
    }
    double before = 0;
    for (size_t j = 1; j < stretches.cost.size(); ++j) {
      if (IsCut(j - 1)) before = 0;
      if (!MayEnd(j) || stretches.cost[j] == kUnserved) continue;
      stretches.is_monotone = stretches.is_monotone && stretches.cost[j] >= before;
      before = stretches.cost[j];
    }
    return stretches;
  }

  /// For the last of the first `stops` stops: whether a bucket must be there, or may be.
  bool IsCut(size_t stops) const {
    return has_padded_ && stops > 0 && line_.stops[stops - 1].must_end;
  }
  bool MayEnd(size_t stops) const { return line_.stops[stops - 1].may_end || IsCut(stops); }
  /// Fills best[1] and following, for stretches whose initial cost is given by `start` and best[0];
  /// `start` may be `best`.
  void Pass(double extra, const Layer& start, Layer& best, uint32_t* origin) {
    for (size_t j = 1; j < best.size(); ++j) {
      best[j] = kUnserved;
      if (shared_cost_[j] < kUnserved && best[j - 1] < kUnserved) {
        best[j] = best[j - 1] + (Weight(j) * shared_cost_[j]);
        origin[j] = OriginOf(shared_mode_[j], j - 1);
      }
      for (Stretches& stretches : stretches_) {
        Begin(stretches, start, j - 1);
        const std::optional<LineQueue::Answer> answer = End(stretches, j);
        if (!answer) continue;
        const double cost = answer->cost + modes_[stretches.mode].price + extra;
        if (cost >= best[j]) continue;
        best[j] = cost;
        origin[j] = OriginOf(stretches.mode, answer->stop);
      }
    }
  }

  void Begin(Stretches& stretches, const Layer& start, size_t from) const {
    if (from == 0 || IsCut(from)) {
      stretches.queue.Clear();
      stretches.is_begun = false;
    }
    if (start[from] == kUnserved) return;
    if (stretches.is_padded) {
      stretches.queue.Add(weight_to_[from], start[from], static_cast<uint32_t>(from));
      return;
    }
    const double least = start[from] - stretches.summed[from];
    if (stretches.is_begun && least >= stretches.least) return;
    stretches.is_begun = true;
    stretches.least = least;
    stretches.least_from = from;
  }

  /// The least cost before and of a stretch up to `to`, without its price.
  std::optional<LineQueue::Answer> End(Stretches& stretches, size_t to) const {
    const double cost = stretches.cost[to];
    if (!stretches.is_padded) {
      if (cost == kUnserved) stretches.is_begun = false;
      if (!stretches.is_begun || IsCut(to)) return std::nullopt;
      return LineQueue::Answer{.cost = stretches.least + stretches.summed[to],
                               .stop = static_cast<uint32_t>(stretches.least_from)};
    }
    if (cost == kUnserved || !MayEnd(to)) return std::nullopt;
    if (stretches.queue.IsEmpty()) return std::nullopt;
    return stretches.is_monotone ? stretches.queue.Least(weight_to_[to], cost)
                                 : stretches.queue.Find(weight_to_[to], cost);
  }

  void Prepend(ServedStretch stretch, ServingSolution& solution) const {
    const ServingMode& mode = modes_[stretch.mode];
    for (size_t j = stretch.from + 1; j <= stretch.to; ++j) {
      const size_t at = IsPaddedKind(mode.kind) ? stretch.to : j;
      solution.cost += Weight(j) * mode.cost[at - 1];
    }
    if (!IsSharedKind(mode.kind)) {
      solution.prices += mode.price;
      ++solution.graphs;
    } else if (!solution.stretches.empty() && solution.stretches.back().mode == stretch.mode) {
      solution.stretches.back().from = stretch.from;
      return;
    }
    solution.stretches.push_back(stretch);
  }

  const std::vector<ServingMode>& modes_;
  const SizeLine& line_;
  std::vector<double> weight_to_;  ///< sum over the first j stops
  double trace_ = 0;
  double most_price_ = 0;
  double most_cost_ = 0;
  bool has_padded_ = false;  ///< stops with must_end matter
  std::vector<Stretches> stretches_;
  Layer shared_cost_;  ///< cost of a call at the last of the first j stops, with the best shared
                       ///< graph
  std::vector<uint8_t> shared_mode_;
};

/// The fixed cost of a set of modes: its shared graphs, and the graph that captures belong to.
double SharedPrice(const std::vector<ServingMode>& modes, ModeSet set) {
  double price = 0;
  double base = 0;
  bool has_dynamic = false;
  for (size_t i = 0; i < modes.size(); ++i) {
    if ((set >> i) % 2 == 0) continue;
    if (IsSharedKind(modes[i].kind)) price += modes[i].price;
    if (modes[i].kind == ServingKind::kCaptured) base = modes[i].base_price;
    has_dynamic = has_dynamic || modes[i].kind == ServingKind::kDynamic;
  }
  return has_dynamic ? price : price + base;
}

/// The graphs that a set of modes shares, with the one that captures belong to.
size_t SharedGraphs(const std::vector<ServingMode>& modes, ModeSet set) {
  size_t graphs = 0;
  bool has_dynamic = false;
  bool has_captured = false;
  for (size_t i = 0; i < modes.size(); ++i) {
    if ((set >> i) % 2 == 0) continue;
    const ServingKind kind = modes[i].kind;
    if (IsSharedKind(kind) && kind != ServingKind::kEager) ++graphs;
    has_dynamic |= kind == ServingKind::kDynamic;
    has_captured |= kind == ServingKind::kCaptured;
  }
  return graphs + (has_captured && !has_dynamic ? 1 : 0);
}

/// The best solution with at most `most` graphs if `best` has more: raises prices until it has
/// exactly that many, which is then optimal; if prices skip that number, solves layer by layer.
std::optional<ServingSolution> BestOfAtMost(ServingSolver& solver, ServingSolution best,
                                            size_t most) {
  std::optional<ServingSolution> fewer = solver.Best(solver.HighestPrice());
  if (!fewer || fewer->graphs > most) return std::nullopt;
  while (fewer->graphs < most) {
    const double price =
        (fewer->Total() - best.Total()) / static_cast<double>(best.graphs - fewer->graphs);
    std::optional<ServingSolution> between = solver.Best(price);
    if (between->graphs == most) return between;
    if (between->graphs <= fewer->graphs || between->graphs >= best.graphs) break;
    (between->graphs < most ? *fewer : best) = std::move(*between);
  }
  return solver.BestByLayers(most);
}

ServingPlan PlanOf(const std::vector<ServingMode>& modes, const ServingSolution& solution,
                   double shared_price) {
  ServingPlan plan;
  plan.cost = solution.cost;
  plan.prices = solution.prices + shared_price;
  for (const ServedStretch& stretch : solution.stretches) {
    plan.ranges.push_back(
        {.kind = modes[stretch.mode].kind, .first = stretch.from, .last = stretch.to - 1});
  }
  return plan;
}

}  // namespace

bool IsSharedKind(ServingKind kind) {
  return kind == ServingKind::kDynamic || kind == ServingKind::kAlignedDynamic ||
         kind == ServingKind::kEager;
}

ServingPlan BestServingPlan(const SizeLine& line, const std::vector<ServingMode>& modes,
                            std::optional<size_t> max_graphs, std::optional<size_t> max_total) {
  ModeSet chosen = 0;  // modes that must be compiled before a call can use them
  for (size_t i = 0; i < modes.size(); ++i) {
    if (IsSharedKind(modes[i].kind) || modes[i].kind == ServingKind::kCaptured) {
      chosen |= ModeSet{1} << i;
    }
  }
  const ModeSet all = (ModeSet{1} << modes.size()) - 1;
  std::vector<ModeSet> sets;
  for (ModeSet set = 0; set <= all; ++set) {
    if ((set | chosen) == all) sets.push_back(set);
  }
  // Fewest first, so that ties go to fewer shared graphs.
  std::ranges::stable_sort(sets, {}, [](ModeSet set) { return std::popcount(set); });

  ServingSolver solver(line, modes);
  ServingPlan best;
  best.cost = std::numeric_limits<double>::infinity();
  for (const ModeSet set : sets) {
    std::optional<size_t> most = max_graphs;
    if (max_total) {
      const size_t shared = SharedGraphs(modes, set);
      if (shared > *max_total) continue;
      most = std::min(most.value_or(*max_total), *max_total - shared);
    }
    solver.Use(set);
    const double shared_price = SharedPrice(modes, set);
    const auto is_better = [&](const ServingSolution& solution) {
      return solution.Total() + shared_price < best.Total() * (1 - kRounding);
    };
    std::optional<ServingSolution> solution = solver.Best(0);
    if (solution && is_better(*solution) && most && solution->graphs > *most) {
      solution = BestOfAtMost(solver, std::move(*solution), *most);
    }
    if (solution && is_better(*solution)) best = PlanOf(modes, *solution, shared_price);
  }
  return best;
}

}  // namespace shapewise
