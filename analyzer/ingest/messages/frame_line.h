// Places in code in tracebacks and torch's messages.

#ifndef SHAPEWISE_INGEST_MESSAGES_FRAME_LINE_H_
#define SHAPEWISE_INGEST_MESSAGES_FRAME_LINE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace shapewise {

/// A place in code. Views point into the text; 0 and empty if not given.
struct CodePlace {
  std::string_view file;
  uint32_t line = 0;
  std::string_view function;
};

/// Parses `File "train.py", line 12, in forward` (any indentation, `line N` in documents). The
/// function may be missing. Absent for other texts.
std::optional<CodePlace> ParseFrameLine(std::string_view text);

/// Reads `<FrameSummary file train.py, line 12 in forward>` anywhere in `text`.
std::optional<CodePlace> ParseFrameSummary(std::string_view text);

/// Splits "train.py:12" at its last colon followed by digits ("C:\\a.py:12" too); without such
/// digits all of `text` is the file. Text after the digits is stored in `rest`.
CodePlace SplitFileLine(std::string_view text, std::string_view* rest = nullptr);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_MESSAGES_FRAME_LINE_H_
