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
#include "pipeline/program_text.h"
#include "pipeline/run_inputs.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

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
  lint.source_root = options.source_root;
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
