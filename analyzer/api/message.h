// Messages of an analysis about its inputs, which the program prints on standard error.

#ifndef SHAPEWISE_API_MESSAGE_H_
#define SHAPEWISE_API_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/session.h"
#include "pipeline/record_file.h"
#include "shapewise/document.h"
#include "support/error.h"
#include "support/terminal_text.h"

namespace shapewise {

/// The messages of one analysis, in order.
using Messages = std::vector<api::Message>;

/// Adds a message. `text` may contain foreign paths and words: control characters are replaced.
inline void AddMessage(Messages& messages, api::Severity severity, std::string_view text) {
  messages.push_back({severity, MakePrintable(text)});
}

/// Adds one message per text.
inline void AddMessages(Messages& messages, api::Severity severity,
                        const std::vector<std::string>& texts) {
  for (const std::string& text : texts) AddMessage(messages, severity, text);
}

/// Maximum number of unrecognized inputs that are named.
inline constexpr size_t kMaxUnrecognised = 5;

/// How a command handles inputs without torch.compile output.
enum class EmptyInputs : uint8_t {
  kClean,   ///< nothing was compiled, or logging was off: a valid result
  kError,   ///< an error, because the command or its user expects some output
  kUnread,  ///< an error that was reported: an unreadable input might contain the output
};

/// `expects_output`: --expect-output was given. `is_all_read`: all inputs were readable.
inline EmptyInputs EmptyInputsFor(bool expects_output, bool is_all_read) {
  if (!is_all_read) return EmptyInputs::kUnread;
  return expects_output ? EmptyInputs::kError : EmptyInputs::kClean;
}

/// Adds messages about inputs without torch.compile output, and that there are no inputs. Returns
/// whether the analysis can continue: at least one input contains some, or `empty_inputs` is kClean
/// and all are text.
bool FindUnrecognised(const Session& session, EmptyInputs empty_inputs, Messages& messages);

/// Adds messages about lines of `files` that are not the `expected` records. False: one of the
/// files contains nothing usable.
bool FindDamage(const std::vector<RecordFile>& files, const std::string& expected,
                Messages& messages);

}  // namespace shapewise

#endif  // SHAPEWISE_API_MESSAGE_H_
