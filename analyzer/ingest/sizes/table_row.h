// Rows of csv, tsv and their kin.

#ifndef SHAPEWISE_INGEST_SIZES_TABLE_ROW_H_
#define SHAPEWISE_INGEST_SIZES_TABLE_ROW_H_

#include <string>
#include <string_view>
#include <vector>

#include "shapewise/support/text_input.h"

namespace shapewise {

/// Calls `each(field)` for the fields of `row` from left to right until it returns false. Quotes
/// stay on. A `delimiter` ' ' stands for any number of blanks.
template <typename Each>
void ForEachField(std::string_view row, char delimiter, const Each& each) {
  size_t at = 0;
  const auto skip_blanks = [&] {
    while (at < row.size() && (row[at] == ' ' || row[at] == '\t')) ++at;
  };
  if (delimiter == ' ') skip_blanks();
  while (true) {
    size_t end = at;
    if (at < row.size() && row[at] == '"') {
      // Up to the quote that is not doubled.
      for (end = at + 1; end < row.size(); ++end) {
        if (row[end] != '"') continue;
        if (end + 1 < row.size() && row[end + 1] == '"') {
          ++end;
        } else {
          break;
        }
      }
    }
    while (end < row.size() && row[end] != delimiter && (delimiter != ' ' || row[end] != '\t')) {
      ++end;
    }
    if (!each(row.substr(at, end - at)) || end >= row.size()) return;
    at = end + 1;
    if (delimiter == ' ') {
      skip_blanks();
      if (at == row.size()) return;
    }
  }
}

/// A row that ends within a quoted field goes on in the next line. `is_in_quotes`: so did the line
/// before.
bool EndsInQuotes(std::string_view row, char delimiter, bool is_in_quotes);

/// All fields, trimmed, without quotes.
std::vector<std::string> FieldsOf(std::string_view row, char delimiter);

/// What the fields of `row` are most likely separated by: tab, comma, semicolon, bar, or else ' '.
char DelimiterOf(std::string_view row);

/// Lines put together to rows, where quoted fields hold newlines.
class RowJoiner {
 public:
  static constexpr size_t kMaxBytes = size_t{1} << 20;

  enum class State { kRow, kOpen, kTooLong };

  /// kRow: row() is whole, and began at first_line(). kOpen: it goes on. kTooLong: it went on for
  /// more than kMaxBytes, and is dropped.
  State Add(std::string_view text, uint64_t line, char delimiter);
  std::string_view row() const { return row_; }
  uint64_t first_line() const { return first_line_; }
  bool IsOpen() const { return is_open_; }

 private:
  std::string open_;
  std::string_view row_;
  uint64_t first_line_ = 0;
  bool is_open_ = false;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_SIZES_TABLE_ROW_H_
