// The joint problem on a grid: calls and buckets are cells, and a bucket costs the same as its
// cell. What each bucket saves, and how sets of buckets are improved step by step.

#ifndef SHAPEWISE_BUCKETS_JOINT_GRID_H_
#define SHAPEWISE_BUCKETS_JOINT_GRID_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "buckets/allowed_sizes.h"
#include "buckets/joint_plan.h"

namespace shapewise {

/// A cell, by its place on each axis.
using GridCell = std::array<uint32_t, kMaxSizeDims>;

/// Whether calls at `inner` fit a bucket at `outer`.
inline bool Holds(const GridCell& outer, const GridCell& inner) {
  return inner[0] <= outer[0] && inner[1] <= outer[1] && inner[2] <= outer[2];
}

/// Calls with the same smallest bucket.
struct JointClient {
  GridCell cell{};
  size_t number = 0;  ///< of the cell
  double weight = 0;  ///< calls
};

/// The sizes of one dim at which buckets are possible.
struct GridAxis {
  size_t dim = 0;
  std::vector<int64_t> sizes;    ///< ascending: calls up to each use the bucket here
  std::vector<int64_t> buckets;  ///< sizes of these buckets: larger if that is cheaper
  /// The smallest bucket that is larger than the previous place: `buckets`, unless sizes were left
  /// out to bound the work.
  std::vector<int64_t> least;
};

/// Axes are sorted by their number of sizes, fewest first; the last one is swept. Cells are
/// numbered along the last axis first.
struct JointGrid {
  std::array<GridAxis, kMaxSizeDims> axes;
  std::vector<double> cost;  ///< cost of a call by cell; never falls along an axis
  /// Lower bound for buckets between the previous cells and this one.
  std::vector<double> least_cost;
  std::vector<uint8_t> is_useful;    ///< some calls have exactly this cell as their common bucket
  std::vector<JointClient> clients;  ///< ascending by number
  bool must_hold_corner = false;     ///< every set contains the last cell
  bool is_complete = true;           ///< no size was left out

  size_t columns() const { return axes[2].sizes.size(); }
  size_t cells() const { return cost.size(); }
  size_t corner() const { return cost.size() - 1; }
  size_t Number(const GridCell& cell) const {
    return (((cell[0] * axes[1].sizes.size()) + cell[1]) * columns()) + cell[2];
  }
  GridCell CellOf(size_t number) const;
  /// The bucket of a cell.
  Sizes BucketAt(size_t number) const;
};

/// The calls of `problem` within every declared maximum, ascending.
SizeHistogram CallsWithin(const JointProblem& problem);

/// What each dim allows, ignoring forced sizes. Error: contradictory limits.
Expected<std::vector<AllowedSizes>> AllowedInDims(const JointProblem& problem,
                                                  const SizeHistogram& calls);

/// `calls`: at least one, within what each dim allows. Sizes are left out of the axes if a sweep
/// over the grid would visit too many calls.
JointGrid MakeJointGrid(const SizeHistogram& calls, const CostModel& cost,
                        const std::vector<AllowedSizes>& allowed, bool must_hold_corner);

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

#endif  // SHAPEWISE_BUCKETS_JOINT_GRID_H_
