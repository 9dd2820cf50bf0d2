// Nested sets of buckets, of which the best can be found exactly: slabs of one axis, with buckets
// of the other axis inside each.

#ifndef SHAPEWISE_BUCKETS_JOINT_NESTED_H_
#define SHAPEWISE_BUCKETS_JOINT_NESTED_H_

#include <cstddef>
#include <vector>

#include "buckets/joint_grid.h"

namespace shapewise {

/// Returns the best nested sets of 1, 2 ... `max_count` buckets, as cells, in a grid whose first
/// axis has one place. Places of axis `outer` (1 or 2) are divided into slabs. In a slab, all calls
/// are padded to its end, and along the other axis to the nearest of the slab's own buckets.
/// Outside of this model a call may use a bucket of another slab, so the real cost may be lower.
/// Empty if the search would take more than `most_work` steps of the innermost loops.
std::vector<std::vector<size_t>> NestedSets(const JointGrid& grid, size_t outer, size_t max_count,
                                            double most_work);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_JOINT_NESTED_H_
