#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "check/fixes.h"
#include "check/fold_findings.h"
#include "check/suppressions.h"
#include "cli/check_arguments.h"
#include "cli/commands.h"
#include "cli/git_changes.h"
#include "cli/options.h"
#include "cli/result_output.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "pipeline/check.h"
#include "pipeline/code_changes.h"
#include "pipeline/code_inputs.h"
#include "redact/redact.h"
#include "report/report.h"
#include "result/code_finding.h"
#include "support/error.h"
#include "support/terminal_text.h"
#include "support/text_input.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

/// A folder with one file per analysis, named by its key. Safe for concurrent use: files are
/// replaced atomically. If anything goes wrong, the result is only slower.
class CheckCache {
 public:
  /// `folder` is created when the first analysis is stored.
  explicit CheckCache(std::string folder) : folder_(std::move(folder)) {}

  /// The analysis stored under `key`; absent: none, or damaged.
  std::optional<CodeAnalysis> Find(const std::string& key) const;

  /// Stores `analysis`, and removes the least recently stored ones if there are too many.
  void Keep(const std::string& key, const CodeAnalysis& analysis) const;

 private:
  void DropOldest() const;

  std::string folder_;
};

namespace fs = llvm::sys::fs;

constexpr llvm::StringRef kEnd = ".analysis";
constexpr size_t kMostEntries = 32;

std::string PathIn(const std::string& folder, const std::string& name) {
  return folder + "/" + name;
}

/// Writes a cache file; errors are ignored, because the cache is optional.
void WriteQuietly(const std::string& path, llvm::StringRef bytes) {
  llvm::consumeError(WriteResult(path, [&](llvm::raw_ostream& out) { out << bytes; }));
}

/// Identifies this build of the program: its version, and the size and time of its file.
std::string ProgramStamp() {
  std::string stamp = SHAPEWISE_VERSION;
  // A rebuilt program may give other results under the same version.
  const std::string path = fs::getMainExecutable(nullptr, reinterpret_cast<void*>(&ProgramStamp));
  fs::file_status status;
  if (fs::status(path, status)) return stamp;
  stamp += " " + std::to_string(status.getSize());
  stamp += " " + std::to_string(status.getLastModificationTime().time_since_epoch().count());
  return stamp;
}

std::optional<CodeAnalysis> CheckCache::Find(const std::string& key) const {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFile(PathIn(folder_, key + kEnd.str()));
  if (!file) return std::nullopt;
  Expected<CodeAnalysis> analysis =
      LoadAnalysis(std::string_view((*file)->getBufferStart(), (*file)->getBufferSize()));
  if (analysis) return std::move(*analysis);
  llvm::consumeError(analysis.takeError());
  return std::nullopt;
}

void CheckCache::Keep(const std::string& key, const CodeAnalysis& analysis) const {
  if (!fs::exists(folder_)) {
    if (fs::create_directories(folder_)) return;
    // Excludes the cache from version control.
    WriteQuietly(PathIn(folder_, ".gitignore"), "*\n");
    WriteQuietly(PathIn(folder_, "CACHEDIR.TAG"), "Signature: 8a477f597d28d172789f06886806bc55\n");
  }
  WriteQuietly(PathIn(folder_, key + kEnd.str()), SaveAnalysis(analysis));
  DropOldest();
}

void CheckCache::DropOldest() const {
  std::vector<std::pair<llvm::sys::TimePoint<>, std::string>> entries;
  std::error_code code;
  for (fs::directory_iterator entry(folder_, code), end; !code && entry != end;
       entry.increment(code)) {
    if (!std::string_view(entry->path()).ends_with(kEnd)) continue;
    llvm::ErrorOr<fs::basic_file_status> status = entry->status();
    if (status) entries.emplace_back(status->getLastModificationTime(), entry->path());
  }
  if (entries.size() <= kMostEntries) return;
  std::sort(entries.begin(), entries.end());
  for (size_t i = 0; i + kMostEntries < entries.size(); ++i) {
    (void)fs::remove(entries[i].second);  // files that cannot be removed now are removed later
  }
}

/// A file with its new content.
struct EditedFile {
  std::string path;
  std::string before;
  std::string after;
  std::vector<size_t> settled;  ///< indices of the findings in the result that the edits resolve
};

EditedFile EditFile(const CheckArguments& arguments, const PythonFile& file,
                    llvm::ArrayRef<CodeFinding> findings, size_t first) {
  EditedFile edited{file.path, file.text, {}, {}};
  if (arguments.add_ignores) {
    AddedIgnores added = AddIgnores(file.text, findings, arguments.ignore_reason);
    edited.after = std::move(added.text);
    for (const size_t index : added.settled) edited.settled.push_back(first + index);
    return edited;
  }
  FixedText fixed = ApplyFixes(file.text, findings, arguments.unsafe_fixes);
  edited.after = std::move(fixed.text);
  for (const size_t index : fixed.applied) edited.settled.push_back(first + index);
  return edited;
}

