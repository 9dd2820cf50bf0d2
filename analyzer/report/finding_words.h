// A finding in words: the parts of it that several forms tell alike. All of them are plain text, as
// they come from the log: who prints them makes them harmless.

#ifndef SHAPEWISE_REPORT_FINDING_WORDS_H_
#define SHAPEWISE_REPORT_FINDING_WORDS_H_

#include <string>

#include "shapewise/model/session.h"
#include "shapewise/result/finding.h"

namespace shapewise {

/// Less saved than this is not worth saying, in seconds.
inline constexpr double kSecondsWorthSaying = 0.1;

/// The line to look at first, the one that asks for it, else the compiled function: "train.py:9 in
/// forward, which begins at line 6". Empty: the log tells neither.
std::string LookAtText(const Finding& finding);

/// What varied, and how: "size of x, dim 0: 4, 7, 12 (only grows)"; empty: nothing is known to
/// have.
std::string VariedText(const Finding& finding);

/// "8 times on ranks 0-3, 12.4 s of compiling", "1 record with 37 cache entries"
std::string SeenText(const Finding& finding, const Session& session);

/// Where in the inputs it stands: "run.log:12", "run.log:12 to 80", "a.log:12 to b.log:80".
std::string EvidenceText(const Finding& finding, const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_FINDING_WORDS_H_
