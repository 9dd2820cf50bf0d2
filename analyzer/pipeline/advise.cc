#include "pipeline/advise.h"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "advise/advise.h"
#include "advise/source_patch.h"
#include "ingest/call_record_reader.h"
#include "ingest/reader.h"
#include "llvm/ADT/STLExtras.h"
#include "pipeline/lint_passes.h"
#include "pipeline/load_run.h"
#include "pipeline/run_inputs.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Finds the file that a log calls `path`: below `root`, by the longest suffix of its path that
/// exists there, or without a root at the logged path.
std::optional<SourceText> ReadSourceFile(const std::string& root, std::string_view path,
                                         FileSource& files) {
  const auto read = [&](const std::string& from, std::string_view name) {
    Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = files.Open(from);
    if (!buffer) {
      llvm::consumeError(buffer.takeError());
      return std::optional<SourceText>();
    }
    return std::optional<SourceText>({std::string(name), std::string((*buffer)->getBuffer())});
  };
  // Names come from a log, which may be untrusted.
  if (path == "-" || HasText(path, "..") || HasText(path, "\n")) return std::nullopt;
  std::string_view rest = path;
  while (rest.starts_with('/')) rest.remove_prefix(1);
  if (root.empty()) return read(std::string(path), rest);
  while (true) {
    if (auto source = read(root + "/" + std::string(rest), rest)) return source;
    const size_t slash = rest.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(slash + 1);
  }
}

/// Reads call records; errors are recorded in `advice`.
RecordedFunctions ReadCalls(const std::vector<std::string>& given, FileSource& files,
                            Redactor* redactor, Advice& advice) {
  RecordedFunctions recorded;
  std::vector<RecordFile> read;
  advice.unread = ReadRunRecords(given, files, redactor, recorded, read);
  for (const RecordFile& file : read) {
    if (file.totals.records == 0) {
      advice.unread.push_back(file.path + ": no call records in it");
    } else if (file.totals.damaged > 0) {
      advice.gaps.push_back(std::to_string(file.totals.damaged) + " lines of " + file.path +
                            " are no call records: calls are missing.");
    }
  }
  std::erase_if(recorded, [](const auto& function) { return !function->is_compiled; });
  return recorded;
}

}  // namespace

Expected<Advice> AdviseOnRun(const AdviseOptions& options, FileSource& files, Session& session) {
  LintOptions lint;
  lint.paths = options.paths;
  lint.select = options.select;
  lint.ignore = options.ignore;
  lint.read.guard_texts = true;
  lint.read.redactor = options.redactor;
  const std::vector<std::string> calls =
      options.calls.empty() ? CallFoldersOf(options.paths) : options.calls;
  lint.has_calls = !calls.empty();
  std::vector<CompiledFrame> frames;
  Expected<LintResult> result = LintWithFrames(lint, files, session, frames);
  if (!result) return result.takeError();

  Advice read_calls;
  const RecordedFunctions recorded = ReadCalls(calls, files, options.redactor, read_calls);
  const std::unique_ptr<RunProbes> probes = ReadProbes(options.paths, files, options.redactor);
  Advice advice =
      Advise(std::move(frames), session, result->findings, result->summary, recorded, probes.get());
  advice.unread = std::move(result->unread);
  advice.program_failed = !result->summary.failure.empty();
  llvm::append_range(advice.unread, read_calls.unread);
  PatchPlan(options, files, advice);
  llvm::append_range(advice.gaps, result->gaps);
  llvm::append_range(advice.gaps, read_calls.gaps);
  return advice;
}

void PatchPlan(const AdviseOptions& options, FileSource& files, Advice& advice) {
  if (!options.patch) return;
  advice.patch = PatchSources(advice, [&](const std::string& path) {
    return ReadSourceFile(options.source_root, path, files);
  });
}

}  // namespace shapewise
