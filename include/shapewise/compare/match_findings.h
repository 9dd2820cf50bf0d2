// Which causes of two runs are the same.

#ifndef SHAPEWISE_COMPARE_MATCH_FINDINGS_H_
#define SHAPEWISE_COMPARE_MATCH_FINDINGS_H_

#include <cstddef>
#include <vector>

#include "shapewise/result/diff.h"
#include "shapewise/result/finding.h"

namespace shapewise {

/// A pair, by index.
struct FindingMatch {
  size_t before = 0;
  size_t after = 0;
  MatchedBy matched_by = MatchedBy::kFingerprint;
};

/// Pairs of findings, each finding in one pair at most; in order of `before`. Depends on what the
/// findings say, not on their order, and is the same pairs when the runs change places.
///
/// First come equal fingerprints. Where both runs have as many of one, they are paired in the order
/// of their lines; else those on the same lines first, then those of the same rule. What remains is
/// paired by likeness (MatchedBy), but only where each run has exactly one candidate and the place
/// or the names give reason to believe it.
std::vector<FindingMatch> MatchFindings(const std::vector<Finding>& before,
                                        const std::vector<Finding>& after);

}  // namespace shapewise

#endif  // SHAPEWISE_COMPARE_MATCH_FINDINGS_H_
