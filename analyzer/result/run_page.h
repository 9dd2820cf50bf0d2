// Content of a run's page beyond lint findings.

#ifndef SHAPEWISE_RESULT_RUN_PAGE_H_
#define SHAPEWISE_RESULT_RUN_PAGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "result/bucket_report.h"
#include "result/place.h"
#include "result/prediction.h"

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

/// Guards that repeat for each index of a list, for example for each layer.
struct GuardFamilyHeat {
  std::string source;    ///< "L['self'].layers[*].scale"
  uint64_t guards = 0;   ///< total over all indices
  uint64_t members = 0;  ///< distinct indices
};

/// The guards of one function: those of its most expensive entry.
struct GuardHeat {
  Place where;
  int32_t rank = -1;       ///< -1: unknown
  std::string compile_id;  ///< of that entry; empty: not printed
  uint64_t entries = 0;    ///< entries with known guards
  uint64_t guards = 0;     ///< leaf guards
  uint64_t managers = 0;   ///< inner nodes: attributes, keys and items on the path to a guard
  double guards_us = 0;    ///< one evaluation, estimated (analyzer/docs/guard-cost.md)
  double leaf_us = 0;      ///< part of it per leaf guard
  double call_us = 0;      ///< in addition: entering compiled code
  /// With cold caches, by PyTorch; absent: unknown or implausible.
  std::optional<double> measured_us;
  std::vector<std::pair<std::string, uint64_t>> kinds;    ///< leaf guards by kind, most first
  std::vector<std::pair<std::string, uint64_t>> lambdas;  ///< evaluated in Python, by their text
  std::vector<GuardFamilyHeat> families;                  ///< most guards first
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
