// Content of a run's page beyond lint findings.

#ifndef SHAPEWISE_RESULT_RUN_PAGE_H_
#define SHAPEWISE_RESULT_RUN_PAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "result/bucket_report.h"
#include "result/guard_heat.h"
#include "result/place.h"
#include "result/prediction_report.h"

namespace shapewise {

/// The sizes of one dim, with suitable buckets.
struct ShapePlan {
  Place where;                    ///< the called function
  std::string dim;                ///< "x:1"
  std::vector<std::string> same;  ///< dims that always had the same size: "y:1"
  uint64_t distinct = 0;          ///< number of sizes
  uint64_t processes = 0;         ///< number of processes
  bool is_recorded = false;       ///< from call records; else only calls that missed a cache
  bool is_incomplete = false;     ///< there were more
  BucketReport report;
};

/// All of it. Empty parts were not in the inputs.
struct RunPage {
  PredictionReport prediction;     ///< for each function as it is, and under common what-ifs
  std::vector<ShapePlan> plans;    ///< dims with the most sizes
  uint64_t varying_dims = 0;       ///< dims with at least two sizes; equal ones count once
  std::vector<GuardHeat> guards;   ///< most expensive first
  uint64_t functions_guarded = 0;  ///< functions with known guards, shown or not
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_RUN_PAGE_H_
