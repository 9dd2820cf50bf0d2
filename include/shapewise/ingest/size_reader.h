// Sizes that calls had, from any form in which people keep them.

#ifndef SHAPEWISE_INGEST_SIZE_READER_H_
#define SHAPEWISE_INGEST_SIZE_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "shapewise/ingest/json_line_totals.h"
#include "shapewise/model/call_grouper.h"
#include "shapewise/model/size_history.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// Forms in which sizes come; told by the content (docs/sizes.md).
enum class SizeForm : uint8_t {
  kNumbers,      ///< "numbers": a size a line
  kHistogram,    ///< "histogram": a size and how often it came
  kTable,        ///< "table": columns between commas, tabs, semicolons or blanks
  kJsonLines,    ///< "json lines": an object a line
  kList,         ///< "list": a JSON list of sizes
  kCallRecords,  ///< "call records": what a recorder wrote
  kLintResult,   ///< "lint result": shapewise lint --format json --events
  kServerLog,    ///< "server log": what vLLM and SGLang log of the steps that they serve
  kMetrics,      ///< "metrics": histograms that they print for Prometheus
};
/// The word of a form, as messages have it.
std::string_view SizeFormName(SizeForm form);

/// What to read of an input. Its dims: one a column or one a source; else one.
struct SizeQuery {
  std::vector<std::string> columns;  ///< names or 1-based numbers; of JSON lines: "usage.tokens"
  std::string count_column;          ///< holds how often a row came; empty: told by its name
  std::vector<std::string> sources;  ///< dims in call records and lint results: "x:1"
  std::string function;              ///< in these: only this one's calls

  size_t dims() const;
};

/// What was read of one input.
struct SizeTotals {
  SizeForm form = SizeForm::kNumbers;
  std::vector<std::string> columns;  ///< what the dims are called there
  bool is_ordered = true;            ///< rows came in the order of calls
  bool is_censored = false;          ///< only calls that missed a cache are in it
  uint64_t without = 0;              ///< calls that did not bring the size; passed over
  std::string note;      ///< which of several was taken, a clause; empty: there was no choice
  JsonLineTotals lines;  ///< `records`: rows of use
};

/// Takes the sizes of calls, in the order in which they stand in the input: `calls` calls in a row
/// had these sizes, each 0 to kMaxSize; those beyond the query's dims are 1. Returns what is wrong
/// with them, as a clause; empty: they are taken.
using SizeSink = llvm::function_ref<std::string_view(const Sizes& sizes, uint64_t calls)>;

/// Reads the sizes that `query` names from `path` ("-": standard input). Damaged lines are counted
/// and the rest is read; memory does not grow with the input, but for call records and lint
/// results. Error: it cannot be opened or read to its end, nothing of use is in it, or `query`
/// names nothing there: then the message names what is there.
Expected<SizeTotals> ReadSizes(const std::string& path, const SizeQuery& query, FileSource& files,
                               SizeSink sink);

/// One input of a SizeRun.
struct SizeFile {
  std::string path;
  SizeTotals totals;
};

/// Sizes of several inputs, one after the other in time.
struct SizeRun {
  SizeHistory history;
  std::vector<std::string> columns;  ///< what the dims are called, by the first input
  bool is_censored = false;
  GroupingTotals grouping;
  std::vector<SizeFile> files;
  std::vector<std::string> unread;  ///< one message an input that could not be read
};

/// Reads `paths` (files, folders, "-") and makes calls of them by `grouping`. Error: `grouping` and
/// `query` contradict each other, or lengths are to be grouped whose order means nothing.
Expected<SizeRun> ReadSizeRun(const std::vector<std::string>& paths, const SizeQuery& query,
                              const GroupingRule& grouping, FileSource& files);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_SIZE_READER_H_
