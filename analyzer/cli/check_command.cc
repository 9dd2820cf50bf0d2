#include "cli/commands.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "check/confidence.h"
#include "check/fixes.h"
#include "check/fold_findings.h"
#include "check/reader_rules.h"
#include "check/suppressions.h"
#include "cli/check_cache.h"
#include "cli/command_line.h"
#include "cli/git_changes.h"
#include "cli/options.h"
#include "cli/result_output.h"
#include "cli/settings.h"
#include "cli/terminal.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "pipeline/check.h"
#include "pipeline/code_baseline.h"
#include "pipeline/code_changes.h"
#include "pipeline/code_inputs.h"
#include "redact/redact_check.h"
#include "report/report.h"
#include "result/code_finding.h"
#include "support/error.h"
#include "support/terminal_text.h"
#include "support/text_input.h"

namespace shapewise {
namespace {

struct CheckArguments : ResultArguments {
  CodeSelection code;            ///< paths, --exclude, --stdin-filename
  CheckOptions check;            ///< --select, --ignore, --jobs
  std::string mode = "both";     ///< --mode: train, eval or both
  std::string path_prefix;       ///< --path-prefix; empty: none
  size_t num_entry_options = 0;  ///< of check.entries: --entry; the others are settings
  std::string baseline;          ///< --baseline; empty: none
  std::string diff;              ///< --diff BASE; empty: none
  bool preview = false;          ///< --diff with fixes and no BASE: show fixes, write nothing
  bool update_baseline = false;
  bool fix = false;           ///< --fix
  bool unsafe_fixes = false;  ///< --unsafe-fixes
  bool add_ignores = false;
  std::string ignore_reason;  ///< --reason
  bool statistics = false;
  bool watch = false;
  bool no_cache = false;

