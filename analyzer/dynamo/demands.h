// Compares the demands of marks with the resulting dims: decides where mark_dynamic raises.

#ifndef SHAPEWISE_DYNAMO_DEMANDS_H_
#define SHAPEWISE_DYNAMO_DEMANDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "dynamo/call_inputs.h"
#include "dynamo/dim_policy.h"
#include "dynamo/entry.h"

namespace shapewise {

/// A mark that one dim of one input of an entry must satisfy.
struct DimDemanded {
  size_t guard = 0;  ///< into CacheEntry::guards
  size_t dim = 0;
  DimPlan plan;
};

enum class DemandVerdict : uint8_t {
  kMet,
  kViolated,   ///< ConstraintViolationError, after the backend was called
  kUndecided,  ///< the dim may have to equal another size, or guards leave it one value together
};

/// Whether `entry`, as compiled for `row`, satisfies `demands`. `asks_unknown_equalities`: sizes
/// may be compared with one another, but which ones is not known. Source:
/// torch/fx/experimental/symbolic_shapes.py, produce_guards_verbose.
DemandVerdict CheckDemands(const CacheEntry& entry, const std::vector<DimDemanded>& demands,
                           uint32_t frame, const InputRow& row, bool asks_unknown_equalities,
                           CallInputs& inputs);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_DEMANDS_H_
