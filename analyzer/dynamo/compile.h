// One compile of one code object: from the inputs of a call to a cache entry, or to an exception.
// Its parts have a file each.

#ifndef SHAPEWISE_DYNAMO_COMPILE_H_
#define SHAPEWISE_DYNAMO_COMPILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dynamo/call_inputs.h"
#include "dynamo/code_cache.h"
#include "dynamo/symbols.h"

namespace shapewise {

/// What changed between the first two calls under set_stance("eager_then_compile").
struct SeededInput {
  bool value = false;
  std::vector<bool> dims;
};

/// What to compile, and the state of earlier compiles.
struct CompileRequest {
  uint32_t frame = 0;
  uint32_t signature = 0;
  const InputRow& row;
  const ReadPolicy& policy;
  std::vector<SourceProfile>& profile;     ///< one per input; updated even if the compile fails
  const std::vector<SeededInput>& seeded;  ///< one per input; empty: none
  bool assume_no_questions = false;
};

struct CompileResult {
  enum class Outcome : uint8_t {
    kEntry,
    kEmptyGraph,  ///< no entry: the code object is skipped from now on
    kError,
    kUndecided,  ///< the questions of the body are not known well enough
  };
  Outcome outcome = Outcome::kEntry;
  uint32_t graphs = 0;  ///< passed to the backend, even if the compile raised later
  std::string error;    ///< class of the exception
  std::string why;      ///< of kUndecided
  bool made_assumption = false;
  std::unique_ptr<CacheEntry> entry;
};

CompileResult Compile(const CompileRequest& request, CallInputs& inputs);

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

#endif  // SHAPEWISE_DYNAMO_COMPILE_H_
