// Which of the ways through a body that were traced a call takes.

#ifndef SHAPEWISE_DYNAMO_CHOOSE_PATH_H_
#define SHAPEWISE_DYNAMO_CHOOSE_PATH_H_

#include <cstdint>
#include <optional>
#include <string>

#include "dynamo/call_inputs.h"
#include "dynamo/entry.h"

namespace shapewise {

struct PathChoice {
  std::optional<size_t> path;  ///< into BodyFrame::explored; absent: none that was traced
  std::string answers;         ///< to the questions, one a character; '?': not known
  /// Some way that was traced holds the same operators: only what they ask is not known.
  bool are_operators_known = false;
  /// Without a path: what is not as it was on the one that comes nearest: "L['n'] was 3"; empty:
  /// nothing is known of that.
  std::string mismatch;
};

/// The choice of code object `frame` for a call that brought `row` and has the symbols of `entry`.
PathChoice ChoosePath(const CacheEntry& entry, uint32_t frame, const InputRow& row,
                      CallInputs& inputs);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_CHOOSE_PATH_H_
