// Redacts messages about inputs with one record per line.

#ifndef SHAPEWISE_INGEST_REDACTED_LINES_H_
#define SHAPEWISE_INGEST_REDACTED_LINES_H_

#include <string>
#include <utility>

#include "ingest/json_line_totals.h"
#include "redact/redactor.h"
#include "support/error.h"

namespace shapewise {

/// Redacts the quoted parts of the input in `totals`.
inline void RedactTotals(Redactor& redactor, JsonLineTotals& totals) {
  totals.first_line = redactor.Rewrite(TextKind::kProse, totals.first_line);
  for (DamagedLine& line : totals.first_damaged) {
    line.what = redactor.Rewrite(TextKind::kProse, line.what);
  }
}

/// `error` with its message redacted, or unchanged without a `redactor`.
inline Error RedactedError(Error error, Redactor* redactor) {
  if (redactor == nullptr) return error;
  return MakeError(redactor->Rewrite(TextKind::kProse, llvm::toString(std::move(error))));
}

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_REDACTED_LINES_H_
