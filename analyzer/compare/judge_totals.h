// Whether the totals of a run are better or worse than those of an earlier one.

#ifndef SHAPEWISE_COMPARE_JUDGE_TOTALS_H_
#define SHAPEWISE_COMPARE_JUDGE_TOTALS_H_

#include "shapewise/compare/compare_runs.h"
#include "shapewise/result/diff.h"

namespace shapewise {

/// Sets `verdict`, `better`, `worse` and `is_failure` of `diff`, whose causes are matched already.
/// Where totals cannot be compared (a baseline, other numbers of ranks), new causes of severity
/// `fail_on` and causes that got worse decide instead.
void JudgeTotals(const LintedRun& before, const LintedRun& after, const CompareOptions& options,
                 DiffResult& diff);

}  // namespace shapewise

#endif  // SHAPEWISE_COMPARE_JUDGE_TOTALS_H_
