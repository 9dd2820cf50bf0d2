// Common parts of all formats of sizes: rows go to a sink, damage is counted, and requested columns
// may be missing.

#ifndef SHAPEWISE_INGEST_SIZES_SIZE_ROWS_H_
#define SHAPEWISE_INGEST_SIZES_SIZE_ROWS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/size_reader.h"
#include "ingest/whole_lines.h"

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

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_SIZES_SIZE_ROWS_H_
