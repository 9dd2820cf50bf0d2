// Reads call records, which a recorder in the program writes: one JSON object per call.

#ifndef SHAPEWISE_INGEST_CALL_RECORD_READER_H_
#define SHAPEWISE_INGEST_CALL_RECORD_READER_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/json_line_totals.h"
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

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_CALL_RECORD_READER_H_
