// The reader of call records, for inputs whose format is known only after their first line.

#ifndef SHAPEWISE_INGEST_CALLS_CALL_RECORD_LINES_H_
#define SHAPEWISE_INGEST_CALLS_CALL_RECORD_LINES_H_

#include <memory>

#include "ingest/call_record_reader.h"
#include "ingest/whole_lines.h"

namespace shapewise {

/// Reads the lines of one input.
class CallRecordLines : public JsonLines {
 public:
  using JsonLines::JsonLines;
  /// The input has ended: the functions are complete.
  virtual void Finish() = 0;
};

/// Adds to `functions` and `totals`, which outlive it; `redactor` rewrites the texts at the end,
/// null: no redaction.
std::unique_ptr<CallRecordLines> NewCallRecordLines(RecordedFunctions& functions,
                                                    JsonLineTotals& totals,
                                                    Redactor* redactor = nullptr);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_CALLS_CALL_RECORD_LINES_H_