  bool ChangesFiles() const { return fix || unsafe_fixes || add_ignores; }
};

const std::vector<std::string>& ModeNames() {
  static const std::vector<std::string> names = {"train", "eval", "both"};
  return names;
}

CodeMode ModeOf(const std::string& name) {
  if (name == "train") return CodeMode::kTraining;
  return name == "eval" ? CodeMode::kEvaluation : CodeMode::kBoth;
}

Error ApplySettings(const CommandLine& line, CheckArguments& arguments) {
  Expected<Settings> all = LoadSettingsHere();
  if (!all) return all.takeError();
  const CheckSettings& settings = all->check;
  ApplySetting(line, "--select", settings.select, arguments.check.select);
  ApplySetting(line, "--ignore", settings.ignore, arguments.check.ignore);
  ApplySetting(line, "--baseline", settings.baseline, arguments.baseline);
  // Both sets of patterns apply: excluding one more folder does not mean to include build/.
  arguments.num_entry_options = arguments.check.entries.size();
  if (settings.entries) llvm::append_range(arguments.check.entries, *settings.entries);
  if (settings.exclude) llvm::append_range(arguments.code.exclude, *settings.exclude);
  if (Error error = ApplyChoice(line, "check", "fail-on", FailOnNames(), settings.fail_on,
                                arguments.fail_on)) {
    return error;
  }
  if (Error error = ApplyChoice(line, "check", "format", FormatNames(CheckFormats()),
                                settings.format, arguments.format)) {
    return error;
  }
  return ApplyChoice(line, "check", "mode", ModeNames(), settings.mode, arguments.mode);
}

/// Whether `word` can be a commit: git rejects names that begin like an absolute path or one from
/// this folder, so git need not be started for them.
bool CanNameCommit(std::string_view word) {
  return word != "-" && !word.starts_with("/") && !word.starts_with(".");
}

/// `--fix --diff src/` shows fixes of src/; `--fix --diff main src/` fixes what changed since main.
/// The parser assigns the word after --diff to it in both cases. As in git, a word that is both a
/// path and a commit is an error: guessing could edit or hide the wrong code.
Error SplitDiff(const CommandLine& line, CheckArguments& arguments) {
  if (!line.WasGiven("--diff")) return Error::success();
  const bool wants_fixes = arguments.fix || arguments.unsafe_fixes;
  const std::string& word = arguments.diff;
  if (wants_fixes && (word == "-" || llvm::sys::fs::exists(word))) {
    if (CanNameCommit(word) && IsCommit(word)) {
      return MakeError("--diff: '" + word + "' is both a commit and a path; write '" + word +
                       "~0' for the commit or './" + word + "' for the path");
    }
    arguments.code.paths.insert(arguments.code.paths.begin(), word);
    arguments.diff.clear();
  }
  arguments.preview = wants_fixes && arguments.diff.empty();
  return Error::success();
}

Error CheckTogether(const CommandLine& line, const CheckArguments& arguments) {
  const std::vector<std::string>& paths = arguments.code.paths;
  const bool from_stdin = std::ranges::find(paths, "-") != paths.end();
  if (line.WasGiven("--diff") && arguments.diff.empty() && !arguments.preview) {
    return MakeError("--diff requires the commit to compare with, such as --diff main");
  }
  if (arguments.update_baseline && arguments.baseline.empty()) {
    return MakeError("--update-baseline requires --baseline FILE");
  }
  if (arguments.update_baseline && !arguments.diff.empty()) {
    return MakeError("--update-baseline records all findings and cannot be combined with --diff");
  }
  if (arguments.add_ignores && (arguments.fix || arguments.unsafe_fixes)) {
    return MakeError("--add-ignores cannot be combined with --fix: both change the same lines");
  }
  if (from_stdin && paths.size() > 1) {
    return MakeError("'-' reads standard input and cannot be combined with other paths");
  }
  if (from_stdin && !arguments.diff.empty()) {
    return MakeError("--diff cannot be combined with standard input, which git does not track");
  }
  if (from_stdin && arguments.watch)
    return MakeError("--watch cannot be combined with standard input");
  if (arguments.watch && arguments.ChangesFiles()) {
    return MakeError(
        "--watch does not change files: it cannot be combined with --fix or --add-ignores");
  }
  if (arguments.redact.is_redacted && arguments.ChangesFiles()) {
    return MakeError(
        "--redact cannot be combined with --fix or --add-ignores, which show or change code");
  }
  if (arguments.statistics && arguments.format != "text" && arguments.format != "json") {
    return MakeError("--statistics supports only the formats text and json");
  }
  return Error::success();
}

void AddCheckOptions(CommandLine& line, CheckArguments& arguments) {
  line.Add("PATH", &arguments.code.paths, "",
           "Python files, notebooks, folders, or - for standard input [default: .]");
  AddChoice(line, "--mode", arguments.mode, ModeNames(), "Mode of the model to check");
  AddRuleList(line, "--select", arguments.check.select,
              "Select rules by code, code prefix or name");
  AddRuleList(line, "--ignore", arguments.check.ignore, "Ignore these rules");
  AddRepeatable(line, "--entry", arguments.check.entries, "PATTERN",
                "Functions that are called in a compiled region, as module.Class.method");
  AddRepeatable(line, "--exclude", arguments.code.exclude, "PATTERN",
                "Exclude matching files and folders");
  line.AddFlag("--force-exclude", &arguments.code.exclude_given,
               "Also exclude files that are named on the command line");
  line.AddFlag("--statistics", &arguments.statistics, "Count findings by rule");
  line.Add("--path-prefix", &arguments.path_prefix, "FOLDER",
           "Folder to prepend to relative paths in the result");
  line.Add("--diff", &arguments.diff, "BASE",
           "Report only findings introduced since this commit; with --fix and no commit, "
           "print the fixes as a diff instead of changing files",
           {.is_value_optional = true});
  line.Add("--baseline", &arguments.baseline, "FILE",
           "Ignore the findings listed in this baseline file");
  line.AddFlag("--update-baseline", &arguments.update_baseline,
               "Write the current findings to the baseline");
  line.AddFlag("--fix", &arguments.fix, "Apply safe fixes");
  line.AddFlag("--unsafe-fixes", &arguments.unsafe_fixes,
               "Also apply fixes that may change what the code does");
  line.AddFlag("--add-ignores", &arguments.add_ignores,
               "Add a comment to each finding that suppresses it");
  line.Add("--reason", &arguments.ignore_reason, "TEXT",
           "Reason to write in the comments of --add-ignores");
  line.Add("--stdin-filename", &arguments.code.stdin_name, "FILE",
           "File name to use for standard input");
  line.AddFlag("--watch", &arguments.watch, "Check again when a file changes, until Ctrl-C");
  line.Add("-j,--jobs", &arguments.check.jobs, "N",
           "Number of threads [default: one per processor]");
  line.AddFlag("--no-cache", &arguments.no_cache, "Do not use .shapewise_cache");
  AddResultOptions(line,
                   {.formats = FormatNames(CheckFormats()),
                    .all = "Also show uncertain findings, and code that was not followed",
                    .fail_on = "Exit with 1 if there is a finding of at least this severity"},
                   arguments);
}

/// Applies the settings file to options that the command line does not set, and checks combinations
/// of options. Error: options contradict each other.
Error FinishCheckArguments(const CommandLine& line, CheckArguments& arguments) {
  if (Error error = ApplySettings(line, arguments)) return error;
  if (Error error = SplitDiff(line, arguments)) return error;
  if (arguments.code.paths.empty()) arguments.code.paths = {"."};
  if (arguments.code.stdin_name.empty()) arguments.code.stdin_name = "stdin.py";
  arguments.check.mode = ModeOf(arguments.mode);
  return CheckTogether(line, arguments);
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
    // An unused ignore comment is not fixed by adding another one.
    std::vector<CodeFinding> wanted;
    for (size_t i = 0; i < findings.size(); ++i) {
      if (findings[i].rule == kUnusedIgnoreCode) continue;
      wanted.push_back(findings[i]);
      edited.settled.push_back(first + i);
    }
    edited.after = AddIgnores(file.text, wanted, arguments.ignore_reason);
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

constexpr const char* kCheckExamples =
    R"(Exit status: 0 no finding at or above --fail-on, 1 at least one such finding, 2 error.
Settings: [tool.shapewise.check] in pyproject.toml or [check] in shapewise.toml, with the keys
select, ignore, fail-on, format, baseline, mode, entries and exclude; options win.
A comment `# shapewise: ignore[SWP001] reason` holds a finding back.

Examples:
  shapewise check src/                        find graph breaks and recompilations
  shapewise check --mode eval model.py        ignore code that runs only in training
  shapewise check --diff main src/            only findings introduced on this branch
  shapewise check --fix --diff src/           show safe fixes; without --diff, apply them
  shapewise check --baseline known.json --update-baseline src/
  shapewise check --baseline known.json src/  report only new findings
  shapewise check --format sarif -o check.sarif src/    for code scanning
  cat model.py | shapewise check --stdin-filename src/model.py -)";

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
  Error UseBaseline(CheckResult& result);
  Error Change(const CodeInputs& inputs, CheckResult& result, bool& is_reported);
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
  Expected<GitChange> change = GitChange::Since(arguments_.diff);
  if (!change) return change.takeError();
  Expected<CodeInputs> inputs_before = change->Before(inputs);
  if (!inputs_before) return inputs_before.takeError();
  Expected<CodeAnalysis> before = Analyze(*inputs_before);
  if (!before) return before.takeError();
  const CodeTexts texts_before = TextsOf(before->result, *inputs_before);
  const CodeTexts texts = TextsOf(analysis.result, inputs);
  SuppressUnchanged(change->LinesOf(inputs), {before->result, texts_before},
                    {analysis.result, texts});
  return Error::success();
}

Error CheckRun::UseBaseline(CheckResult& result) {
  if (arguments_.baseline.empty()) return Error::success();
  if (arguments_.update_baseline) {
    if (!result.unread.empty()) {
      return MakeError(arguments_.baseline + ": not written, since not all files could be read");
    }
    if (Error error = WriteResult(arguments_.baseline, [&](llvm::raw_ostream& out) {
          WriteCodeBaseline(result.findings, out);
        })) {
      return error;
    }
  }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFile(arguments_.baseline);
  if (!file) {
    return MakeError(arguments_.baseline + ": " + file.getError().message() +
                     "; --update-baseline writes it");
  }
  Expected<std::vector<KnownFinding>> known = ReadCodeBaseline(
      std::string_view((*file)->getBufferStart(), (*file)->getBufferSize()), arguments_.baseline);
  if (!known) return known.takeError();
  const size_t stale = SuppressKnown(*known, result);
  // When checking part of the code, the rest of the baseline cannot be seen.
  if (stale > 0 && arguments_.diff.empty() && !arguments_.update_baseline) {
    llvm::errs() << "shapewise: " << stale << " of " << known->size() << " entries of "
                 << MakePrintable(arguments_.baseline)
                 << " hold nothing back in these files; --update-baseline drops them\n";
  }
  return Error::success();
}

/// Changes files, or shows the changes. `is_reported`: what was printed is the result.
Error CheckRun::Change(const CodeInputs& inputs, CheckResult& result, bool& is_reported) {
  if (!arguments_.ChangesFiles()) return Error::success();
  const std::vector<EditedFile> edits = PlanEdits(arguments_, result, inputs);
  const bool from_stdin = arguments_.code.paths.front() == "-";
  if (arguments_.preview) {
    is_reported = true;
    return WriteCode(arguments_.output, [&](llvm::raw_ostream& out) {
      for (const EditedFile& edited : edits) {
        out << UnifiedDiff(edited.before, edited.after, edited.path);
      }
    });
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
  llvm::errs() << "shapewise: " << settled << (settled == 1 ? " finding " : " findings ")
               << (arguments_.add_ignores ? "suppressed by new comments" : "fixed") << " in "
               << edits.size() << (edits.size() == 1 ? " file\n" : " files\n");
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
  if (!arguments_.report.all) LeaveOutUncertain(result);
  if (Error error = UseBaseline(result)) return error;
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
    kCheckExamples, Prepare<CheckArguments, AddCheckOptions, RunCheck>};

}  // namespace shapewise
