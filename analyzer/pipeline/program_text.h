// The program that a log is about, where its text is at hand.
//
// A log prints one line for a guard: the first that needed the value. The program shows all of
// them.

#ifndef SHAPEWISE_PIPELINE_PROGRAM_TEXT_H_
#define SHAPEWISE_PIPELINE_PROGRAM_TEXT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/source_patch.h"
#include "causes/cause.h"
#include "support/text_input.h"

namespace shapewise {

/// Finds the file that a log calls `path`: below `root`, by the longest suffix of its path that
/// exists there, or without a root at the logged path. Only files named *.py: names come from a
/// log, which may be untrusted.
std::optional<SourceText> ReadSourceFile(const std::string& root, std::string_view path,
                                         FileSource& files);

/// Sets Cause::use of recompiles for a number, string or flag to what the whole function does with
/// the value, if that needs it more than the printed line does, and names that line in the fact
/// "used_line". Sets Cause::constant_by of sizes to kCode, with the fact "needed_at", where the log
/// does not say what made them constants and the function loops over them or needs them as Python
/// numbers. A file counts only if it defines the function at the line that the log prints: others
/// were changed since, or are of another machine. Reads each file once; each value looks at the
/// statements that contain its name.
void AddUsesInProgram(const ReadSource& read, std::vector<Cause>& causes);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_PROGRAM_TEXT_H_
