// The engine of `shapewise lint`: from inputs to findings.

#ifndef SHAPEWISE_PIPELINE_LINT_H_
#define SHAPEWISE_PIPELINE_LINT_H_

#include <string>
#include <vector>

#include "ingest/reader.h"
#include "model/session.h"
#include "result/finding.h"
#include "support/error.h"
#include "support/text_input.h"

namespace shapewise {

/// What to read and report.
struct LintOptions {
  std::vector<std::string> paths;   ///< files, folders, or "-" for standard input; at least one
  std::vector<std::string> select;  ///< codes, code prefixes or names of rules; empty: all
  std::vector<std::string> ignore;  ///< excluded rules; wins over `select`
  ReadOptions read;                 ///< optional things to read
  /// The folder that contains the program that the log is about; empty: at the logged paths. It is
  /// not read where the log is redacted.
  std::string source_root;
  bool has_calls = false;  ///< call records of the run are read elsewhere
};

/// Reads the inputs into the empty `session` and returns findings on the run.
///
/// Findings are ordered by severity, then functions that now run eagerly, then by cost, count and
/// place. `select` and `ignore` filter findings, but not the totals of the summary.
///
/// Error: a selector that matches no rule. An unreadable path is not an error: it is listed in
/// LintResult::unread. Neither is an unrecognized input: its Input::format stays empty.
Expected<LintResult> Lint(const LintOptions& options, FileSource& files, Session& session);

/// Returns findings on the run in the sorted `session`. `options.paths` is ignored. `files`: where
/// the program is looked up; null: nowhere. Error: a selector that matches no rule.
Expected<LintResult> LintSession(const LintOptions& options, const Session& session,
                                 FileSource* files = nullptr);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_LINT_H_
