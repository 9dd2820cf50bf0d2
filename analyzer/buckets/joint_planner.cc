#include "buckets/joint_planner.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "buckets/joint_nested.h"

namespace shapewise {
namespace {

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

}  // namespace

JointPlanner::JointPlanner(const JointGrid& grid, const std::vector<size_t>& counts,
                           JointEffort effort)
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

PlannedCells JointPlanner::Plan(size_t count) {
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

bool JointPlanner::IsExact(size_t count) const {
  if (!grid_.is_complete || grid_.axes[1].sizes.size() > 1) return false;
  return std::min(count, grid_.cells()) <= nested_[1].size();
}

void JointPlanner::ImproveOn(CellSet set, size_t count) {
  search_.Add(set, count);
  const double part = effort_ == JointEffort::kQuick ? kQuickSwapPart : kSwapPart;
  search_.Swap(set, static_cast<uint64_t>(part * work_));
  if (set.cost < set_.cost) set_ = std::move(set);
}

double JointPlanner::Prove(size_t count) {
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

void JointPlanner::Disturb(size_t count) {
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

CellSet JointPlanner::MostUsed(size_t count) {
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

}  // namespace shapewise
