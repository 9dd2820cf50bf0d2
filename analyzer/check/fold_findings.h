// What a report shows of the findings: several as one, which are sites of one idiom, or breaks
// under a branch that breaks; and none that are mostly wrong.

#ifndef SHAPEWISE_CHECK_FOLD_FINDINGS_H_
#define SHAPEWISE_CHECK_FOLD_FINDINGS_H_

#include <vector>

#include "result/code_finding.h"

namespace shapewise {

/// Merges findings by their FoldKeys. Call this last, on the findings to report: a finding removed
/// by selection, a comment, a baseline or --diff must not hide others. Keeps the order of the
/// remaining findings.
void FoldFindings(std::vector<CodeFinding>& findings);

/// Findings with less confidence are as likely to be wrong as right, and are notes.
inline constexpr double kCertainEnough = 0.5;

/// Whether a finding is mostly wrong, so that it is only shown on request.
bool IsUncertain(const CodeFinding& finding);

/// Removes from `result` what helps only those who ask for it, and counts it there: findings that
/// are mostly wrong, and places that the analysis did not follow to the end.
void LeaveOutUncertain(CheckResult& result);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_FOLD_FINDINGS_H_
