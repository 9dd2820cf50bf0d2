// What `shapewise lint` does between its inputs and its report.

#ifndef SHAPEWISE_PIPELINE_LINT_H_
#define SHAPEWISE_PIPELINE_LINT_H_

#include <string>
#include <vector>

#include "shapewise/ingest/reader.h"
#include "shapewise/model/session.h"
#include "shapewise/result/finding.h"
#include "shapewise/support/error.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// What to read and what to tell of it.
struct LintOptions {
  std::vector<std::string> paths;   ///< files, folders, or "-" for standard input; at least one
  std::vector<std::string> select;  ///< codes, beginnings of codes, or names of rules; empty: all
  std::vector<std::string> ignore;  ///< likewise; wins over `select`
  ReadOptions read;                 ///< what to read beyond the usual
};

/// Reads the inputs into the empty `session` and tells what happened in the run.
///
/// The findings come worst first: by severity, then those whose function has run eagerly since,
/// then by cost, by count and by place. `select` and `ignore` decide which findings are told; the
/// totals of the summary stay those of the whole run.
///
/// Error: a selector that fits no rule. A path that cannot be read is none: it is told in
/// LintResult::unread, and the rest is read; nor is an input in which nothing is recognised: its
/// Input::format stays empty.
Expected<LintResult> Lint(const LintOptions& options, FileSource& files, Session& session);

/// Tells what happened in the run that `session` holds, which was sorted. `options.paths` is not
/// looked at. Error: a selector that fits no rule.
Expected<LintResult> LintSession(const LintOptions& options, const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_LINT_H_
