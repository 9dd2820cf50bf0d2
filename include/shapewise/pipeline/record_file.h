// The account of one input that holds a record a line.

#ifndef SHAPEWISE_PIPELINE_RECORD_FILE_H_
#define SHAPEWISE_PIPELINE_RECORD_FILE_H_

#include <string>
#include <utility>

#include "shapewise/ingest/json_line_totals.h"
#include "shapewise/redact/redactor.h"

namespace shapewise {

/// What became of one file that holds a record a line.
struct RecordFile {
  std::string path;
  JsonLineTotals totals;
};

/// What an input is called in results.
inline std::string NameOfInput(const std::string& path, Redactor* redactor) {
  return redactor == nullptr || path == "-" ? path : redactor->Rewrite(TextKind::kPath, path);
}

/// The account of `path`, whose `totals` were rewritten where there is a `redactor`; null: there is
/// none.
inline RecordFile MakeRecordFile(const std::string& path, JsonLineTotals totals,
                                 Redactor* redactor) {
  return {NameOfInput(path, redactor), std::move(totals)};
}

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_RECORD_FILE_H_
