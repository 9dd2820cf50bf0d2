// What a page about a run shows beside what lint tells of it.

#ifndef SHAPEWISE_RESULT_RUN_PAGE_H_
#define SHAPEWISE_RESULT_RUN_PAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "shapewise/result/bucket_report.h"
#include "shapewise/result/guard_heat.h"
#include "shapewise/result/place.h"
#include "shapewise/result/prediction_report.h"

namespace shapewise {

/// The sizes that one dim took, with the buckets that would serve them.
struct ShapePlan {
  Place where;                    ///< the function that was called so
  std::string dim;                ///< "x:1"
  std::vector<std::string> same;  ///< dims that always had the same size: "y:1"
  uint64_t distinct = 0;          ///< sizes
  uint64_t processes = 0;         ///< whose calls these are
  bool is_recorded = false;       ///< a recorder wrote them; else only those that missed a cache
  bool is_incomplete = false;     ///< ... and there were more
  BucketReport report;
};

/// All of it. What is empty was not in the inputs.
struct RunPage {
  PredictionReport prediction;     ///< of each function as it is, and under the usual what-ifs
  std::vector<ShapePlan> plans;    ///< those with most sizes
  uint64_t varying_dims = 0;       ///< dims that had two sizes or more; those alike count once
  std::vector<GuardHeat> guards;   ///< dearest first
  uint64_t functions_guarded = 0;  ///< functions whose guards are told, shown or not
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_RUN_PAGE_H_
