#include "shapewise/pipeline/diff.h"

#include <utility>

namespace shapewise {

Expected<Diff> DiffRuns(const DiffOptions& options, FileSource& files) {
  // Read each run by itself: a session is one run.
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

  // Match their causes and judge.
  diff.result =
      CompareRuns({options.before, !diff.before->is_baseline, diff.before->result},
                  {options.after, !diff.after->is_baseline, diff.after->result}, options.compare);
  return diff;
}

}  // namespace shapewise
