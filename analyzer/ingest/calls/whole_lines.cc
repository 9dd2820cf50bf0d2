#include "ingest/calls/whole_lines.h"

#include <algorithm>

#include "shapewise/support/text_scan.h"

namespace shapewise {

void WholeLines::OnLines(std::string_view lines, uint64_t first_line) {
  uint64_t line = first_line;
  while (!lines.empty()) {
    const size_t end = std::min(FindText(lines, "\n"), lines.size());
    HandOn(lines.substr(0, end), line);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    ++line;
  }
}

size_t WholeLines::OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) {
  if (is_first) {
    long_line_.clear();
    is_too_long_ = false;
  }
  if (long_line_.size() + piece.size() > kMaxBytes) is_too_long_ = true;
  if (is_too_long_) {
    long_line_ = std::string();
  } else {
    long_line_ += piece;
  }
  if (!is_last) return piece.size();
  if (is_too_long_) {
    OnTooLong(line);
  } else {
    HandOn(long_line_, line);
  }
  long_line_ = std::string();
  return piece.size();
}

void WholeLines::HandOn(std::string_view text, uint64_t line) {
  const std::string_view trimmed = Trim(text);
  if (!trimmed.empty()) OnLine(keeps_indent_ ? TrimRight(text) : trimmed, line);
}

}  // namespace shapewise
