// The reader of call records, for inputs whose form is told only by their first line.

#ifndef SHAPEWISE_INGEST_CALLS_CALL_RECORD_LINES_H_
#define SHAPEWISE_INGEST_CALLS_CALL_RECORD_LINES_H_

#include <memory>

#include "shapewise/ingest/call_record_reader.h"

namespace shapewise {

/// Takes the lines of one input.
class CallRecordLines {
 public:
  virtual ~CallRecordLines() = default;

  virtual LineSink& lines() = 0;
  /// The input has ended: the functions are complete.
  virtual void Finish() = 0;
  virtual JsonLineTotals& totals() = 0;
};

/// Adds to `functions`, which outlives it.
std::unique_ptr<CallRecordLines> NewCallRecordLines(RecordedFunctions& functions);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_CALLS_CALL_RECORD_LINES_H_
