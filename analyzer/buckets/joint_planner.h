// Controls the searches for sets of cells and the work for each.

#ifndef SHAPEWISE_BUCKETS_JOINT_PLANNER_H_
#define SHAPEWISE_BUCKETS_JOINT_PLANNER_H_

#include <cstddef>
#include <vector>

#include "buckets/joint_bound.h"
#include "buckets/joint_grid.h"

namespace shapewise {

/// The best set found, and a lower bound for sets of as many buckets; 0: not requested.
struct PlannedCells {
  CellSet set;
  double lower_bound = 0;
};

/// Makes plans for one count at a time, preferably ascending, because each set starts from the
/// previous one and never costs more.
class JointPlanner {
 public:
  /// `counts`: not empty, ascending; the work is divided among them. `grid` must outlive the
  /// planner.
  JointPlanner(const JointGrid& grid, const std::vector<size_t>& counts, JointEffort effort);

  /// `count`: at least 1.
  PlannedCells Plan(size_t count);

 private:
  /// On a line every set is nested, so the best nested one is optimal.
  bool IsExact(size_t count) const;
  /// Fills up `set` and improves it by swaps; kept if it is the best so far.
  void ImproveOn(CellSet set, size_t count);
  /// Raises a lower bound in rounds; after each, tries the buckets that the fractional solution
  /// uses most.
  double Prove(size_t count);
  /// Removes two buckets at a time, near ones first, and continues the search from there.
  void Disturb(size_t count);
  /// The buckets that the fractional solution uses most. If a call fits none of them, the last one
  /// is replaced by the largest bucket.
  CellSet MostUsed(size_t count);

  const JointGrid& grid_;
  JointSearch search_;
  JointBound bound_;
  JointEffort effort_;
  double work_ = 0;  ///< limit for one count, in units of ProfitSweep
  /// By order of the axes, then by count minus 1.
  std::vector<std::vector<std::vector<size_t>>> nested_;
  CellSet set_;                 ///< the best so far
  std::vector<double> prices_;  ///< final prices of the bound for the previous count
};

/// Returns the best nested sets of 1, 2 ... `max_count` buckets, as cells, in a grid whose first
/// axis has one place. Places of axis `outer` (1 or 2) are divided into slabs. In a slab, all calls
/// are padded to its end, and along the other axis to the nearest of the slab's own buckets.
/// Outside of this model a call may use a bucket of another slab, so the real cost may be lower.
/// Empty if the search would take more than `most_work` steps of the innermost loops.
std::vector<std::vector<size_t>> NestedSets(const JointGrid& grid, size_t outer, size_t max_count,
                                            double most_work);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_JOINT_PLANNER_H_
