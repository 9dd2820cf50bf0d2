// Findings that a report shows as one: sites of one idiom, and breaks under a branch that breaks.

#ifndef SHAPEWISE_CHECK_FOLD_FINDINGS_H_
#define SHAPEWISE_CHECK_FOLD_FINDINGS_H_

#include <vector>

#include "shapewise/result/code_finding.h"

namespace shapewise {

/// Folds findings as their FoldKeys say. Run this last, on the findings that are to be reported:
/// a finding that selection, a comment, a baseline or --diff removed must not hide others. Keeps
/// the order of the findings that remain.
void FoldFindings(std::vector<CodeFinding>& findings);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_FOLD_FINDINGS_H_
