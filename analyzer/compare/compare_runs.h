// Compares two runs cause by cause.

#ifndef SHAPEWISE_COMPARE_COMPARE_RUNS_H_
#define SHAPEWISE_COMPARE_COMPARE_RUNS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "result/diff.h"
#include "result/finding.h"

namespace shapewise {

/// What makes the newer run worse.
struct CompareOptions {
  std::optional<Severity> fail_on = Severity::kWarning;  ///< absent: nothing makes a run worse
  double max_increase = 0.2;          ///< of compile seconds, relative to the older run
  double max_increase_seconds = 5.0;  ///< both limits must be exceeded
};

/// A run with its lint result.
struct LintedRun {
  std::string name;        ///< as given by the user
  bool has_totals = true;  ///< false: a baseline, which contains causes only
  const LintResult& result;
  std::optional<uint64_t> calls = std::nullopt;  ///< of compiled functions; absent: not recorded
};

/// Compares two runs. The order of findings in the results does not matter, except that the answer
/// keeps it. The newer run is worse if it has a new cause of severity `fail_on` or above, if a
/// common cause reaches that severity or now runs eagerly, or if its compile time exceeds both
/// limits. Counts alone never make a run worse, because the lengths of the runs are unknown. A
/// newer run that is empty, or made less than half of the calls, is never better.
DiffResult CompareRuns(const LintedRun& before, const LintedRun& after,
                       const CompareOptions& options);

/// Whether a run whose logs print `coverage` would have shown the cause of `finding`.
bool WouldShow(const Coverage& coverage, const Finding& finding);

/// Whether `after` is worse than `before`, apart from counts: it has a higher severity, or now runs
/// eagerly.
bool IsWorse(const Finding& before, const Finding& after);

}  // namespace shapewise

#endif  // SHAPEWISE_COMPARE_COMPARE_RUNS_H_
