// Selects which of the traced paths through a body a call takes.

#ifndef SHAPEWISE_DYNAMO_CHOOSE_PATH_H_
#define SHAPEWISE_DYNAMO_CHOOSE_PATH_H_

#include <cstdint>
#include <optional>
#include <string>

#include "dynamo/call_inputs.h"
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

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_CHOOSE_PATH_H_
