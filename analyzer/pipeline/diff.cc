#include "pipeline/diff.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/run_inputs.h"
#include "redact/redactor.h"

namespace shapewise {
namespace {

/// The calls that `path`, the folder of a run, records; absent: it records none.
std::optional<uint64_t> CallsOf(const std::string& path, FileSource& files) {
  const std::vector<std::string> folders = CallFoldersOf({path});
  if (folders.empty()) return std::nullopt;
  RecordedFunctions recorded;
  std::vector<RecordFile> read;
  if (!ReadRunRecords(folders, files, nullptr, recorded, read).empty()) return std::nullopt;
  uint64_t calls = 0;
  for (const auto& function : recorded) {
    if (function->is_compiled) calls += function->history.calls.size() + function->dropped_calls;
  }
  return calls;
}

}  // namespace

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
  diff.result = CompareRuns(
      {before_name, !diff.before->is_baseline, diff.before->result, CallsOf(options.before, files)},
      {after_name, !diff.after->is_baseline, diff.after->result, CallsOf(options.after, files)},
      options.compare);
  return diff;
}

}  // namespace shapewise
