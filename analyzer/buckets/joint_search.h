// Sets of buckets bettered step by step: addition where most is saved, then swaps.

#ifndef SHAPEWISE_BUCKETS_JOINT_SEARCH_H_
#define SHAPEWISE_BUCKETS_JOINT_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "buckets/joint_grid.h"
#include "buckets/joint_profit.h"

namespace shapewise {

/// Buckets as cells, ascending, and what all calls cost with them.
struct CellSet {
  std::vector<size_t> cells;
  double cost = std::numeric_limits<double>::infinity();  ///< infinite: a call fits none
};

class JointSearch {
 public:
  explicit JointSearch(const JointGrid& grid);

  /// `cells` with their cost; in ascending order, each once.
  CellSet Evaluate(std::vector<size_t> cells);
  /// Adds the cell that saves most until there are `count` or nothing is saved. A set that does not
  /// hold all calls gets the last cell first.
  void Add(CellSet& set, size_t count);
  /// Closes one bucket and opens the best other one as long as that saves something and less than
  /// `work` is done (in units of ProfitSweep).
  void Swap(CellSet& set, uint64_t work);
  /// By call: its cost with `set`.
  std::vector<double> Prices(const CellSet& set);

  uint64_t work() const { return sweep_.work() + (looked_at_ / kLooksAUnit); }

 private:
  /// For each call the cost at its cheapest bucket, which that is, and the cost without that one.
  void Assign(const std::vector<size_t>& cells);
  /// Prices if bucket number `closed` of the assigned set were not there.
  void PricesWithout(size_t closed);
  size_t BestCell(double& profit) const;

  const JointGrid& grid_;
  ProfitSweep sweep_;
  double not_held_;  ///< price of a call that no bucket holds: above all that a set may cost
  std::vector<double> first_;
  std::vector<double> second_;
  std::vector<size_t> nearest_;
  std::vector<double> prices_;
  std::vector<double> profits_;
  uint64_t looked_at_ = 0;  ///< pairs of a bucket and a call
};

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_JOINT_SEARCH_H_
