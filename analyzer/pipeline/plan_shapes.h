// Which sizes the calls of a run had, dim by dim, and which buckets would serve them.

#ifndef SHAPEWISE_PIPELINE_PLAN_SHAPES_H_
#define SHAPEWISE_PIPELINE_PLAN_SHAPES_H_

#include <cstddef>
#include <vector>

#include "shapewise/model/call_history.h"
#include "shapewise/result/run_page.h"

namespace shapewise {

/// How many dims are planned.
inline constexpr size_t kMaxShapePlans = 4;

/// Calls of one function of one process, or batches of a loader.
struct CalledSizes {
  Place where;
  const CallHistory* history = nullptr;
  bool is_recorded = false;    ///< a recorder wrote them; else only those that missed a cache
  bool is_ordered = true;      ///< they stand in the order in which they came
  bool is_incomplete = false;  ///< there were more
};

/// Finds the dims of tensors that had two sizes or more in `calls`, and plans buckets for those
/// with most sizes, for padding only. Calls at the same place are of one function: processes that
/// run the same code. Fills `page.plans` and `page.varying_dims`.
void PlanShapes(const std::vector<CalledSizes>& calls, RunPage& page);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_PLAN_SHAPES_H_
