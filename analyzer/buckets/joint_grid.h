// The joint problem on a grid: calls and buckets are cells, a bucket has the cost of its cell.

#ifndef SHAPEWISE_BUCKETS_JOINT_GRID_H_
#define SHAPEWISE_BUCKETS_JOINT_GRID_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "buckets/allowed_sizes.h"
#include "shapewise/buckets/joint_plan.h"

namespace shapewise {

/// A cell by its place on each axis.
using GridCell = std::array<uint32_t, kMaxSizeDims>;

/// A bucket at `outer` holds calls at `inner`.
inline bool Holds(const GridCell& outer, const GridCell& inner) {
  return inner[0] <= outer[0] && inner[1] <= outer[1] && inner[2] <= outer[2];
}

/// Calls that need the same smallest bucket.
struct JointClient {
  GridCell cell{};
  size_t number = 0;  ///< of the cell
  double weight = 0;  ///< calls
};

/// The sizes of one dim at which a bucket may lie.
struct GridAxis {
  size_t dim = 0;
  std::vector<int64_t> sizes;    ///< ascending: calls up to here go to a bucket here
  std::vector<int64_t> buckets;  ///< sizes of these buckets: larger where that costs less
  /// The least size of a bucket that is larger than the place before: `buckets`, unless sizes were
  /// left out to bound the work.
  std::vector<int64_t> least;
};

/// Axes come by how many sizes they have, fewest first; the last is the one that is swept. Cells
/// are numbered along it first.
struct JointGrid {
  std::array<GridAxis, kMaxSizeDims> axes;
  std::vector<double> cost;          ///< of a call, by cell; never falls along an axis
  std::vector<double> least_cost;    ///< no bucket between the cells before and this one costs less
  std::vector<uint8_t> is_useful;    ///< some calls have just this cell as their common bucket
  std::vector<JointClient> clients;  ///< ascending by number
  bool must_hold_corner = false;     ///< every set has the last cell
  bool is_complete = true;           ///< no size was left out of an axis

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

/// The calls of `problem` that no declared maximum is below, ascending.
SizeHistogram CallsWithin(const JointProblem& problem);

/// What each dim allows, forced sizes not looked at. Error: limits that contradict each other.
Expected<std::vector<AllowedSizes>> AllowedInDims(const JointProblem& problem,
                                                  const SizeHistogram& calls);

/// `calls`: one or more, within what is allowed in each dim. If one sweep over the grid would look
/// at too many, sizes are left out of its axes.
JointGrid MakeJointGrid(const SizeHistogram& calls, const CostModel& cost,
                        const std::vector<AllowedSizes>& allowed, bool must_hold_corner);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_JOINT_GRID_H_
