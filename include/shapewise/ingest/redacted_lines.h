// What is said of inputs that hold a record a line, without names.

#ifndef SHAPEWISE_INGEST_REDACTED_LINES_H_
#define SHAPEWISE_INGEST_REDACTED_LINES_H_

#include <string>
#include <utility>

#include "shapewise/ingest/json_line_totals.h"
#include "shapewise/redact/redactor.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// Rewrites the pieces of the input that `totals` show.
inline void RedactTotals(Redactor& redactor, JsonLineTotals& totals) {
  totals.first_line = redactor.Rewrite(TextKind::kProse, totals.first_line);
  for (DamagedLine& line : totals.first_damaged) {
    line.what = redactor.Rewrite(TextKind::kProse, line.what);
  }
}

/// `error`, its message rewritten; with no `redactor` as it is.
inline Error RedactedError(Error error, Redactor* redactor) {
  if (redactor == nullptr) return error;
  return MakeError(redactor->Rewrite(TextKind::kProse, llvm::toString(std::move(error))));
}

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_REDACTED_LINES_H_
