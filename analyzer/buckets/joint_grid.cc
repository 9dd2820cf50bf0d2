#include "buckets/joint_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace shapewise {
namespace {

/// Maximum number of calls, row by row, in one sweep of profits: some milliseconds. Beyond this,
/// sizes are left out.
constexpr double kMaxLooks = 4e6;

/// The places of calls in `dim`, ascending.
std::vector<int64_t> PlacesOf(const SizeHistogram& calls, const AllowedSizes& allowed, size_t dim) {
  std::vector<int64_t> sizes;
  for (const SizeCount& count : calls.counts) sizes.push_back(count.sizes[dim]);
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  for (int64_t& size : sizes) size = allowed.AtLeast(size);
  if (sizes.back() < allowed.top()) sizes.push_back(allowed.top());
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  return sizes;
}

/// The cheapest size from each place on; ties go to the smallest. Only a measured curve falls: it
/// depends on the last dim and is linear between its points, so the cheapest size is a place or
/// next to a point.
std::vector<int64_t> CheapestSizes(const std::vector<int64_t>& places, const CostModel& cost,
                                   const AllowedSizes& allowed) {
  std::vector<int64_t> sizes = places;
  for (const CostPoint& point : cost.points()) {
    if (point.size > allowed.top()) break;
    if (const std::optional<int64_t> below = allowed.AtMost(point.size)) sizes.push_back(*below);
    sizes.push_back(allowed.AtLeast(point.size));
  }
  std::ranges::sort(sizes);
  std::vector<int64_t> cheapest(places.size());
  double least = std::numeric_limits<double>::infinity();
  int64_t best = places.back();
  size_t next = sizes.size();
  for (size_t place = places.size(); place-- > 0;) {
    while (next > 0 && sizes[next - 1] >= places[place]) {
      const int64_t size = sizes[--next];
      const double of_size = cost.Of(1, size);
      if (size > allowed.top() || of_size > least) continue;
      least = of_size;
      best = size;
    }
    cheapest[place] = best;
  }
  return cheapest;
}

/// Keeps `count` places of an axis: half evenly by calls, half by the logarithm of the size, so
/// that neither frequent nor large calls are rounded far.
void LeaveOut(GridAxis& axis, const std::vector<double>& weights, size_t count) {
  const size_t places = axis.sizes.size();
  if (places <= count) return;
  double total = 0;
  for (const double weight : weights) total += weight;
  const double low = std::log1p(static_cast<double>(axis.sizes.front()));
  const double high = std::log1p(static_cast<double>(axis.sizes.back()));
  GridAxis kept{.dim = axis.dim, .sizes = {}, .buckets = {}, .least = {}};
  double sum = 0;
  double taken = 0;
  size_t first = 0;
  for (size_t place = 0; place < places; ++place) {
    sum += weights[place];
    const double level =
        (0.5 * sum / total) +
        (0.5 * (std::log1p(static_cast<double>(axis.sizes[place])) - low) / (high - low));
    if (place + 1 < places && level * static_cast<double>(count) < taken + 1) continue;
    if (place + 1 < places && kept.sizes.size() + 1 == count) continue;
    kept.sizes.push_back(axis.sizes[place]);
    kept.buckets.push_back(axis.buckets[place]);
    kept.least.push_back(axis.least[first]);
    taken = std::max(taken + 1, std::floor(level * static_cast<double>(count)));
    first = place + 1;
  }
  axis = std::move(kept);
}

/// The maximum number of places per axis so that a sweep visits at most `max_looks` calls: the
/// smaller of `distinct` calls and cells, in each row.
size_t PlacesThatFit(const std::array<GridAxis, kMaxSizeDims>& axes, size_t distinct,
                     double max_looks) {
  size_t fits = 1;
  for (size_t places = 2;; ++places) {
    double rows = 1;
    double columns = 1;
    bool is_whole = true;
    for (const GridAxis& axis : axes) {
      rows *= columns;
      columns = static_cast<double>(std::min(axis.sizes.size(), places));
      is_whole = is_whole && axis.sizes.size() <= places;
    }
    const double calls = std::min(static_cast<double>(distinct), rows * columns);
    if (rows * std::max(calls, columns) > max_looks) return fits;
    fits = places;
    if (is_whole) return fits;
  }
}

uint32_t PlaceOf(const GridAxis& axis, int64_t size) {
  const auto place = std::ranges::lower_bound(axis.sizes, size);
  return static_cast<uint32_t>(place - axis.sizes.begin());
}

/// The calls at each place of an axis.
std::vector<double> CallsAlong(const GridAxis& axis, const SizeHistogram& calls) {
  std::vector<double> weights(axis.sizes.size(), 0);
  for (const SizeCount& count : calls.counts) {
    weights[PlaceOf(axis, count.sizes[axis.dim])] += static_cast<double>(count.calls);
  }
  return weights;
}

void AddClients(const SizeHistogram& calls, JointGrid& grid) {
  std::vector<double> weights(grid.cells(), 0);
  for (const SizeCount& count : calls.counts) {
    GridCell cell{};
    for (size_t axis = 0; axis < kMaxSizeDims; ++axis) {
      const size_t dim = grid.axes[axis].dim;
      if (dim < calls.dims) cell[axis] = PlaceOf(grid.axes[axis], count.sizes[dim]);
    }
    weights[grid.Number(cell)] += static_cast<double>(count.calls);
  }
  for (size_t number = 0; number < weights.size(); ++number) {
    if (weights[number] <= 0) continue;
    grid.clients.push_back(
        {.cell = grid.CellOf(number), .number = number, .weight = weights[number]});
  }
}

void FillCosts(const SizeHistogram& calls, const CostModel& model, JointGrid& grid) {
  for (uint32_t a = 0; a < grid.axes[0].sizes.size(); ++a) {
    for (uint32_t b = 0; b < grid.axes[1].sizes.size(); ++b) {
      for (uint32_t c = 0; c < grid.columns(); ++c) {
        const GridCell cell{a, b, c};
        Sizes bucket{1, 1, 1};
        Sizes least{1, 1, 1};
        for (size_t axis = 0; axis < kMaxSizeDims; ++axis) {
          bucket[grid.axes[axis].dim] = grid.axes[axis].buckets[cell[axis]];
          least[grid.axes[axis].dim] = grid.axes[axis].least[cell[axis]];
        }
        grid.cost.push_back(model.Of(bucket, calls.dims, calls.rows));
        grid.least_cost.push_back(model.Of(least, calls.dims, calls.rows));
      }
    }
  }
}

/// Finds useful cells. A bucket can be lowered along an axis unless a call that fits it is exactly
/// at its place there; a bucket that can be lowered need not be considered.
void FindUseful(JointGrid& grid) {
  grid.is_useful.assign(grid.cells(), 1);
  for (size_t axis = 0; axis < kMaxSizeDims; ++axis) {
    std::vector<uint8_t> has_call(grid.cells(), 0);
    for (const JointClient& client : grid.clients) has_call[client.number] = 1;
    for (size_t number = 0; number < grid.cells(); ++number) {
      const GridCell cell = grid.CellOf(number);
      for (size_t other = 0; other < kMaxSizeDims; ++other) {
        if (other == axis || cell[other] == 0) continue;
        GridCell before = cell;
        --before[other];
        has_call[number] |= has_call[grid.Number(before)];
      }
      grid.is_useful[number] &= has_call[number];
    }
  }
}

/// Smaller relative gains are rounding errors.
constexpr double kLeastGain = 1e-12;

/// The same for a first check: sums with calls that fit no bucket are less exact.
constexpr double kExpectedGain = 1e-9;

/// Penalty relative to the cost of the largest bucket: large enough that fitting a call outweighs
/// all savings, small enough that savings are not lost to rounding.
constexpr double kNotHeld = 1e5;

}  // namespace

