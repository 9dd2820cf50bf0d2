#include "buckets/serving_solver.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "buckets/stop_arrays.h"

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

}  // namespace

bool IsSharedKind(ServingKind kind) {
  return kind == ServingKind::kDynamic || kind == ServingKind::kAlignedDynamic ||
         kind == ServingKind::kEager;
}

bool IsPaddedKind(ServingKind kind) {
  return kind == ServingKind::kBucket || kind == ServingKind::kCaptured;
}

ServingSolver::ServingSolver(const SizeLine& line, const std::vector<ServingMode>& modes)
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

double ServingSolver::HighestPrice() const {
  return (weight_to_.back() * most_cost_) + (static_cast<double>(columns()) * most_price_) + 1;
}

ServingSolver::Stretches ServingSolver::MakeStretches(size_t mode) const {
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

void ServingSolver::Use(ModeSet modes) {
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

void ServingSolver::Begin(Stretches& stretches, const Layer& start, size_t from) const {
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

std::optional<LineQueue::Answer> ServingSolver::End(Stretches& stretches, size_t to) const {
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

void ServingSolver::Pass(double extra, const Layer& start, Layer& best, uint32_t* origin) {
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

void ServingSolver::Prepend(ServedStretch stretch, ServingSolution& solution) const {
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

std::optional<ServingSolution> ServingSolver::Best(double extra) {
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

std::optional<ServingSolution> ServingSolver::BestByLayers(size_t most) {
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

}  // namespace shapewise
