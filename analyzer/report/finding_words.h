// Parts of a finding in words, shared by several formats. They are unescaped text from the log:
// callers must escape it.

#ifndef SHAPEWISE_REPORT_FINDING_WORDS_H_
#define SHAPEWISE_REPORT_FINDING_WORDS_H_

#include <string>

#include "shapewise/model/session.h"
#include "shapewise/result/finding.h"

namespace shapewise {

/// Savings below this many seconds are not mentioned.
inline constexpr double kSecondsWorthSaying = 0.1;

/// The line to look at first: the one that triggers the finding, else the compiled function:
/// "train.py:9 in forward, which begins at line 6". Empty: unknown.
std::string PlaceToLookAt(const Finding& finding);

/// What changed and how: "size of x, dim 0: 4, 7, 12 (only grows)"; empty: unknown.
std::string VariedText(const Finding& finding);

/// "8 times on ranks 0-3, 12.4 s of compiling", "1 record with 37 cache entries"
std::string SeenText(const Finding& finding, const Session& session);

/// The evidence in the inputs: "run.log:12", "run.log:12 to 80", "a.log:12 to b.log:80".
std::string EvidenceText(const Finding& finding, const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_FINDING_WORDS_H_
