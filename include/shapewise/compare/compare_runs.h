// Two runs, cause by cause.

#ifndef SHAPEWISE_COMPARE_COMPARE_RUNS_H_
#define SHAPEWISE_COMPARE_COMPARE_RUNS_H_

#include <optional>
#include <string>

#include "shapewise/result/diff.h"
#include "shapewise/result/finding.h"

namespace shapewise {

/// What makes the newer run worse.
struct CompareOptions {
  std::optional<Severity> fail_on = Severity::kWarning;  ///< absent: nothing does
  double max_increase = 0.2;          ///< of compile seconds, as a fraction of the older run's
  double max_increase_seconds = 5.0;  ///< both must be exceeded
};

/// One run as lint tells it.
struct ToldRun {
  std::string name;        ///< as given by the user
  bool has_totals = true;  ///< false: of a baseline, which has causes only
  const LintResult& result;
};

/// Compares two runs. The order of the findings within the results does not matter but for that of
/// the answer, which keeps it. The newer run is worse if it has a new cause of severity `fail_on`
/// or above, if a common cause rose to such a severity or runs eager now, or if compiling takes
/// longer by more than both guards. Counts alone never make it worse: how long each run was is not
/// known.
DiffResult CompareRuns(const ToldRun& before, const ToldRun& after, const CompareOptions& options);

/// Whether a run whose logs print `coverage` would have shown the cause of `finding`.
bool WouldShow(const Coverage& coverage, const Finding& finding);

/// Whether `after` is a worse sight of the cause `before`, whatever their counts: a higher
/// severity, or it runs eager now.
bool IsWorse(const Finding& before, const Finding& after);

}  // namespace shapewise

#endif  // SHAPEWISE_COMPARE_COMPARE_RUNS_H_
