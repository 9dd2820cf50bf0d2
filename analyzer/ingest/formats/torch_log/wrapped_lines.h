// Lines that a terminal, an editor or a launcher changed on their way: wrapped, labelled.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_WRAPPED_LINES_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_WRAPPED_LINES_H_

#include <string_view>

#include "ingest/messages/record.h"

namespace shapewise {

/// Whether `text` begins with the label that stood before the first line of a bare message; numbers
/// in it (a time, a line count) may have moved on.
bool IsSameCarrier(std::string_view carrier, std::string_view text);

/// A line of a bare message that the next one can only be the tail of, if it stands at the left: a
/// frame or a link that stops before its end, or a paragraph of a break's text, which a terminal
/// wrapped.
bool HasLostItsTail(std::string_view line);

/// A line of a break's text or an exception's that stands at the left by itself.
bool IsOwnLine(std::string_view text);

/// The last line of a record stops before it says what its kind has to say there.
bool LooksCut(const Record& record);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_WRAPPED_LINES_H_
