// Compares two runs cause by cause. Matches their findings.

#ifndef SHAPEWISE_COMPARE_COMPARE_RUNS_H_
#define SHAPEWISE_COMPARE_COMPARE_RUNS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

/// A pair, by index.
struct FindingMatch {
  size_t before = 0;
  size_t after = 0;
  MatchedBy matched_by = MatchedBy::kFingerprint;
};

/// Returns pairs of findings, each finding in at most one pair, in the order of `before`. The pairs
/// depend on the content of the findings, not their order, and stay the same if the runs are
/// swapped.
///
/// Equal fingerprints are paired first. If both runs have the same number with one fingerprint,
/// they are paired in the order of their lines; otherwise those on the same line first, then those
/// of the same rule. The rest is paired by similarity (MatchedBy), only if each run has exactly one
/// candidate and its place or names support the match.
std::vector<FindingMatch> MatchFindings(const std::vector<Finding>& before,
                                        const std::vector<Finding>& after);

}  // namespace shapewise

#endif  // SHAPEWISE_COMPARE_COMPARE_RUNS_H_
