// Matches causes of two runs.

#ifndef SHAPEWISE_COMPARE_MATCH_FINDINGS_H_
#define SHAPEWISE_COMPARE_MATCH_FINDINGS_H_

#include <cstddef>
#include <vector>

#include "result/diff.h"
#include "result/finding.h"

namespace shapewise {

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

#endif  // SHAPEWISE_COMPARE_MATCH_FINDINGS_H_