GridCell JointGrid::CellOf(size_t number) const {
  const size_t row = number / columns();
  const size_t middle = axes[1].sizes.size();
  return {static_cast<uint32_t>(row / middle), static_cast<uint32_t>(row % middle),
          static_cast<uint32_t>(number % columns())};
}

Sizes JointGrid::BucketAt(size_t number) const {
  const GridCell cell = CellOf(number);
  Sizes sizes{1, 1, 1};
  for (size_t axis = 0; axis < kMaxSizeDims; ++axis) {
    sizes[axes[axis].dim] = axes[axis].buckets[cell[axis]];
  }
  return sizes;
}

SizeHistogram CallsWithin(const JointProblem& problem) {
  const SizeHistogram& calls = problem.calls;
  SizeHistogram within;
  within.dims = calls.dims;
  within.rows = calls.rows;
  for (const SizeCount& count : calls.counts) {
    bool is_within = count.calls > 0;
    for (size_t dim = 0; dim < calls.dims; ++dim) {
      const int64_t max = problem.limits[dim].max;
      is_within = is_within && (max == 0 || count.sizes[dim] <= max);
    }
    if (!is_within) continue;
    within.counts.push_back(count);
    within.calls += count.calls;
    within.real += count.real;
  }
  std::ranges::sort(within.counts, {}, &SizeCount::sizes);
  return within;
}

