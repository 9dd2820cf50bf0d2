// The parts of simulating one compile, one file each.

#ifndef SHAPEWISE_DYNAMO_COMPILE_PARTS_H_
#define SHAPEWISE_DYNAMO_COMPILE_PARTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dynamo/call_inputs.h"
#include "dynamo/dim_policy.h"
#include "dynamo/entry.h"

namespace shapewise {

struct PathChoice {
  std::optional<size_t> path;  ///< into BodyFrame::explored; absent: none of them
  std::string answers;         ///< to the questions, one character each; '?': not known
  /// Some traced path has the same operators: only their questions are unknown.
  bool are_operators_known = false;
  /// Without a path: what is not as it was on the one that comes nearest: "L['n'] was 3"; empty:
  /// nothing is known of that.
  std::string mismatch;
};

/// The path of code object `frame` for a call with the inputs `row` and the symbols of `entry`.
PathChoice ChoosePath(const CacheEntry& entry, uint32_t frame, const InputRow& row,
                      CallInputs& inputs);

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

#endif  // SHAPEWISE_DYNAMO_COMPILE_PARTS_H_
