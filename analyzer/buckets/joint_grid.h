// The joint problem on a grid: calls and buckets are cells, and a bucket costs the same as its
// cell.

#ifndef SHAPEWISE_BUCKETS_JOINT_GRID_H_
#define SHAPEWISE_BUCKETS_JOINT_GRID_H_

#include <array>
#include <cstddef>
#include <cstdint>
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

/// The cost of one of `calls` at `bucket`.
inline double CostAt(const SizeHistogram& calls, const CostModel& cost, const Sizes& bucket) {
  return calls.dims == 1 ? cost.Of(calls.rows, bucket[0]) : cost.Of(bucket, calls.dims);
}

/// The calls of `problem` within every declared maximum, ascending.
SizeHistogram CallsWithin(const JointProblem& problem);

/// What each dim allows, ignoring forced sizes. Error: contradictory limits.
Expected<std::vector<AllowedSizes>> AllowedInDims(const JointProblem& problem,
                                                  const SizeHistogram& calls);

/// `calls`: at least one, within what each dim allows. Sizes are left out of the axes if a sweep
/// over the grid would visit too many calls.
JointGrid MakeJointGrid(const SizeHistogram& calls, const CostModel& cost,
                        const std::vector<AllowedSizes>& allowed, bool must_hold_corner);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_JOINT_GRID_H_