/// The changes that `arguments` request in the files of `result`, by path. Notebooks are not
/// changed.
std::vector<EditedFile> PlanEdits(const CheckArguments& arguments, const CheckResult& result,
                                  const CodeInputs& inputs) {
  std::vector<EditedFile> edits;
  const std::vector<CodeFinding>& findings = result.findings;
  for (size_t begin = 0; begin < findings.size();) {
    size_t end = begin;
    while (end < findings.size() && findings[end].file == findings[begin].file) ++end;
    const PythonFile* file = inputs.Find(findings[begin].file);
    if (file != nullptr && file->notebook == nullptr) {
      EditedFile edited = EditFile(
          arguments, *file, llvm::ArrayRef<CodeFinding>(&findings[begin], end - begin), begin);
      if (edited.after != edited.before) edits.push_back(std::move(edited));
    }
    begin = end;
  }
  return edits;
}

/// Writes the files. Error: a file cannot be written, or changed since it was read.
Error WriteEdits(const std::vector<EditedFile>& edits) {
  for (const EditedFile& edited : edits) {
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> now =
        llvm::MemoryBuffer::getFile(edited.path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
    if (!now) return MakeError(edited.path + ": " + now.getError().message());
    if ((*now)->getBuffer() != llvm::StringRef(edited.before)) {
      return MakeError(edited.path + ": changed since it was read; nothing was written to it");
    }
    if (Error error =
            WriteResult(edited.path, [&](llvm::raw_ostream& out) { out << edited.after; })) {
      return error;
    }
  }
  return Error::success();
}

/// The number of findings that `edits` resolve.
size_t NumSettled(const std::vector<EditedFile>& edits) {
  size_t count = 0;
  for (const EditedFile& edited : edits) count += edited.settled.size();
  return count;
}

/// Removes from `result` the findings that `edits` resolve; returns their number.
size_t DropSettled(const std::vector<EditedFile>& edits, CheckResult& result) {
  std::set<size_t> settled;
  for (const EditedFile& edited : edits)
    settled.insert(edited.settled.begin(), edited.settled.end());
  std::vector<CodeFinding> left;
  for (size_t i = 0; i < result.findings.size(); ++i) {
    if (!settled.contains(i)) left.push_back(std::move(result.findings[i]));
  }
  result.findings = std::move(left);
  return settled.size();
}

constexpr const char* kCacheFolder = ".shapewise_cache";

/// Prepends `folder` to the relative paths of the code and of the findings.
void AddPathPrefix(llvm::StringRef folder, CodeInputs& inputs, CheckResult& result) {
  const auto add = [&](std::string& path) {
    if (llvm::sys::path::is_absolute(path)) return;
    llvm::SmallString<128> whole(folder);
    llvm::sys::path::append(whole, path);
    llvm::sys::path::remove_dots(whole, /*remove_dot_dot=*/true);
    path = std::string(whole);
  };
  for (PythonFile& file : inputs.files) add(file.path);
  std::ranges::sort(inputs.files, {}, &PythonFile::path);
  for (auto* findings : {&result.findings, &result.suppressed_findings, &result.known_findings}) {
    for (CodeFinding& finding : *findings) {
      add(finding.file);
      for (RelatedPlace& place : finding.related) add(place.file);
    }
  }
  for (CodeFault& fault : result.faults) add(fault.file);
}

/// One check, from the code to the exit status.
class CheckRun {
 public:
  explicit CheckRun(CheckArguments& arguments) : arguments_(arguments) {}

  Expected<ExitStatus> Run();

 private:
  Expected<CodeAnalysis> Analyze(const CodeInputs& inputs);
  /// Warns of entries that name no function.
  void ReportUnmatched(llvm::ArrayRef<std::string> patterns) const;
  Error LeaveWhatChanged(const CodeInputs& inputs, CodeAnalysis& analysis);
  Error Change(const CodeInputs& inputs, CheckResult& result, bool& is_reported);
  void ReportEdits(size_t settled, size_t files, const char* done, const CheckResult& left) const;
  Error Report(const CheckResult& result, const CodeTexts& texts);

  CheckArguments& arguments_;
};

Expected<CodeAnalysis> CheckRun::Analyze(const CodeInputs& inputs) {
  if (arguments_.no_cache) return AnalyzeCode(arguments_.check, inputs);
  const CheckCache cache(kCacheFolder);
  const std::string key = AnalysisKey(arguments_.check, inputs, ProgramStamp());
  if (std::optional<CodeAnalysis> kept = cache.Find(key)) return std::move(*kept);
  Expected<CodeAnalysis> analysis = AnalyzeCode(arguments_.check, inputs);
  if (analysis) cache.Keep(key, *analysis);
  return analysis;
}

Error CheckRun::LeaveWhatChanged(const CodeInputs& inputs, CodeAnalysis& analysis) {
  if (arguments_.diff.empty()) return Error::success();
  Expected<GitChange> change =
      GitChange::Since({arguments_.diff, arguments_.code.paths, !arguments_.no_untracked});
  if (!change) return change.takeError();
  Expected<CodeInputs> inputs_before = change->Before(inputs);
  if (!inputs_before) return inputs_before.takeError();
  Expected<CodeAnalysis> before = Analyze(*inputs_before);
  if (!before) return before.takeError();
  const CodeTexts texts_before = TextsOf(before->result, *inputs_before);
  const CodeTexts texts = TextsOf(analysis.result, inputs);
  const auto num_shown = [&] {
    const std::vector<CodeFinding>& findings = analysis.result.findings;
    return arguments_.report.all ? static_cast<std::ptrdiff_t>(findings.size())
                                 : std::ranges::count_if(findings, std::not_fn(IsUncertain));
  };
  const std::ptrdiff_t num_before = num_shown();
  SuppressUnchanged(change->LinesOf(inputs), {before->result, texts_before},
                    {analysis.result, texts});
  // Count what the report would have shown.
  analysis.result.outside_diff = static_cast<uint64_t>(num_before - num_shown());
  analysis.result.changed_files = change->NumChanged(inputs);
  return Error::success();
}

/// Prints what was, or would be, `done` with `settled` findings, and why others in `left` were not.
void CheckRun::ReportEdits(size_t settled, size_t files, const char* done,
                           const CheckResult& left) const {
  llvm::errs() << "shapewise: " << Counted(settled, "finding") << " " << done << " in "
               << Counted(files, "file");
  const auto in_notebooks = std::ranges::count_if(left.findings, [&](const CodeFinding& finding) {
    return finding.range.cell != 0 && (finding.fix || arguments_.add_ignores);
  });
  if (in_notebooks > 0) {
    llvm::errs() << "; notebooks are not changed ("
                 << Counted(static_cast<uint64_t>(in_notebooks), "finding") << ")";
  }
  const uint64_t unsafe = CountFixes(left, /*safe=*/false);
  if (settled == 0 && arguments_.fix && !arguments_.unsafe_fixes && unsafe > 0) {
    llvm::errs() << "; " << Counted(unsafe, "fix", "fixes") << " available with --unsafe-fixes";
  }
  llvm::errs() << "\n";
}

/// Changes files, or shows the changes. `is_reported`: what was printed is the result.
Error CheckRun::Change(const CodeInputs& inputs, CheckResult& result, bool& is_reported) {
  if (!arguments_.ChangesFiles()) return Error::success();
  const std::vector<EditedFile> edits = PlanEdits(arguments_, result, inputs);
  const bool from_stdin = arguments_.code.paths.front() == "-";
  if (arguments_.preview) {
    is_reported = true;
    if (Error error = WriteCode(arguments_.output, [&](llvm::raw_ostream& out) {
          for (const EditedFile& edited : edits) {
            out << UnifiedDiff(edited.before, edited.after, edited.path);
          }
        })) {
      return error;
    }
    ReportEdits(NumSettled(edits), edits.size(), "would be fixed", result);
    return Error::success();
  }
  if (from_stdin) {
    // As formatters do, print the text whether or not it changed.
    is_reported = true;
    // The other files are imports. Its path may be spelled differently from --stdin-filename.
    const auto file = std::ranges::find(inputs.files, true, &PythonFile::is_checked);
    if (file == inputs.files.end() || file->notebook != nullptr) {
      return MakeError(arguments_.code.stdin_name + ": only Python in UTF-8 can be changed");
    }
    const std::string& text = edits.empty() ? file->text : edits.front().after;
    Error error = WriteCode(arguments_.output, [&](llvm::raw_ostream& out) { out << text; });
    DropSettled(edits, result);
    return error;
  }
  if (Error error = WriteEdits(edits)) return error;
  const size_t settled = DropSettled(edits, result);
  ReportEdits(settled, edits.size(), arguments_.add_ignores ? "suppressed by comments" : "fixed",
              result);
  return Error::success();
}

Error CheckRun::Report(const CheckResult& result, const CodeTexts& texts) {
  PrepareReport(arguments_.output, arguments_.color, arguments_.report);
  return WriteResult(arguments_.output, [&](llvm::raw_ostream& out) {
    if (!arguments_.statistics) {
      return WriteCheck(result, texts, arguments_.format, arguments_.report, out);
    }
    WriteCheckStatistics(result, arguments_.format == "json", arguments_.report, out);
  });
}

void CheckRun::ReportUnmatched(llvm::ArrayRef<std::string> patterns) const {
  const bool has_whole_folders = llvm::all_of(arguments_.code.paths, [](const std::string& path) {
    return llvm::sys::fs::is_directory(path);
  });
  const auto options =
      llvm::ArrayRef(arguments_.check.entries).take_front(arguments_.num_entry_options);
  for (const std::string& pattern : patterns) {
    // A hook passes single files, which need not have the functions that settings name.
    if (!has_whole_folders && !llvm::is_contained(options, pattern)) continue;
    llvm::errs() << "shapewise: warning: " << MakePrintable(NoEntryText(pattern)) << "\n";
  }
}

Expected<ExitStatus> CheckRun::Run() {
  if (Error error = MakeRedactor(arguments_.redact)) return error;
  Expected<CodeInputs> inputs = ReadCode(arguments_.code, *NewDiskFileSource());
  if (!inputs) return inputs.takeError();
  Expected<CodeAnalysis> analysis = Analyze(*inputs);
  if (!analysis) return analysis.takeError();
  CheckResult& result = analysis->result;
  ReportUnread(result.unread);
  if (Error error = CheckIsPython(arguments_.code.paths, result)) return error;
  ReportUnmatched(analysis->unmatched_entries);
  if (inputs->num_files == 0) {
    llvm::errs() << "shapewise: warning: " << MakePrintable(NoPythonText(arguments_.code.paths))
                 << "\n";
  }
  if (Error error = LeaveWhatChanged(*inputs, *analysis)) return error;
  if (Error error = ApplyBaseline(arguments_, result)) return error;
  bool is_reported = false;
  if (Error error = Change(*inputs, result, is_reported)) return error;
  FoldFindings(result.findings);
  if (!arguments_.path_prefix.empty()) AddPathPrefix(arguments_.path_prefix, *inputs, result);
  CodeTexts texts = TextsOf(result, *inputs);
  if (Redactor* const redactor = arguments_.redact.redactor.get()) {
    RedactCheck(*redactor, result);
    texts = CodeTexts();
  }
  return FinishResult(is_reported ? Error::success() : Report(result, texts), arguments_,
                      result.unread.empty(), WorstOf(result));
}

constexpr std::chrono::milliseconds kWatchPause{300};

/// Size and time of every file; saving a file changes at least one of them.
using State = std::map<std::string, std::pair<uint64_t, llvm::sys::TimePoint<>>>;

State Look(const CodeSelection& code) {
  State state;
  Expected<std::vector<std::string>> files = ListCode(code);
  if (!files) {
    // The folder may be missing temporarily, for example while switching branches.
    llvm::consumeError(files.takeError());
    return state;
  }
  for (const std::string& file : *files) {
    llvm::sys::fs::file_status status;
    if (!llvm::sys::fs::status(file, status)) {
      state[file] = {status.getSize(), status.getLastModificationTime()};
    }
  }
  return state;
}

/// Calls `check` at once and after every change of a file of `code`, until the user interrupts.
/// Returns its last result; errors are printed, and the next change is awaited.
ExitStatus WatchCode(const CodeSelection& code,
                     const std::function<Expected<ExitStatus>()>& check) {
  const InterruptGuard interrupts;
  ExitStatus last = ExitStatus::kClean;
  State seen;
  bool is_first = true;
  while (!interrupts.is_interrupted()) {
    // Taken before the check, so that changes during it are noticed next time.
    State now = Look(code);
    if (is_first || now != seen) {
      seen = std::move(now);
      is_first = false;
      last = StatusOf(check());
      if (ErrorsAreSeen()) llvm::errs() << "shapewise: waiting for changes; Ctrl-C ends\n";
    }
    std::this_thread::sleep_for(kWatchPause);
  }
  return last;
}

Expected<ExitStatus> RunCheck(const CommandLine& line, CheckArguments& arguments) {
  if (Error error = FinishCheckArguments(line, arguments)) return error;
  if (arguments.watch) return WatchCode(arguments.code, [&] { return CheckRun(arguments).Run(); });
  return CheckRun(arguments).Run();
}

}  // namespace

const Command kCheckCommand = {
    3, "check", "Find graph breaks and recompilations in model code, without running it",
    Prepare<CheckArguments, AddCheckOptions, RunCheck>};

}  // namespace shapewise
