// What to say of inputs in which nothing was recognised.

#ifndef SHAPEWISE_CLI_UNRECOGNISED_H_
#define SHAPEWISE_CLI_UNRECOGNISED_H_

#include <cstddef>
#include <cstdint>

#include "shapewise/model/session.h"

namespace shapewise {

/// How many inputs of no use are named one by one.
inline constexpr size_t kMaxUnrecognised = 5;

/// What a command makes of inputs that contain no torch.compile output.
enum class EmptyInputs : uint8_t {
  kClean,  ///< nothing was compiled, or logging was off: a result like any other
  kError,  ///< the command, or its user, expects some output
};

/// `expects_output`: --expect-output was given. `is_all_read`: no input was unreadable; what could
/// not be read may be where the output is.
inline EmptyInputs EmptyInputsFor(bool expects_output, bool is_all_read) {
  return expects_output || !is_all_read ? EmptyInputs::kError : EmptyInputs::kClean;
}

/// Says on stderr which inputs contain no torch.compile output. Returns whether the command can go
/// on: at least one contains some, or `empty_inputs` is kClean and all of them are text.
bool CheckRecognised(const Session& session, EmptyInputs empty_inputs);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_UNRECOGNISED_H_
