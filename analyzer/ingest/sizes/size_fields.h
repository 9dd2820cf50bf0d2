// Fields of texts with sizes: numbers, rows of tables, names of columns.

#ifndef SHAPEWISE_INGEST_SIZES_SIZE_FIELDS_H_
#define SHAPEWISE_INGEST_SIZES_SIZE_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/SmallVector.h"

namespace shapewise {

/// `text` without surrounding blanks and quotes, and without a "+".
std::string_view Unquoted(std::string_view text);

/// The number in `text`, within blanks or quotes; HUGE_VAL if it is too large for a double.
std::optional<double> FieldNumber(std::string_view text);

/// The same, if it is finite.
std::optional<double> FiniteNumber(std::string_view text);

/// Parses a size, or a count of calls up to `most`: "12", "12.0", "1.2e1", within blanks or quotes;
/// within quotes also "1,234".
/// Returns what is wrong, as the end of a sentence, such as "is no number"; empty: it was parsed.
std::string_view ParseWholeNumber(std::string_view text, uint64_t most, uint64_t& value);

/// Splits `text` at commas, semicolons and blanks.
llvm::SmallVector<std::string_view, 8> SplitNumbers(std::string_view text);

/// Whether `text` has at least one field, and all fields are numbers.
bool IsNumberRow(std::string_view text);

/// The delimiter of rows that SplitNumbers splits.
inline constexpr char kAnyDelimiter = '\0';

/// Calls `each(field)` for the fields of `row` from left to right until it returns false. Quotes
/// are kept. The `delimiter` ' ' matches any number of blanks.
template <typename Each>
void ForEachField(std::string_view row, char delimiter, const Each& each) {
  if (delimiter == kAnyDelimiter) {
    for (const std::string_view field : SplitNumbers(row)) {
      if (!each(field)) return;
    }
    return;
  }
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
        if (end + 1 == row.size() || row[end + 1] != '"') break;
        ++end;
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

/// Whether `row` ends within a quoted field, which continues on the next line. `is_in_quotes`: the
/// previous line did.
bool EndsInQuotes(std::string_view row, char delimiter, bool is_in_quotes);

/// All fields, trimmed, without quotes.
std::vector<std::string> FieldsOf(std::string_view row, char delimiter);

/// The most likely separator of the fields of `row`: tab, comma, semicolon, bar, or else ' '.
char DelimiterOf(std::string_view row);

/// Whether a column with this name can be the size by default, unless there is another one of this
/// kind.
bool IsSizeName(std::string_view name);

/// "'a', 'b', 'c'", and the number of further names.
std::string QuotedNames(std::span<const std::string> names);

/// The index in `names` of the column that the user calls `wanted`: its name, in any case if that
/// is unique, or its number, 1-based. names.size(): no such column.
size_t FindColumn(std::string_view wanted, std::span<const std::string> names);

/// The default column: the only one of `names` that is not a count (nor called `count_column`), or
/// else the only one with a name for sizes. Absent: there is no such column.
std::optional<size_t> FindSizeColumn(std::span<const std::string> names,
                                     std::string_view count_column);

/// The first of `names` that is the count of a row, except `sizes`, the columns read as sizes, of
/// which there may be more (`num_sizes`).
std::optional<size_t> FindCountColumn(std::span<const std::string> names,
                                      std::span<const size_t> sizes, size_t num_sizes);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_SIZES_SIZE_FIELDS_H_
