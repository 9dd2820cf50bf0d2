#include "buckets/joint_grid.h"

#include <algorithm>

namespace shapewise {
namespace {

/// Smaller relative gains are rounding errors.
constexpr double kLeastGain = 1e-12;

/// The same for a first check: sums with calls that fit no bucket are less exact.
constexpr double kExpectedGain = 1e-9;

/// Penalty relative to the cost of the largest bucket: large enough that fitting a call outweighs
/// all savings, small enough that savings are not lost to rounding.
constexpr double kNotHeld = 1e5;

}  // namespace

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

void JointSearch::PricesWithout(size_t closed) {
  prices_ = first_;
  for (size_t j = 0; j < prices_.size(); ++j) {
    if (nearest_[j] == closed) prices_[j] = second_[j];
  }
}

void JointSearch::Swap(CellSet& set, uint64_t work) {
  const uint64_t end = this->work() + work;
  Assign(set.cells);
  size_t without_gain = 0;
  for (size_t i = 0; without_gain < set.cells.size() && this->work() < end;
       i = (i + 1) % set.cells.size()) {
    ++without_gain;
    if (grid_.must_hold_corner && set.cells[i] == grid_.corner()) continue;
    PricesWithout(i);
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
