// Messages of an analysis, which the program prints on standard error.

#ifndef SHAPEWISE_API_MESSAGE_H_
#define SHAPEWISE_API_MESSAGE_H_

#include <string>
#include <string_view>
#include <vector>

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

}  // namespace shapewise

#endif  // SHAPEWISE_API_MESSAGE_H_
