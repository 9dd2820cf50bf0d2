// How causes and totals changed between two runs, and whether that is better or worse.

#ifndef SHAPEWISE_COMPARE_JUDGE_TOTALS_H_
#define SHAPEWISE_COMPARE_JUDGE_TOTALS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compare/compare_runs.h"
#include "result/diff.h"
#include "result/finding.h"

namespace shapewise {

/// Sets `verdict`, `better`, `worse` and `is_failure` of `diff`, whose causes are matched already.
/// Where totals cannot be compared (a baseline, other numbers of ranks), new causes of severity
/// `fail_on` and causes that got worse decide instead.
void JudgeTotals(const LintedRun& before, const LintedRun& after, const CompareOptions& options,
                 DiffResult& diff);

/// Whether `after` seconds are more than `before` by both guards.
bool IsLonger(double before, double after, const CompareOptions& options);

/// The changes of one cause. With `counts_count` false, counts, values and seconds are not
/// comparable because one log does not print them all.
std::vector<Change> DescribeChanges(const Finding& before, const Finding& after, bool counts_count,
                                    const CompareOptions& options);

}  // namespace shapewise

#endif  // SHAPEWISE_COMPARE_JUDGE_TOTALS_H_
