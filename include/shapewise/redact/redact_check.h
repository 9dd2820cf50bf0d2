// Rewriting of what `check` says. Apart from redact.h: graphs and code have words in common.

#ifndef SHAPEWISE_REDACT_REDACT_CHECK_H_
#define SHAPEWISE_REDACT_REDACT_CHECK_H_

#include "shapewise/redact/redactor.h"
#include "shapewise/result/code_finding.h"

namespace shapewise {

/// Rewrites paths, functions and the code in messages; the texts of fixes go.
void RedactCheck(Redactor& redactor, CheckResult& result);

}  // namespace shapewise

#endif  // SHAPEWISE_REDACT_REDACT_CHECK_H_
