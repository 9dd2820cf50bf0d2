// Loads what engines need of a run, from logs or a saved result.

#ifndef SHAPEWISE_PIPELINE_LOAD_RUN_H_
#define SHAPEWISE_PIPELINE_LOAD_RUN_H_

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "dynamo/body.h"
#include "dynamo/run_function.h"
#include "ingest/json_line_totals.h"
#include "model/session.h"
#include "pipeline/lint.h"
#include "redact/redactor.h"
#include "result/finding.h"
#include "support/error.h"
#include "support/text_input.h"

namespace shapewise {

/// A run with its lint result.
struct LoadedRun {
  LintResult result;
  Session session;           ///< the session; has no events if the result was saved
  bool is_saved = false;     ///< `result` was read from a file
  bool is_baseline = false;  ///< a saved result with causes only
};

/// Reads `options.paths`: logs as for Lint, or one saved result (ReadSavedResult), detected by its
/// first bytes, so that a pipe works, too. Selectors apply to both.
///
/// Errors: those of Lint and ReadSavedResult; a path that cannot be read to its end; a saved result
/// together with other paths. An unrecognized input is not an error.
Expected<std::unique_ptr<LoadedRun>> LoadRun(const LintOptions& options, FileSource& files);

class Redactor;

/// Reads `paths` as one run and returns the body of `function`. If the run has no function of that
/// name, or the name is empty, returns that of the only compiled function; if there are several,
/// nothing is known. `redactor` rewrites what is read, and `function` must then be a token; null:
/// unchanged. Error: a path cannot be read, or none contains output of torch.compile.
Expected<BodyFacts> LoadBody(const std::vector<std::string>& paths, FileSource& files,
                             const std::string& function, Redactor* redactor = nullptr);

/// Uses `body` for functions whose body the run does not show.
void UseBody(const BodyFacts& body, const std::vector<std::unique_ptr<RunFunction>>& functions);

/// Returns one sentence for each group of inputs of the sorted `session` that are the same log, in
/// the order of the first one. Inputs are the same if they have equal unpacked sizes and events,
/// and also equal names (apart from ".gz" or ".zst") or equal event times. Empty inputs are
/// ignored. Nothing is removed: repeated inputs count several times.
std::vector<std::string> DescribeRepeatedInputs(const Session& session);

/// Passes files through, except saved results (LooksSaved): their text is stored, and the sink
/// receives nothing. So every file or pipe is read once.
class SavedResultTap final : public FileSource {
 public:
  struct Saved {
    std::string name;
    std::string text;  ///< truncated after kMaxSavedBytes, which is too long anyway
  };

  /// `files` must outlive this.
  explicit SavedResultTap(FileSource& files) : files_(files) {}

  Expected<std::vector<std::string>> Expand(const std::string& path) override {
    return files_.Expand(path);
  }
  Error Read(const std::string& path, LineSink& sink, Stats& stats, uint32_t input,
             TextTotals& totals) override;
  Expected<std::unique_ptr<llvm::MemoryBuffer>> Open(const std::string& path) override {
    return files_.Open(path);
  }

  /// Sorted by name; complete after reading.
  const std::vector<Saved>& saved() const { return saved_; }

 private:
  FileSource& files_;
  std::mutex mutex_;  ///< protects saved_: several threads read
  std::vector<Saved> saved_;
};

/// Reads the causes in a baseline or a saved lint result at `path`. Error: as for ReadSavedResult,
/// or the file is neither.
Expected<std::vector<Finding>> LoadBaseline(const std::string& path, FileSource& files);

/// Removes from `result` the findings that are in `known` and not worse than there, and records
/// this in LintResult::baseline. An entry that no longer occurs is stale, unless `options` deselect
/// its rule or the logs do not print what would show it. `file`: the user's name of the baseline.
/// Error: a selector of `options` that matches no rule.
Error SuppressKnown(const std::vector<Finding>& known, const std::string& file,
                    const LintOptions& options, LintResult& result);

/// The counts of a file with one record per line.
struct RecordFile {
  std::string path;
  JsonLineTotals totals;
};

/// The name of an input in results.
inline std::string NameOfInput(const std::string& path, Redactor* redactor) {
  return redactor == nullptr || path == "-" ? path : redactor->Rewrite(TextKind::kPath, path);
}

/// The counts of `path`; `totals` are already redacted if there is a `redactor` (may be null).
inline RecordFile MakeRecordFile(const std::string& path, JsonLineTotals totals,
                                 Redactor* redactor) {
  return {NameOfInput(path, redactor), std::move(totals)};
}

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_LOAD_RUN_H_
