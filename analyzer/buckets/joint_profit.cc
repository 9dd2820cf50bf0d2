#include "buckets/joint_profit.h"

#include <algorithm>

namespace shapewise {

ProfitSweep::ProfitSweep(const JointGrid& grid, const std::vector<double>& costs)
    : grid_(grid),
      costs_(costs),
      ends_(grid.clients.size()),
      weights_(grid.columns() + 1),
      values_(grid.columns() + 1) {}

void ProfitSweep::Compute(const std::vector<double>& prices, std::vector<double>& profits) {
  profits.assign(grid_.cells(), 0);
  const size_t columns = grid_.columns();
  const auto outer_size = static_cast<uint32_t>(grid_.axes[0].sizes.size());
  const auto middle_size = static_cast<uint32_t>(grid_.axes[1].sizes.size());
  for (uint32_t outer = 0; outer < outer_size; ++outer) {
    // Costs rise from row to row of the same `outer`, so the ends only move down.
    std::ranges::fill(ends_, static_cast<uint32_t>(columns));
    for (uint32_t middle = 0; middle < middle_size; ++middle) {
      const size_t row = grid_.Number({outer, middle, 0});
      const double* costs = &costs_[row];
      std::ranges::fill(weights_, 0);
      std::ranges::fill(values_, 0);
      for (size_t j = 0; j < grid_.clients.size(); ++j) {
        const JointClient& client = grid_.clients[j];
        if (client.cell[0] > outer) break;
        if (client.cell[1] > middle) continue;
        ++work_;
        const uint32_t first = client.cell[2];
        uint32_t end = ends_[j];
        while (end > first && costs[end - 1] >= prices[j]) --end;
        ends_[j] = end;
        if (end <= first) continue;
        weights_[first] += client.weight;
        weights_[end] -= client.weight;
        values_[first] += client.weight * prices[j];
        values_[end] -= client.weight * prices[j];
      }
      double weight = 0;
      double value = 0;
      for (size_t column = 0; column < columns; ++column) {
        weight += weights_[column];
        value += values_[column];
        if (grid_.is_useful[row + column] != 0) {
          profits[row + column] = std::max(0.0, value - (weight * costs[column]));
        }
      }
    }
  }
}

}  // namespace shapewise
