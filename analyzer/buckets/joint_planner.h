// From the grid to sets of cells: which searches are made, and how much work each may be.

#ifndef SHAPEWISE_BUCKETS_JOINT_PLANNER_H_
#define SHAPEWISE_BUCKETS_JOINT_PLANNER_H_

#include <cstddef>
#include <vector>

#include "buckets/joint_bound.h"
#include "buckets/joint_grid.h"
#include "buckets/joint_search.h"

namespace shapewise {

/// The best set found, and what no set of as many buckets costs less than; 0: not asked for.
struct PlannedCells {
  CellSet set;
  double lower_bound = 0;
};

/// Plans for one count after the other; best in ascending order, since each set starts from the one
/// before, and never costs more.
class JointPlanner {
 public:
  /// `counts`: one or more, ascending; the work is shared among them. `grid` outlives the planner.
  JointPlanner(const JointGrid& grid, const std::vector<size_t>& counts, JointEffort effort);

  /// `count`: 1 or more.
  PlannedCells Plan(size_t count);

 private:
  /// On a line every set is nested, and the best nested one was found.
  bool IsExact(size_t count) const;
  /// Fills `set` up and swaps; kept if it is the best so far.
  void ImproveOn(CellSet set, size_t count);
  /// A lower bound, raised in rounds; after each the buckets that its fractional solution uses most
  /// are tried.
  double Prove(size_t count);
  /// Closes two buckets at a time and searches on from there, near ones first.
  void Disturb(size_t count);
  /// The buckets that the fractional solution uses most. If some call fits none of them, the last
  /// gives way to the largest bucket.
  CellSet MostUsed(size_t count);

  const JointGrid& grid_;
  JointSearch search_;
  JointBound bound_;
  JointEffort effort_;
  double work_ = 0;  ///< that may be done for one count, in units of ProfitSweep
  /// By order of the axes, then by count less 1.
  std::vector<std::vector<std::vector<size_t>>> nested_;
  CellSet set_;                 ///< the best so far
  std::vector<double> prices_;  ///< of the bound of the count before
};

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_JOINT_PLANNER_H_
