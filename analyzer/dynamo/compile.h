// One compile of one code object: from the inputs of a call to a cache entry, or to an exception.

#ifndef SHAPEWISE_DYNAMO_COMPILE_H_
#define SHAPEWISE_DYNAMO_COMPILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dynamo/call_inputs.h"
#include "dynamo/dim_policy.h"
#include "dynamo/entry.h"
#include "dynamo/profile.h"

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

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_COMPILE_H_
