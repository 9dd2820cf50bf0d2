// Counts of an input with one record per line.

#ifndef SHAPEWISE_PIPELINE_RECORD_FILE_H_
#define SHAPEWISE_PIPELINE_RECORD_FILE_H_

#include <string>
#include <utility>

#include "ingest/json_line_totals.h"
#include "redact/redactor.h"

namespace shapewise {

/// The counts of a file with one record per line.
struct RecordFile {
  std::string path;
  JsonLineTotals totals;
};

/// The name of an input in results.
inline std::string NameOfInput(const std::string& path, Redactor* redactor) {
  return redactor == nullptr || path == "-" ? path : redactor->Rewrite(TextKind::kPath, path);
}

/// The counts of `path`; `totals` are already redacted if there is a `redactor` (may be null).
inline RecordFile MakeRecordFile(const std::string& path, JsonLineTotals totals,
                                 Redactor* redactor) {
  return {NameOfInput(path, redactor), std::move(totals)};
}

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_RECORD_FILE_H_
