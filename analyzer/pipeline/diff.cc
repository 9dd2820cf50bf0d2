#include "pipeline/diff.h"

#include <utility>

#include "redact/redactor.h"

namespace shapewise {

Expected<Diff> DiffRuns(const DiffOptions& options, FileSource& files) {
  // Read each run into its own session.
  const auto load = [&](const std::string& path) {
    LintOptions lint = options.lint;
    lint.paths = {path};
    return LoadRun(lint, files);
  };
  Diff diff;
  Expected<std::unique_ptr<LoadedRun>> before = load(options.before);
  if (!before) return before.takeError();
  diff.before = std::move(*before);
  Expected<std::unique_ptr<LoadedRun>> after = load(options.after);
  if (!after) return after.takeError();
  diff.after = std::move(*after);

  // Match causes, and compare them.
  std::string before_name = options.before;
  std::string after_name = options.after;
  if (Redactor* redactor = options.lint.read.redactor) {
    if (diff.before->is_saved || diff.after->is_saved) {
      return MakeError("--redact takes logs: names are part of the messages of a saved result");
    }
    redactor->Redact(TextKind::kPath, before_name, after_name);
  }
  diff.result =
      CompareRuns({before_name, !diff.before->is_baseline, diff.before->result},
                  {after_name, !diff.after->is_baseline, diff.after->result}, options.compare);
  return diff;
}

}  // namespace shapewise
