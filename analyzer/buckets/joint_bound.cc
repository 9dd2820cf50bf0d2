#include "buckets/joint_bound.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace shapewise {
namespace {

// Parameters of the volume algorithm: the initial step length as a share of what would close the
// gap with constant slopes; its factor after a gain and after steps without one; and the weight of
// the new direction in each step.
constexpr double kFirstLength = 0.1;
constexpr double kLongestLength = 2;
constexpr double kLonger = 1.1;
constexpr double kShorter = 0.66;
constexpr size_t kStepsWithoutGain = 20;
constexpr double kBlend = 0.1;

/// Smaller gaps count as closed.
constexpr double kClosed = 1e-9;

/// Rounds prices down so that sums of weight times price are exact in any order: each is a multiple
/// of a unit below 2^53, because the weights are integers. The bound holds for any prices.
void RoundPrices(const std::vector<JointClient>& clients, const std::vector<double>& prices,
                 std::vector<double>& rounded) {
  double total = 0;
  for (size_t j = 0; j < prices.size(); ++j) total += clients[j].weight * prices[j];
  // Twice the total leaves room for its own rounding.
  const double unit = std::ldexp(1.0, std::ilogb(std::max(total, 1e-300)) + 2 - 53);
  rounded.resize(prices.size());
  for (size_t j = 0; j < prices.size(); ++j) rounded[j] = std::floor(prices[j] / unit) * unit;
}

}  // namespace

JointBound::JointBound(const JointGrid& grid) : grid_(grid), sweep_(grid, grid.least_cost) {
  for (const JointClient& client : grid.clients) {
    least_.push_back(grid.least_cost[client.number]);
    least_total_ += client.weight * least_.back();
  }
}

double JointBound::Value(const std::vector<double>& prices) {
  RoundPrices(grid_.clients, prices, rounded_);
  sweep_.Compute(rounded_, profits_);
  double total = 0;
  for (size_t j = 0; j < rounded_.size(); ++j) total += grid_.clients[j].weight * rounded_[j];
  chosen_.clear();
  for (size_t cell = 0; cell < profits_.size(); ++cell) {
    if (profits_[cell] > 0) chosen_.push_back(cell);
  }
  const auto is_before = [&](size_t a, size_t b) {
    const bool a_is_due = grid_.must_hold_corner && a == grid_.corner();
    const bool b_is_due = grid_.must_hold_corner && b == grid_.corner();
    if (a_is_due != b_is_due) return a_is_due;
    return profits_[a] != profits_[b] ? profits_[a] > profits_[b] : a < b;
  };
  if (grid_.must_hold_corner && profits_.back() <= 0) chosen_.push_back(grid_.corner());
  if (chosen_.size() > count_) {
    const auto end = chosen_.begin() + static_cast<std::ptrdiff_t>(count_);
    std::ranges::nth_element(chosen_, end, is_before);
    chosen_.erase(end, chosen_.end());
    std::ranges::sort(chosen_);
  }
  double value = total;
  for (const size_t cell : chosen_) value -= profits_[cell];
  // Each profit is rounded when multiplied and when subtracted, and the value with each profit; all
  // are below the total.
  return value - (total * SumRounding(4 * count_));
}

void JointBound::FindSlopes(const std::vector<double>& prices) {
  slopes_.assign(prices.size(), 1);
  looked_at_ += chosen_.size() * prices.size();
  for (const size_t number : chosen_) {
    const GridCell cell = grid_.CellOf(number);
    const double cost = grid_.least_cost[number];
    for (size_t j = 0; j < prices.size() && grid_.clients[j].number <= number; ++j) {
      if (prices[j] > cost && Holds(cell, grid_.clients[j].cell)) slopes_[j] -= 1;
    }
  }
}

void JointBound::Start(size_t count, std::vector<double> in_set, std::vector<double> before) {
  count_ = count;
  scales_ = std::move(in_set);
  for (size_t j = 0; j < scales_.size(); ++j) scales_[j] = std::max(scales_[j], least_[j]);
  prices_ = scales_;
  value_ = Value(prices_);
  if (!before.empty()) {
    const double value = Value(before);
    if (value > value_) {
      prices_ = std::move(before);
      value_ = value;
    } else {
      Value(prices_);  // for the chosen cells
    }
  }
  bound_ = std::max(least_total_ * (1 - SumRounding(grid_.clients.size())), value_);
  FindSlopes(prices_);
  direction_ = slopes_;
  shares_.assign(grid_.cells(), 0);
  for (const size_t cell : chosen_) shares_[cell] = 1;
  step_length_ = kFirstLength;
  without_gain_ = 0;
}

void JointBound::Climb(double upper, size_t steps, uint64_t most) {
  const uint64_t end = work() + most;
  for (size_t step = 0; step < steps && work() < end && upper > bound_ * (1 + kClosed); ++step) {
    // Scaled so that a price moves in proportion to the call's cost, whatever its weight. Its own
    // cost without padding is unsuitable: with few buckets, it may be a thousandth of what the call
    // pays.
    double norm = 0;
    for (size_t j = 0; j < prices_.size(); ++j) {
      norm += grid_.clients[j].weight * scales_[j] * direction_[j] * direction_[j];
    }
    if (norm <= 0) return;
    const double length = step_length_ * (upper - value_) / norm;
    tried_.resize(prices_.size());
    for (size_t j = 0; j < prices_.size(); ++j) {
      tried_[j] = std::max(least_[j], prices_[j] + (length * scales_[j] * direction_[j]));
    }
    const double value = Value(tried_);
    FindSlopes(tried_);
    double agreement = 0;
    for (size_t j = 0; j < prices_.size(); ++j) {
      agreement += grid_.clients[j].weight * scales_[j] * slopes_[j] * direction_[j];
      direction_[j] = (kBlend * slopes_[j]) + ((1 - kBlend) * direction_[j]);
    }
    for (double& share : shares_) share *= 1 - kBlend;
    for (const size_t cell : chosen_) shares_[cell] += kBlend;
    if (value > value_) {
      std::swap(prices_, tried_);
      value_ = value;
      bound_ = std::max(bound_, value);
      without_gain_ = 0;
      if (agreement > 0) step_length_ = std::min(step_length_ * kLonger, kLongestLength);
    } else if (++without_gain_ >= kStepsWithoutGain) {
      step_length_ *= kShorter;
      without_gain_ = 0;
    }
  }
}

}  // namespace shapewise
