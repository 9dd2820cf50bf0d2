// How messages begin: which text opens which kind of record.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_MESSAGE_START_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_MESSAGE_START_H_

#include <string_view>

#include "ingest/formats/torch_log/log_prefix.h"
#include "ingest/messages/record.h"
#include "shapewise/support/literal_set.h"

namespace shapewise {

/// A message found in a text: its kind and where it begins.
struct MessageStart {
  RecordKind kind = RecordKind::kNone;
  size_t offset = 0;
  bool raised = false;  ///< the message is the text of an exception
};

/// The message that begins at the front of `text` (blanks apart), the text of a line whose prefix
/// is `prefix`. kNone if none does.
RecordKind MessageAtFront(std::string_view text, const LogPrefix& prefix);

/// The message that begins in `text`, a line without a prefix of torch's: at its front, or behind
/// something unknown if its first words cannot be mistaken. kNone if none does.
MessageStart FindMessage(std::string_view text);

/// Whether `text` is only the first letters of a message's first words: a terminal wrapped the line
/// right there.
bool IsCutMessageStart(std::string_view text);

/// Whether `text`, which begins no message, is all the same something that torch's compiler
/// printed.
bool IsTorchText(std::string_view text);

/// Literals one of which every line holds that is read at all when no record is open.
const LiteralSet& TorchLiterals();

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_MESSAGE_START_H_
