// A finding for people: what, where, what changed, how often, what to do.

#ifndef SHAPEWISE_REPORT_TEXT_FINDING_H_
#define SHAPEWISE_REPORT_TEXT_FINDING_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/session.h"
#include "report/document.h"
#include "result/finding.h"
#include "result/number_text.h"

namespace shapewise {

/// Columns of the labelled rows of a finding: for the label, and for its text.
inline constexpr size_t kFindingIndent = 6;
/// The longest label is "changed", and two blanks follow it.
inline constexpr size_t kFindingText = kFindingIndent + 9;

/// The style of the name of a severity.
TextStyle SeverityStyle(Severity severity);

/// Adds "error[SWG001]: message".
void AddFindingHead(Severity severity, const std::string& rule, const std::string& message,
                    Document& page);

/// Adds `finding`. `all_fixes`: not only the best one.
void AddFinding(const Finding& finding, const Session& session, bool all_fixes, Document& page);

/// Adds `finding` as one paragraph.
void AddNote(const Finding& finding, const Session& session, Document& page);

/// Adds what a run lost: the headline, compile time, eager functions, steps, servers, ranks.
void AddVerdict(const LintResult& result, const Session& session, Document& page);

/// Adds what a log does not show: one sentence by itself, or a list with a title.
void AddGaps(const std::vector<std::string>& gaps, Document& page);

/// Describes a cause without a message: "recompile in forward (model.py): size of x, dim 0".
std::string IdentityText(const Identity& identity);

/// "train.py:12", or the known part of it; empty: unknown.
std::string PlaceText(const Place& place);

/// Savings below this many seconds are not mentioned.
inline constexpr double kSecondsWorthSaying = 0.1;

/// The line to look at first: the one that triggers the finding, else the compiled function:
/// "train.py:9 in forward, which begins at line 6". Empty: unknown.
std::string PlaceToLookAt(const Finding& finding);

/// What changed and how: "size of x, dim 0: 4, 7, 12 (only grows)"; empty: unknown.
std::string VariedText(const Finding& finding);

/// "8 times on ranks 0-3, 12.4 s of compiling", "once, when there were 37 cache entries"
std::string SeenText(const Finding& finding, const Session& session);

/// The beginning of a place in `input`: "run.log:"; "line " or "lines " in the only input.
std::string LinesPrefix(uint32_t input, bool is_plural, const Session& session);

/// The evidence in the inputs: "lines 12 to 80", "run.log:12", "a.log:12 to b.log:80".
std::string EvidenceText(const Finding& finding, const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_TEXT_FINDING_H_
