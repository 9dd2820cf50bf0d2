// Columns of positions in long lines.

#ifndef SHAPEWISE_SUPPORT_COLUMN_COUNTER_H_
#define SHAPEWISE_SUPPORT_COLUMN_COUNTER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shapewise {

/// Counts UTF-8 characters from the start of a line to a position. Remembers the last position, so
/// that successive positions in a long line cost linear time in total.
class ColumnCounter {
 public:
  /// In `text` from `line` to `offset`; always call with the same text.
  uint32_t Count(std::string_view text, size_t line, size_t offset) {
    if (line != line_ || offset < offset_) {
      line_ = offset_ = line;
      count_ = 0;
    }
    const std::string_view more = text.substr(offset_, offset - offset_);
    // UTF-8 continuation bytes do not count.
    count_ += static_cast<uint32_t>(std::count_if(more.begin(), more.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
    offset_ = offset;
    return count_;
  }

 private:
  size_t line_ = 0;
  size_t offset_ = 0;
  uint32_t count_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_COLUMN_COUNTER_H_
