// Messages about unrecognized inputs.

#ifndef SHAPEWISE_API_UNRECOGNISED_H_
#define SHAPEWISE_API_UNRECOGNISED_H_

#include <cstddef>
#include <cstdint>

#include "api/message.h"
#include "model/session.h"

namespace shapewise {

/// Maximum number of unrecognized inputs that are named.
inline constexpr size_t kMaxUnrecognised = 5;

/// How a command handles inputs without torch.compile output.
enum class EmptyInputs : uint8_t {
  kClean,  ///< nothing was compiled, or logging was off: a valid result
  kError,  ///< an error, because the command or its user expects some output
};

/// `expects_output`: --expect-output was given. `is_all_read`: all inputs were readable; an
/// unreadable one might contain the output.
inline EmptyInputs EmptyInputsFor(bool expects_output, bool is_all_read) {
  return expects_output || !is_all_read ? EmptyInputs::kError : EmptyInputs::kClean;
}

/// Adds messages about inputs without torch.compile output. Returns whether the analysis can
/// continue: at least one input contains some, or `empty_inputs` is kClean and all are text.
bool FindUnrecognised(const Session& session, EmptyInputs empty_inputs, Messages& messages);

}  // namespace shapewise

#endif  // SHAPEWISE_API_UNRECOGNISED_H_
