// Improves sets of buckets step by step: adds where most is saved, then swaps.

#ifndef SHAPEWISE_BUCKETS_JOINT_SEARCH_H_
#define SHAPEWISE_BUCKETS_JOINT_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "buckets/joint_grid.h"
#include "buckets/joint_profit.h"

namespace shapewise {

/// Buckets as cells, ascending, and the cost of all calls with them.
struct CellSet {
  std::vector<size_t> cells;
  double cost = std::numeric_limits<double>::infinity();  ///< infinite: a call fits none
};

class JointSearch {
 public:
  explicit JointSearch(const JointGrid& grid);

  /// `cells` with their cost, ascending and distinct.
  CellSet Evaluate(std::vector<size_t> cells);
  /// Adds the cell that saves most until there are `count` or nothing is saved. If a call fits none
  /// of the set, the last cell is added first.
  void Add(CellSet& set, size_t count);
  /// Replaces one bucket by the best other one as long as that saves something and less than `work`
  /// was done (in units of ProfitSweep).
  void Swap(CellSet& set, uint64_t work);
  /// The cost of each call with `set`.
  std::vector<double> Prices(const CellSet& set);

  uint64_t work() const { return sweep_.work() + (looked_at_ / kLooksAUnit); }

 private:
  /// For each call: the cost at its cheapest bucket, that bucket, and the cost without it.
  void Assign(const std::vector<size_t>& cells);
  /// Prices without bucket number `closed` of the assigned set.
  void PricesWithout(size_t closed);
  size_t BestCell(double& profit) const;

  const JointGrid& grid_;
  ProfitSweep sweep_;
  double not_held_;  ///< price of a call that fits no bucket: above any cost of a set
  std::vector<double> first_;
  std::vector<double> second_;
  std::vector<size_t> nearest_;
  std::vector<double> prices_;
  std::vector<double> profits_;
  uint64_t looked_at_ = 0;  ///< pairs of a bucket and a call
};

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_JOINT_SEARCH_H_
