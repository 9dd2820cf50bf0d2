#include "buckets/joint_grid.h"

#include <algorithm>
#include <numeric>

namespace shapewise {

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

}  // namespace shapewise
