// Reads calls: records, which a recorder in the program writes as one JSON object per call; lengths
// of one dim; scenarios, one JSON object per line with a function known only by name, a policy and
// a list of calls.

#ifndef SHAPEWISE_INGEST_CALL_RECORD_READER_H_
#define SHAPEWISE_INGEST_CALL_RECORD_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/json_line_totals.h"
#include "llvm/ADT/STLExtras.h"
#include "model/call_history.h"
#include "model/compile_policy.h"
#include "model/recorded_function.h"
#include "support/text_input.h"

namespace shapewise {

class Redactor;

/// The schema named in the first line of such files.
inline constexpr std::string_view kCallRecordsSchema = "shapewise.calls/1";
/// Input::format of such a file among logs, where it is skipped.
inline constexpr std::string_view kCallRecordsFormat = "call-records";

/// Functions in order of their first call.
using RecordedFunctions = std::vector<std::unique_ptr<RecordedFunction>>;

/// Reads the call records of `path` ("-": standard input; format: analyzer/docs/call-records.md)
/// and adds them to `functions`, grouped by function and process. Damaged lines are counted and
/// skipped. `redactor` rewrites all texts; null: texts are kept. Error: the file cannot be opened
/// or read to its end; records read so far are kept.
Expected<JsonLineTotals> ReadCallRecords(const std::string& path, FileSource& files,
                                         RecordedFunctions& functions,
                                         Redactor* redactor = nullptr);

/// A tensor with one dim that takes the lengths.
struct LengthShape {
  std::string source;  ///< "L['x']"
  size_t dim = 0;      ///< the dim that varies
  /// All sizes; absent for `dim` and for unknown sizes.
  std::vector<std::optional<int64_t>> sizes;
};

/// Parses "x:1" (dim 1 of x; other sizes are the same in all calls) or "x[8,*,64]" (the dim at the
/// star). Error: neither form.
Expected<LengthShape> ParseLengthShape(std::string_view text);

/// Reads the lengths of `path` ("-": standard input) like ReadSizes() and adds one call per length
/// to `function`, which must be new. `redactor` rewrites its texts; null: texts are kept. Errors:
/// as for ReadSizes().
Expected<JsonLineTotals> ReadLengths(const std::string& path, const LengthShape& shape,
                                     FileSource& files, RecordedFunction& function,
                                     Redactor* redactor = nullptr);

/// One scenario. Marks and padding of its policy are already applied to the calls.
struct Scenario {
  std::string id;
  std::string function;  ///< its name, which implies nothing about the body
  std::string category;  ///< the known category of the body: "free", "equality" ...
  CallHistory history;
  CompilePolicy policy;
  std::string damage;  ///< why it cannot be read; empty: it can
  uint64_t line = 0;
};

/// Reads the scenarios of `path` ("-": standard input) and passes them on in order. A scenario is
/// valid only during the call. A damaged scenario that has an id is passed on and counted as
/// damaged. `redactor` rewrites all texts; null: texts are kept. Error: the file cannot be opened
/// or read to its end; scenarios before that were passed on.
Expected<JsonLineTotals> ReadScenarios(const std::string& path, FileSource& files,
                                       llvm::function_ref<void(const Scenario&)> handle,
                                       Redactor* redactor = nullptr);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_CALL_RECORD_READER_H_
