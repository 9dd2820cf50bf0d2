// Nested sets of buckets, the best of which can be found exactly: slabs of one axis, buckets of the
// other inside each.

#ifndef SHAPEWISE_BUCKETS_JOINT_NESTED_H_
#define SHAPEWISE_BUCKETS_JOINT_NESTED_H_

#include <cstddef>
#include <vector>

#include "buckets/joint_grid.h"

namespace shapewise {

/// The best nested sets of 1, 2 ... `max_count` buckets, as cells, of a grid whose first axis has
/// one place. Places of axis `outer` (1 or 2) are cut into slabs; in a slab all calls are padded to
/// its end, and to the nearest of the slab's own buckets along the other axis. Calls of one slab go
/// to no other, which a plan of nested sets need not obey, so its cost may be less than planned.
/// Empty if that would take more than `most_work` steps of the innermost loops.
std::vector<std::vector<size_t>> NestedSets(const JointGrid& grid, size_t outer, size_t max_count,
                                            double most_work);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_JOINT_NESTED_H_
