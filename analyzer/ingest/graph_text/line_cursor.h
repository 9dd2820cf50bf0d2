// Iterates over the lines of a text with their numbers.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_LINE_CURSOR_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_LINE_CURSOR_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "support/text_scan.h"

namespace shapewise {

/// One line of a text.
struct TextLine {
  std::string_view text;  ///< without its newline and carriage return
  uint64_t number = 0;    ///< in the input, 1-based
  size_t indent = 0;      ///< blanks at its front
  bool is_whole = false;  ///< it ends with a newline, so it cannot be truncated

  /// Without the blanks at its front.
  std::string_view body() const { return text.substr(indent); }
};

/// A text that may consist of selected lines of a larger one: then `numbers` contains the number of
/// each in the input; otherwise they are counted from `first_line`.
class LineCursor {
 public:
  LineCursor(std::string_view text, uint64_t first_line, std::span<const uint64_t> numbers)
      : text_(text), first_line_(first_line), numbers_(numbers) {}

  std::string_view text() const { return text_; }
  size_t offset() const { return offset_; }
  bool at_end() const { return offset_ >= text_.size(); }

  /// The line that begins at the cursor.
  TextLine Peek() const {
    TextLine line;
    const size_t end = EndOfLine(offset_);
    line.text = text_.substr(offset_, end - offset_);
    line.is_whole = end < text_.size();
    if (line.text.ends_with('\r')) line.text.remove_suffix(1);
    line.indent = Indent(line.text);
    line.number = Number();
    return line;
  }

  /// Moves to the beginning of the line after the one at `offset`, which must not be after the
  /// cursor.
  void MovePastLineAt(size_t offset) {
    MoveToLineOf(offset);
    offset_ = std::min(EndOfLine(offset) + 1, text_.size());
    ++index_;
  }

  void Skip() { MovePastLineAt(offset_); }

  /// Moves to the beginning of the line that contains `offset`.
  void MoveToLineOf(size_t offset) {
    const size_t newline = offset == 0 ? kNone : text_.rfind('\n', offset - 1);
    const size_t begin = newline == kNone || newline < offset_ ? offset_ : newline + 1;
    index_ +=
        static_cast<uint64_t>(std::count(text_.begin() + static_cast<ptrdiff_t>(offset_),
                                         text_.begin() + static_cast<ptrdiff_t>(begin), '\n'));
    offset_ = begin;
  }

 private:
  static constexpr size_t kNone = std::string_view::npos;

  size_t EndOfLine(size_t from) const {
    const void* newline = memchr(text_.data() + from, '\n', text_.size() - from);
    if (newline == nullptr) return text_.size();
    return static_cast<size_t>(static_cast<const char*>(newline) - text_.data());
  }

  uint64_t Number() const {
    if (numbers_.empty()) return first_line_ + index_;
    return numbers_[std::min<size_t>(index_, numbers_.size() - 1)];
  }

  std::string_view text_;
  uint64_t first_line_;
  std::span<const uint64_t> numbers_;
  size_t offset_ = 0;
  uint64_t index_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_LINE_CURSOR_H_
