// Computes what each bucket saves at given prices of the calls.

#ifndef SHAPEWISE_BUCKETS_JOINT_PROFIT_H_
#define SHAPEWISE_BUCKETS_JOINT_PROFIT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "buckets/joint_grid.h"

namespace shapewise {

/// Outside of sweeps, this many checks whether a call fits a bucket make one unit of work.
inline constexpr uint64_t kLooksAUnit = 4;

/// Profits of all cells of a grid, row by row. In a row, the cost of a bucket rises with the
/// column, so a call with price v counts from its own column up to where the cost reaches v; from
/// row to row, that end only moves down. O(rows x calls), not O(cells x calls).
class ProfitSweep {
 public:
  /// `costs`, by cell, must not fall along an axis. Both must outlive the sweep.
  ProfitSweep(const JointGrid& grid, const std::vector<double>& costs);

  /// `profits`, by cell: the sum over the calls j that fit the cell of weight(j) times max(0,
  /// prices[j] - cost of the cell). 0 for cells that are not useful.
  void Compute(const std::vector<double>& prices, std::vector<double>& profits);

  /// The number of calls and cells visited so far, the unit of work.
  uint64_t work() const { return work_; }

 private:
  /// Calls with one price that still count in a row.
  struct Live {
    uint32_t first = 0;  ///< column: its own
    uint32_t end = 0;    ///< first column where the cost reaches the price
    double weight = 0;
    double price = 0;
  };

  /// Adds the calls whose middle place is `middle`, from by_middle_[next] on.
  void Enter(uint32_t outer, uint32_t middle, const std::vector<double>& prices, size_t& next);
  /// Records the changes by the live calls at each column of the row, and removes calls that no
  /// longer count.
  void CountRow(const double* costs);

  const JointGrid& grid_;
  const std::vector<double>& costs_;
  std::vector<uint32_t> by_middle_;  ///< calls by their place on the middle axis
  std::vector<Live> live_;
  std::vector<double> weights_;  ///< by column: change of the counting weight
  std::vector<double> values_;   ///< by column: change of weight times price
  uint64_t work_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_JOINT_PROFIT_H_
