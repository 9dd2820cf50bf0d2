// Merges findings that a report shows as one: sites of one idiom, and breaks under a branch that
// breaks.

#ifndef SHAPEWISE_CHECK_FOLD_FINDINGS_H_
#define SHAPEWISE_CHECK_FOLD_FINDINGS_H_

#include <vector>

#include "result/code_finding.h"

namespace shapewise {

/// Merges findings by their FoldKeys. Call this last, on the findings to report: a finding removed
/// by selection, a comment, a baseline or --diff must not hide others. Keeps the order of the
/// remaining findings.
void FoldFindings(std::vector<CodeFinding>& findings);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_FOLD_FINDINGS_H_