Expected<std::vector<AllowedSizes>> AllowedInDims(const JointProblem& problem,
                                                  const SizeHistogram& calls) {
  std::vector<AllowedSizes> all;
  for (size_t dim = 0; dim < calls.dims; ++dim) {
    BucketLimits limits = problem.limits[dim];
    limits.forced.clear();
    int64_t largest = 1;
    for (const SizeCount& count : calls.counts) largest = std::max(largest, count.sizes[dim]);
    Expected<AllowedSizes> allowed = AllowedSizes::Make(limits, largest);
    if (!allowed) return allowed.takeError();
    all.push_back(std::move(*allowed));
  }
  return all;
}

JointGrid MakeJointGrid(const SizeHistogram& calls, const CostModel& cost,
                        const std::vector<AllowedSizes>& allowed, bool must_hold_corner) {
  JointGrid grid;
  grid.must_hold_corner = must_hold_corner;
  for (size_t dim = 0; dim < kMaxSizeDims; ++dim) {
    GridAxis& axis = grid.axes[dim];
    axis.dim = dim;
    axis.sizes = dim < calls.dims ? PlacesOf(calls, allowed[dim], dim) : std::vector<int64_t>{1};
    axis.buckets =
        dim + 1 == calls.dims ? CheapestSizes(axis.sizes, cost, allowed[dim]) : axis.sizes;
    axis.least = axis.buckets;
  }
  std::ranges::stable_sort(grid.axes, {}, [](const GridAxis& axis) { return axis.sizes.size(); });
  const size_t fits = PlacesThatFit(grid.axes, calls.counts.size(), kMaxLooks);
  for (GridAxis& axis : grid.axes) {
    if (axis.sizes.size() <= fits) continue;
    grid.is_complete = false;
    LeaveOut(axis, CallsAlong(axis, calls), fits);
  }
  FillCosts(calls, cost, grid);
  AddClients(calls, grid);
  // Calls that need the last cell fit no other.
  if (grid.clients.back().number == grid.corner()) grid.must_hold_corner = true;
  FindUseful(grid);
  grid.is_useful.back() = 1;
  return grid;
}

ProfitSweep::ProfitSweep(const JointGrid& grid, const std::vector<double>& costs)
    : grid_(grid),
      costs_(costs),
      by_middle_(grid.clients.size()),
      weights_(grid.columns() + 1),
      values_(grid.columns() + 1) {
  std::iota(by_middle_.begin(), by_middle_.end(), 0U);
  std::ranges::stable_sort(by_middle_, {}, [&](uint32_t j) { return grid.clients[j].cell[1]; });
}

void ProfitSweep::Enter(uint32_t outer, uint32_t middle, const std::vector<double>& prices,
                        size_t& next) {
  const double* costs = &costs_[grid_.Number({outer, middle, 0})];
  for (; next < by_middle_.size(); ++next) {
    const size_t j = by_middle_[next];
    const JointClient& client = grid_.clients[j];
    if (client.cell[1] != middle) return;
    ++work_;
    if (client.cell[0] > outer || prices[j] <= costs[client.cell[2]]) continue;
    const double* end = std::lower_bound(costs, costs + grid_.columns(), prices[j]);
    live_.push_back({.first = client.cell[2],
                     .end = static_cast<uint32_t>(end - costs),
                     .weight = client.weight,
                     .price = prices[j]});
  }
}

void ProfitSweep::CountRow(const double* costs) {
  std::ranges::fill(weights_, 0);
  std::ranges::fill(values_, 0);
  work_ += live_.size() + grid_.columns();
  size_t kept = 0;
  for (Live live : live_) {
    while (live.end > live.first && costs[live.end - 1] >= live.price) --live.end;
    if (live.end == live.first) continue;
    const double value = live.weight * live.price;
    weights_[live.first] += live.weight;
    weights_[live.end] -= live.weight;
    values_[live.first] += value;
    values_[live.end] -= value;
    live_[kept++] = live;
  }
  live_.resize(kept);
}

void ProfitSweep::Compute(const std::vector<double>& prices, std::vector<double>& profits) {
  profits.assign(grid_.cells(), 0);
  const size_t columns = grid_.columns();
  const auto outer_size = static_cast<uint32_t>(grid_.axes[0].sizes.size());
  const auto middle_size = static_cast<uint32_t>(grid_.axes[1].sizes.size());
  for (uint32_t outer = 0; outer < outer_size; ++outer) {
    live_.clear();
    size_t next = 0;
    for (uint32_t middle = 0; middle < middle_size; ++middle) {
      Enter(outer, middle, prices, next);
      if (live_.empty()) continue;
      const size_t row = grid_.Number({outer, middle, 0});
      const double* costs = &costs_[row];
      CountRow(costs);
      double weight = 0;
      double value = 0;
      for (size_t column = 0; column < columns; ++column) {
        weight += weights_[column];
        value += values_[column];
        if (grid_.is_useful[row + column] == 0) continue;
        profits[row + column] = std::max(0.0, value - (weight * costs[column]));
      }
    }
  }
}

