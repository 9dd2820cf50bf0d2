// What each bucket saves against given prices of the calls.

#ifndef SHAPEWISE_BUCKETS_JOINT_PROFIT_H_
#define SHAPEWISE_BUCKETS_JOINT_PROFIT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "buckets/joint_grid.h"

namespace shapewise {

/// Beside sweeps, so many looks at whether a bucket holds a call make a unit of work.
inline constexpr uint64_t kLooksAUnit = 4;

/// Profits of all cells of a grid, row by row: in a row the cost of a bucket rises with the column,
/// so a call of price v counts from its own column up to where the cost reaches v, and from row to
/// row that end only moves down. O(rows x calls), not O(cells x calls).
class ProfitSweep {
 public:
  /// `costs`, by cell, never fall along an axis. Both outlive the sweep.
  ProfitSweep(const JointGrid& grid, const std::vector<double>& costs);

  /// `profits`, by cell: the sum over the calls j that the cell holds of weight(j) times what
  /// prices[j] is above the cell's cost, if it is. Cells that are not useful get 0.
  void Compute(const std::vector<double>& prices, std::vector<double>& profits);

  /// Calls and cells looked at so far: what work is measured in.
  uint64_t work() const { return work_; }

 private:
  /// Calls of one price that still count in a row.
  struct Live {
    uint32_t first = 0;  ///< column: its own
    uint32_t end = 0;    ///< the first column where the cost reaches the price
    double weight = 0;
    double price = 0;
  };

  /// Adds the calls whose middle place is `middle`, from by_middle_[next] on.
  void Enter(uint32_t outer, uint32_t middle, const std::vector<double>& prices, size_t& next);
  /// What the live calls add and take at which column of the row; those that count no more go.
  void CountRow(const double* costs);

  const JointGrid& grid_;
  const std::vector<double>& costs_;
  std::vector<uint32_t> by_middle_;  ///< calls by their place on the middle axis
  std::vector<Live> live_;
  std::vector<double> weights_;  ///< by column: change of the weight that counts
  std::vector<double> values_;   ///< by column: change of weight times price
  uint64_t work_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_JOINT_PROFIT_H_
