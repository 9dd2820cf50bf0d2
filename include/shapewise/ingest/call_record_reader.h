// Call records: what a recorder in the program wrote, one JSON object a call.

#ifndef SHAPEWISE_INGEST_CALL_RECORD_READER_H_
#define SHAPEWISE_INGEST_CALL_RECORD_READER_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/ingest/json_line_totals.h"
#include "shapewise/model/recorded_function.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

class Redactor;

/// Files of call records name it in their first line.
inline constexpr std::string_view kCallRecordsSchema = "shapewise.calls/1";
/// Input::format of such a file among logs, where it is passed over.
inline constexpr std::string_view kCallRecordsFormat = "call-records";

/// Functions by their first call.
using RecordedFunctions = std::vector<std::unique_ptr<RecordedFunction>>;

/// Reads the call records of `path` ("-": standard input; form: analyzer/docs/call-records.md) and
/// adds them to `functions`, where calls of one function of one process are gathered. Damaged lines
/// are counted, and the rest is read. `redactor` rewrites all texts once they are read; null: they
/// stay. Error: it cannot be opened or read to its end; what was read before is kept.
Expected<JsonLineTotals> ReadCallRecords(const std::string& path, FileSource& files,
                                         RecordedFunctions& functions,
                                         Redactor* redactor = nullptr);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_CALL_RECORD_READER_H_
