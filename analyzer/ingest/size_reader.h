// Reads sizes of calls from many file formats, and measured costs by size.

#ifndef SHAPEWISE_INGEST_SIZE_READER_H_
#define SHAPEWISE_INGEST_SIZE_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/json_line_totals.h"
#include "llvm/ADT/STLExtras.h"
#include "model/call_grouper.h"
#include "model/cost_curve.h"
#include "model/size_history.h"
#include "support/text_input.h"

namespace shapewise {

/// Formats of sizes, detected by content (docs/sizes.md).
enum class SizeForm : uint8_t {
  kNumbers,      ///< "numbers": one size per line
  kHistogram,    ///< "histogram": a size and its count
  kTable,        ///< "table": columns separated by commas, tabs, semicolons or blanks
  kJsonLines,    ///< "json lines": one object per line
  kList,         ///< "list": a JSON list of sizes
  kCallRecords,  ///< "call records": written by a recorder
  kLintResult,   ///< "lint result": shapewise lint --format json --events
  kServerLog,    ///< "server log": what vLLM and SGLang log about steps
  kMetrics,      ///< "metrics": Prometheus histograms of a server
};
/// The word of a form in messages.
std::string_view SizeFormName(SizeForm form);

/// What to read from an input. It has one dim per column or source; else one dim.
struct SizeQuery {
  std::vector<std::string> columns;  ///< names or 1-based numbers; for JSON lines: "usage.tokens"
  std::string count_column;          ///< contains the count of a row; empty: found by its name
  std::vector<std::string> sources;  ///< dims in call records and lint results: "x:1"
  std::string function;  ///< for call records and lint results: only calls of this function

  size_t dims() const;
};

/// What was read of one input.
struct SizeTotals {
  SizeForm form = SizeForm::kNumbers;
  std::vector<std::string> columns;  ///< names of the dims in the input
  bool is_ordered = true;            ///< rows are in the order of calls
  bool is_censored = false;          ///< contains only calls that missed a cache
  uint64_t without = 0;              ///< calls without this size, which were skipped
  /// Call records, one dim: dims of other tensors that are as large in every call ("mask:1").
  std::vector<std::string> same;
  /// Sizes are upper bounds, and the calls have at most this many elements; 0: sizes are exact.
  double most_real = 0;
  std::string note;      ///< which of several candidates was read, as a clause; empty: no choice
  JsonLineTotals lines;  ///< `records`: usable rows
};

/// Takes the sizes of calls in input order: `calls` consecutive calls had these sizes, each 0 to
/// kMaxSize; sizes beyond the query's dims are 1. Returns an error clause; empty: accepted.
using SizeSink = llvm::function_ref<std::string_view(const Sizes& sizes, uint64_t calls)>;

/// Reads the sizes that `query` selects from `path` ("-": standard input). Damaged lines are
/// counted and skipped. Memory does not grow with the input, except for call records and lint
/// results. Error: the file cannot be opened or read to its end, contains nothing usable, or
/// `query` names nothing in it; then the message lists the names.
Expected<SizeTotals> ReadSizes(const std::string& path, const SizeQuery& query, FileSource& files,
                               SizeSink sink);

/// One input of a SizeRun.
struct SizeFile {
  std::string path;
  SizeTotals totals;
};

/// Sizes of several inputs, consecutive in time.
struct SizeRun {
  SizeHistory history;
  std::vector<std::string> columns;  ///< names of the dims, from the first input
  bool is_censored = false;
  std::vector<std::string> same;  ///< as in SizeTotals, in every input
  bool are_dims = false;          ///< columns are dims of tensors in every input: "x:1"
  GroupingTotals grouping;
  std::vector<SizeFile> files;
  std::vector<std::string> unread;  ///< one message per input that could not be read
};

/// Reads `paths` (files, folders, "-") and groups the sizes into calls by `grouping`. Error:
/// `grouping` contradicts `query`, or lengths without a meaningful order are to be grouped.
Expected<SizeRun> ReadSizeRun(const std::vector<std::string>& paths, const SizeQuery& query,
                              const GroupingRule& grouping, FileSource& files);

/// A curve, and how much of the file was read.
struct CostCurveFile {
  CostCurve curve;
  std::optional<double> compile_seconds;  ///< to compile a graph for one size: median of the rows
  std::optional<double> dynamic_compile_seconds;  ///< to compile one graph for all sizes
  JsonLineTotals lines;                           ///< `records`: usable rows
};

/// Reads timed sizes from `path` ("-": standard input): a table with a header, or JSON lines
/// (columns: docs/sizes.md). Several rows of one size are replaced by their median; the curve
/// ascends. Error: the file cannot be opened or read to its end, columns are missing, or no row is
/// usable.
Expected<CostCurveFile> ReadCostCurve(const std::string& path, FileSource& files);

/// Reads a list of sizes to compare with: all numbers of a text, a CSV or a JSON list, ascending
/// and distinct. Error: the file cannot be opened or read to its end, contains something other than
/// sizes and a header, or contains no sizes.
Expected<std::vector<int64_t>> ReadSizeLadder(const std::string& path, FileSource& files);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_SIZE_READER_H_
