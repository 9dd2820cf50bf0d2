// The file of `check --baseline`.

#ifndef SHAPEWISE_CLI_CHECK_BASELINE_H_
#define SHAPEWISE_CLI_CHECK_BASELINE_H_

#include "cli/check_arguments.h"
#include "result/code_finding.h"
#include "support/error.h"

namespace shapewise {

/// Moves the findings in the baseline of `arguments` to CheckResult::known_findings, and leaves out
/// uncertain findings unless they are requested. With --update-baseline, writes the baseline: with
/// all findings, and with old entries that this check cannot judge. Prints what it wrote, or how
/// many entries match no finding. Error: the baseline cannot be read or written.
Error ApplyBaseline(const CheckArguments& arguments, CheckResult& result);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_CHECK_BASELINE_H_
