// Collects the sizes of a run's calls by dim, and plans buckets for them.

#ifndef SHAPEWISE_PIPELINE_PLAN_SHAPES_H_
#define SHAPEWISE_PIPELINE_PLAN_SHAPES_H_

#include <cstddef>
#include <vector>

#include "model/call_history.h"
#include "result/run_page.h"

namespace shapewise {

/// Maximum number of planned dims.
inline constexpr size_t kMaxShapePlans = 4;

/// Calls of one function of one process, or batches of a data loader.
struct CalledSizes {
  Place where;
  const CallHistory* history = nullptr;
  bool is_recorded = false;    ///< from call records; else only calls that missed a cache
  bool is_ordered = true;      ///< in their original order
  bool is_incomplete = false;  ///< there were more
};

/// Finds the dims of tensors with at least two sizes in `calls`, and plans buckets, for padding
/// only, for those with the most sizes. Calls at the same place belong to one function, run by
/// several processes. Fills in `page.plans` and `page.varying_dims`.
void PlanShapes(const std::vector<CalledSizes>& calls, RunPage& page);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_PLAN_SHAPES_H_
