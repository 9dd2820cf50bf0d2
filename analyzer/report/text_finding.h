// Prints a finding for people: what, where, what changed, how often, what to do.

#ifndef SHAPEWISE_REPORT_TEXT_FINDING_H_
#define SHAPEWISE_REPORT_TEXT_FINDING_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/printed_text.h"
#include "shapewise/model/session.h"
#include "shapewise/result/finding.h"
#include "shapewise/result/number_text.h"

namespace shapewise {

/// Columns of the labelled rows of a finding: for the label, and for its text.
inline constexpr size_t kFindingIndent = 6;
/// The longest label is "changed", and two blanks follow it.
inline constexpr size_t kFindingText = kFindingIndent + 9;

/// Prints `finding` in full.
void PrintFinding(const Finding& finding, const Session& session, PrintedText& page);

/// Prints `finding` as one paragraph.
void PrintNote(const Finding& finding, const Session& session, PrintedText& page);

/// "1 recompile", "2 recompiles"; 'noun' takes a plain s.
std::string Counted(uint64_t count, std::string_view noun);

/// Describes a cause without a message: "recompile in forward (model.py): size of x, dim 0".
std::string IdentityText(const Identity& identity);

/// "train.py:12", or the known part of it; empty: unknown.
std::string PlaceText(const Place& place);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_TEXT_FINDING_H_
