// The passes of lint that need more than one engine, one file each.

#ifndef SHAPEWISE_PIPELINE_LINT_PASSES_H_
#define SHAPEWISE_PIPELINE_LINT_PASSES_H_

#include <string>
#include <string_view>
#include <vector>

#include "advise/compiled_frame.h"
#include "causes/cause.h"
#include "ingest/reader.h"
#include "model/session.h"
#include "pipeline/lint.h"
#include "redact/redactor.h"
#include "result/finding.h"
#include "support/text_input.h"

namespace shapewise {

/// A record proves that its kind is printed. A limit without a recompile, a compile id N/1 or the
/// name of a resume function, all without their records, prove that it is not. A structured trace
/// contains all of them.
Coverage FindCoverage(const Session& session);

/// One sentence per gap, in a fixed order: what is missing and, if possible, how to get it. If
/// nothing of torch was recognized, only that and damage are reported. `has_calls`: as in
/// LintOptions.
std::vector<std::string> FindGaps(const Session& session, const RunSummary& summary,
                                  const StepReport& steps, bool has_calls);

/// A cause with its finding.
struct ReportedCause {
  Cause cause;
  Finding finding;
};

/// Creates the findings for `causes` of `session`. Causes without a rule are dropped, and so is
/// advice for PyTorch releases that cannot have written the log.
std::vector<ReportedCause> ReportCauses(const Session& session, std::vector<Cause> causes);

/// How the program failed, according to the inputs `paths`: "exit status 1" from the folder of
/// `shapewise run`, "TypeError: ..." from a log that ends with a Python traceback. Empty: no sign
/// of a failure. `ends`: of the inputs, as they were read. `redactor` (may be null) rewrites the
/// message.
std::string FindFailure(const std::vector<std::string>& paths, FileSource& files,
                        const InputEnds& ends, Redactor* redactor);

/// The exception at the end of `text`: "TypeError: ..."; empty if it does not end with one. Text
/// after the exception is accepted only if it is part of its message.
std::string_view LastException(std::string_view text);

/// Lint(), which also sets `frames` to the compiled frames of the run.
Expected<LintResult> LintWithFrames(const LintOptions& options, FileSource& files, Session& session,
                                    std::vector<CompiledFrame>& frames);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_LINT_PASSES_H_
