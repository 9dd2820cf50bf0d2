// Common parts of all formats of sizes: rows go to a sink, damage is counted, and requested columns
// may be missing; fields of texts with sizes are numbers, rows of tables and names of columns.

#ifndef SHAPEWISE_INGEST_SIZES_SIZE_ROWS_H_
#define SHAPEWISE_INGEST_SIZES_SIZE_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/size_reader.h"
#include "ingest/whole_lines.h"
#include "llvm/ADT/SmallVector.h"

namespace shapewise {

/// Name of sizes without a name of their own.
inline constexpr std::string_view kPlainName = "length";

/// Receives the rows of one input.
struct SizeRows {
  const SizeQuery& query;
  SizeSink sink;
  SizeTotals& totals;
  std::string error;  ///< the input lacks the requested data; reading stops

  /// The input cannot be read as requested.
  void Fail(std::string why) {
    if (error.empty()) error = std::move(why);
  }

  /// Rows have counts, so they have no order in time.
  void SetHistogram() {
    totals.is_ordered = false;
    totals.form = SizeForm::kHistogram;
  }

  void Take(const Sizes& sizes, uint64_t calls, uint64_t line) {
    if (const std::string_view why = sink(sizes, calls); !why.empty()) {
      return totals.lines.NoteDamage(line, std::string(why));
    }
    ++totals.lines.records;
  }

  /// Adds one row. `read(i, most, value)` reads the size of column i, or the count, which follows
  /// the last size, like ParseWholeNumber. An empty `count_name`: there is no count.
  template <typename Read>
  void TakeRow(uint64_t line, std::string_view count_name, const Read& read) {
    Sizes sizes{1, 1, 1};
    const size_t num_dims = totals.columns.size();
    for (size_t dim = 0; dim < num_dims; ++dim) {
      uint64_t size = 0;
      const std::string_view why = read(dim, uint64_t{kMaxSize}, size);
      if (!why.empty()) return NoteDamage(line, totals.columns[dim], why);
      sizes[dim] = static_cast<int64_t>(size);
    }
    uint64_t calls = 1;
    if (!count_name.empty()) {
      const std::string_view why = read(num_dims, SizeHistory::kMaxCalls, calls);
      if (!why.empty()) return NoteDamage(line, count_name, why);
      SetHistogram();
    }
    Take(sizes, calls, line);
  }

  /// "column 3 is no number": `what` as returned by ParseWholeNumber.
  void NoteDamage(uint64_t line, std::string_view name, std::string_view what) {
    totals.lines.NoteDamage(line, std::string(name) + " " + std::string(what));
  }
};

/// Reads one format of sizes.
class SizeFormReader : public WholeLines {
 public:
  explicit SizeFormReader(SizeRows& rows, bool keeps_indent = false)
      : WholeLines(rows.totals.lines, keeps_indent), rows_(rows) {}
  /// The input has ended.
  virtual void Finish() {}

 protected:
  SizeRows& rows_;
};

/// A dim of an argument as users write it. "x:1": dim 1 of x; "x:-1": its last; "n": the number n.
struct SizeSource {
  std::string name;  ///< in the form of NameOfSource()
  std::optional<int64_t> dim;
};

/// Never fails: a text without a dim names a number.
SizeSource ParseSizeSource(std::string_view text);

/// Whether `line` is from a server's log: it has a level or a bracket and a time, or is one of the
/// server's metrics.
bool IsServerLogLine(std::string_view line);

/// Whether `line` is one of a server's metrics: "# TYPE ...", or `name{label="x"} 12.0`.
bool IsMetricLine(std::string_view line);

/// Columns separated by `delimiter`. The first line may be a header, except for rows of numbers
/// (kAnyDelimiter), where a second number is the count of the first.
std::unique_ptr<SizeFormReader> NewColumnLines(SizeRows& rows, char delimiter);
/// Members of JSON objects, one object per line.
std::unique_ptr<SizeFormReader> NewJsonSizeLines(SizeRows& rows);
/// A JSON list of sizes or of objects, on one line or several: "[12, 30, 7]".
std::unique_ptr<SizeFormReader> NewSizeList(SizeRows& rows);
/// Dims of arguments in call records.
std::unique_ptr<SizeFormReader> NewRecordSizes(SizeRows& rows);
/// Sizes in a lint result: those of the calls that missed a cache.
std::unique_ptr<SizeFormReader> NewLintSizes(SizeRows& rows);
/// Steps that vLLM and SGLang log (analyzer/docs/sizes.md): `decode`, `prefill` or `tokens`, the
/// column of the query.
std::unique_ptr<SizeFormReader> NewServerLogSizes(SizeRows& rows);
/// Histograms of the metrics that servers print: the one that the query's column names.
std::unique_ptr<SizeFormReader> NewMetricSizes(SizeRows& rows);

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

#endif  // SHAPEWISE_INGEST_SIZES_SIZE_ROWS_H_
