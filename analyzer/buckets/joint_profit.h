// What each bucket saves against given prices of the calls.

#ifndef SHAPEWISE_BUCKETS_JOINT_PROFIT_H_
#define SHAPEWISE_BUCKETS_JOINT_PROFIT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "buckets/joint_grid.h"

namespace shapewise {

/// Profits of all cells of a grid, computed row by row: in a row the cost of a bucket rises with
/// the column, so a call with price v counts from its own column up to where the cost reaches v.
/// O(rows x calls), not O(cells x calls).
class ProfitSweep {
 public:
  /// `costs`, by cell, never fall along an axis. Both outlive the sweep.
  ProfitSweep(const JointGrid& grid, const std::vector<double>& costs);

  /// `profits`, by cell: the sum over the calls j that the cell holds of weight(j) times what
  /// prices[j] is above the cell's cost, if it is. Cells that are not useful get 0.
  void Compute(const std::vector<double>& prices, std::vector<double>& profits);

  /// Calls looked at so far, once a row: what work is measured in.
  uint64_t work() const { return work_; }

 private:
  const JointGrid& grid_;
  const std::vector<double>& costs_;
  std::vector<uint32_t> ends_;   ///< by client: the first column of a row with no profit
  std::vector<double> weights_;  ///< by column: change of the weight that counts
  std::vector<double> values_;   ///< by column: change of weight times price
  uint64_t work_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_JOINT_PROFIT_H_