JointSearch::JointSearch(const JointGrid& grid)
    : grid_(grid), sweep_(grid, grid.cost), not_held_(kNotHeld * grid.cost[grid.corner()]) {}

void JointSearch::Assign(const std::vector<size_t>& cells) {
  const size_t clients = grid_.clients.size();
  looked_at_ += cells.size() * clients;
  first_.assign(clients, not_held_);
  second_.assign(clients, not_held_);
  nearest_.assign(clients, cells.size());
  for (size_t i = 0; i < cells.size(); ++i) {
    const GridCell cell = grid_.CellOf(cells[i]);
    const double cost = grid_.cost[cells[i]];
    for (size_t j = 0; j < clients; ++j) {
      if (grid_.clients[j].number > cells[i]) break;
      if (!Holds(cell, grid_.clients[j].cell)) continue;
      if (cost < first_[j]) {
        second_[j] = first_[j];
        first_[j] = cost;
        nearest_[j] = i;
      } else if (cost < second_[j]) {
        second_[j] = cost;
      }
    }
  }
}

CellSet JointSearch::Evaluate(std::vector<size_t> cells) {
  std::ranges::sort(cells);
  cells.erase(std::ranges::unique(cells).begin(), cells.end());
  looked_at_ += cells.size() * grid_.clients.size();
  std::vector<double> least(grid_.clients.size(), std::numeric_limits<double>::infinity());
  for (const size_t number : cells) {
    const GridCell cell = grid_.CellOf(number);
    for (size_t j = 0; j < least.size() && grid_.clients[j].number <= number; ++j) {
      if (Holds(cell, grid_.clients[j].cell)) least[j] = std::min(least[j], grid_.cost[number]);
    }
  }
  double cost = 0;
  for (size_t j = 0; j < least.size(); ++j) cost += grid_.clients[j].weight * least[j];
  return {.cells = std::move(cells), .cost = cost};
}

size_t JointSearch::BestCell(double& profit) const {
  const auto best = std::ranges::max_element(profits_);
  profit = *best;
  return static_cast<size_t>(best - profits_.begin());
}

void JointSearch::Add(CellSet& set, size_t count) {
  if (set.cost == std::numeric_limits<double>::infinity()) {
    set.cells.push_back(grid_.corner());
    set = Evaluate(std::move(set.cells));
  }
  if (set.cells.size() >= count) return;
  Assign(set.cells);
  std::vector<size_t> cells = set.cells;
  while (cells.size() < count) {
    sweep_.Compute(first_, profits_);
    double profit = 0;
    const size_t best = BestCell(profit);
    if (profit <= kLeastGain * set.cost) break;
    cells.push_back(best);
    const GridCell cell = grid_.CellOf(best);
    for (size_t j = 0; j < first_.size(); ++j) {
      if (Holds(cell, grid_.clients[j].cell)) first_[j] = std::min(first_[j], grid_.cost[best]);
    }
  }
  set = Evaluate(std::move(cells));
}

void JointSearch::Swap(CellSet& set, uint64_t work) {
  const uint64_t end = this->work() + work;
  Assign(set.cells);
  size_t without_gain = 0;
  for (size_t i = 0; without_gain < set.cells.size() && this->work() < end;
       i = (i + 1) % set.cells.size()) {
    ++without_gain;
    if (grid_.must_hold_corner && set.cells[i] == grid_.corner()) continue;
    prices_ = first_;  // without bucket number i
    for (size_t j = 0; j < prices_.size(); ++j) {
      if (nearest_[j] == i) prices_[j] = second_[j];
    }
    sweep_.Compute(prices_, profits_);
    double profit = 0;
    const size_t best = BestCell(profit);
    double expected = -profit;
    for (size_t j = 0; j < prices_.size(); ++j) expected += grid_.clients[j].weight * prices_[j];
    if (expected >= set.cost * (1 - kExpectedGain)) continue;
    std::vector<size_t> cells = set.cells;
    cells[i] = best;
    CellSet swapped = Evaluate(std::move(cells));
    if (swapped.cost >= set.cost * (1 - kLeastGain)) continue;
    set = std::move(swapped);
    Assign(set.cells);
    without_gain = 0;
  }
}

std::vector<double> JointSearch::Prices(const CellSet& set) {
  Assign(set.cells);
  return first_;
}

}  // namespace shapewise
