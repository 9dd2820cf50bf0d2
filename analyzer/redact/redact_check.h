// Redacts results of `check`. Separate from redact.h because names of graphs and code collide.

#ifndef SHAPEWISE_REDACT_REDACT_CHECK_H_
#define SHAPEWISE_REDACT_REDACT_CHECK_H_

#include "redact/redactor.h"
#include "result/code_finding.h"

namespace shapewise {

/// Redacts paths, functions and code in messages; removes the texts of fixes.
void RedactCheck(Redactor& redactor, CheckResult& result);

}  // namespace shapewise

#endif  // SHAPEWISE_REDACT_REDACT_CHECK_H_
