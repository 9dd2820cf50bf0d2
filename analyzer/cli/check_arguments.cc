#include "cli/check_arguments.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "check/fold_findings.h"
#include "cli/git_changes.h"
#include "cli/options.h"
#include "cli/result_output.h"
#include "cli/settings.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "pipeline/code_changes.h"
#include "pipeline/rule_selection.h"
#include "report/report.h"
#include "rules/rule_set.h"
#include "support/terminal_text.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

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
  const std::pair<bool, const char*> mistakes[] = {
      {line.WasGiven("--diff") && arguments.diff.empty() && !arguments.preview,
       "--diff requires the commit to compare with, such as --diff main"},
      {arguments.update_baseline && arguments.baseline.empty(),
       "--update-baseline requires --baseline FILE"},
      {arguments.update_baseline && !arguments.diff.empty(),
       "--update-baseline records all findings and cannot be combined with --diff"},
      {arguments.no_untracked && arguments.diff.empty(), "--no-untracked requires --diff BASE"},
      {arguments.add_ignores && (arguments.fix || arguments.unsafe_fixes),
       "--add-ignores cannot be combined with --fix: both change the same lines"},
      {from_stdin && paths.size() > 1,
       "'-' reads standard input and cannot be combined with other paths"},
      {from_stdin && !arguments.diff.empty(),
       "--diff cannot be combined with standard input, which git does not track"},
      {from_stdin && arguments.watch, "--watch cannot be combined with standard input"},
      {arguments.watch && arguments.ChangesFiles(),
       "--watch does not change files: it cannot be combined with --fix or --add-ignores"},
      {arguments.redact.is_redacted && arguments.ChangesFiles(),
       "--redact cannot be combined with --fix or --add-ignores, which show or change code"},
      {arguments.statistics && arguments.format != "text" && arguments.format != "json",
       "--statistics supports only the formats text and json"},
  };
  for (const auto& [is_made, what] : mistakes) {
    if (is_made) return MakeError(what);
  }
  return Error::success();
}

/// `path` from the root, without "." and "..".
std::string WholePath(llvm::StringRef path) {
  llvm::SmallString<256> whole(path);
  // Fails only if the working directory was deleted: then the path stays relative.
  (void)llvm::sys::fs::make_absolute(whole);
  llvm::sys::path::remove_dots(whole, /*remove_dot_dot=*/true);
  return std::string(whole);
}

/// Whether `path` is `folder` or below it; both from the root.
bool IsBelow(std::string_view path, std::string_view folder) {
  if (!ConsumeFront(path, folder)) return false;
  return path.empty() || folder.ends_with('/') || path.starts_with('/');
}

/// Names files relative to the folder of the baseline, so that the working directory does not
/// matter.
class BaselineNames {
 public:
  explicit BaselineNames(llvm::StringRef baseline)
      : folder_(llvm::sys::path::parent_path(WholePath(baseline))) {}

  /// The name of a file that the check reads.
  std::string Of(const std::string& path) const {
    const std::string whole = WholePath(path);
    if (!IsBelow(whole, folder_)) return path;
    return llvm::StringRef(whole).drop_front(folder_.size()).ltrim('/').str();
  }

  /// The name of the file of an entry. Older versions wrote paths from the working directory.
  std::string OfEntry(const std::string& file) const {
    if (llvm::sys::fs::exists(PathOf(file)) || !llvm::sys::fs::exists(file)) return file;
    return Of(file);
  }

  /// The path of the file with this name, from the root.
  std::string PathOf(const std::string& name) const {
    llvm::SmallString<256> path(folder_);
    if (llvm::sys::path::is_absolute(name)) path.clear();
    llvm::sys::path::append(path, name);
    return WholePath(path);
  }

  /// Whether the file exists: in the folder of the baseline, or, if the baseline is elsewhere, in
  /// the working directory.
  bool Exists(const std::string& name) const {
    return llvm::sys::fs::exists(PathOf(name)) || llvm::sys::fs::exists(name);
  }

 private:
  std::string folder_;
};

/// Decides which entries of a baseline a check can judge.
class EntryJudge {
 public:
  /// Error: files cannot be listed.
  static Expected<EntryJudge> Make(const CheckArguments& arguments, const BaselineNames& names,
                                   const CodeBaseline& baseline, const CheckResult& result);

  const BaselineScope& scope() const { return scope_; }

  /// Whether a finding of the entry would have been found.
  bool CanJudge(const KnownFinding& entry) const {
    if (!scope_.checked.contains(entry.file)) return false;
    if (scope_.missing.contains(entry.file)) return true;
    if (!knows_mode_ || faulty_.contains(entry.file)) return false;
    // The callers of a function that is compiled only because of them may be in any file.
    if ((is_old_ || !entry.called_from.empty()) && !are_all_checked_) return false;
    const std::span<const CodeRule> rules = RuleSet::Builtin().code_rules();
    const auto rule = std::ranges::find(rules, entry.rule, &CodeRule::code);
    return rule == rules.end() || selection_.Has(rule->code, rule->name);
  }

 private:
  explicit EntryJudge(RuleSelection selection) : selection_(std::move(selection)) {}

  RuleSelection selection_;
  BaselineScope scope_;
  std::set<std::string> faulty_;  ///< files with code that was not read or followed
  bool knows_mode_ = false;
  bool is_old_ = false;
  bool are_all_checked_ = true;
};

Expected<EntryJudge> EntryJudge::Make(const CheckArguments& arguments, const BaselineNames& names,
                                      const CodeBaseline& baseline, const CheckResult& result) {
  Expected<RuleSelection> selection = RuleSelection::MakeForCode(
      RuleSet::Builtin(), arguments.check.select, arguments.check.ignore);
  if (!selection) return selection.takeError();
  Expected<std::vector<std::string>> listed = ListCode(arguments.code);
  if (!listed) return listed.takeError();
  EntryJudge judge(std::move(*selection));
  judge.is_old_ = baseline.mode.empty();
  judge.knows_mode_ = arguments.mode == "both" || arguments.mode == baseline.mode;
  for (const CodeFault& fault : result.faults) judge.faulty_.insert(names.Of(fault.file));
  for (const std::string& path : *listed) {
    judge.scope_.checked.insert(names.Of(path == "-" ? arguments.code.stdin_name : path));
  }
  const auto is_below_path = [&](const std::string& name) {
    return std::ranges::any_of(arguments.code.paths, [&](const std::string& path) {
      return IsBelow(names.PathOf(name), WholePath(path)) ||
             IsBelow(WholePath(name), WholePath(path));
    });
  };
  const auto add = [&](const std::string& name) {
    if (name.empty() || judge.scope_.checked.contains(name)) return;
    if (names.Exists(name)) {
      judge.are_all_checked_ = false;
    } else {
      judge.scope_.missing.insert(name);
    }
  };
  for (const KnownFinding& entry : baseline.entries) {
    add(entry.file);
    add(entry.called_from);
  }
  for (const std::string& name : judge.scope_.missing) {
    if (is_below_path(name)) judge.scope_.checked.insert(name);
  }
  return judge;
}

Expected<CodeBaseline> Read(const CheckArguments& arguments, const BaselineNames& names) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFile(arguments.baseline);
  if (!file) {
    if (arguments.update_baseline && file.getError() == std::errc::no_such_file_or_directory) {
      return CodeBaseline{arguments.mode, {}};
    }
    return MakeError(arguments.baseline + ": " + file.getError().message() +
                     "; --update-baseline writes it");
  }
  Expected<CodeBaseline> baseline = ReadCodeBaseline(
      std::string_view((*file)->getBufferStart(), (*file)->getBufferSize()), arguments.baseline);
  if (!baseline) return baseline.takeError();
  for (KnownFinding& entry : baseline->entries) {
    entry.file = names.OfEntry(entry.file);
    if (!entry.called_from.empty()) entry.called_from = names.OfEntry(entry.called_from);
  }
  return baseline;
}

/// Writes all findings and the entries in `kept`. `num_removed`: entries that are not written any
/// more.
Error Update(const CheckArguments& arguments, const BaselineNames& names, CodeBaseline baseline,
             std::vector<KnownFinding> kept, size_t num_removed, CheckResult& result) {
  if (!result.unread.empty()) {
    return MakeError(arguments.baseline + ": not written, since not all files could be read");
  }
  const size_t num_kept = kept.size();
  const size_t num_added = result.findings.size();
  std::ranges::move(result.findings, std::back_inserter(result.known_findings));
  result.findings.clear();
  result.known = result.known_findings.size();
  std::ranges::stable_sort(result.known_findings, {}, [](const CodeFinding& finding) {
    return std::tie(finding.file, finding.range, finding.rule);
  });
  // Entries that this check cannot judge are those of another mode, too.
  if (baseline.mode != arguments.mode) baseline.mode = "both";
  const auto name_of = [&](const std::string& path) { return names.Of(path); };
  baseline.entries = std::move(kept);
  for (const CodeFinding& finding : result.known_findings) {
    baseline.entries.push_back(KnownAs(finding, name_of));
  }
  const size_t num_entries = baseline.entries.size();
  if (Error error = WriteResult(arguments.baseline, [&](llvm::raw_ostream& out) {
        WriteCodeBaseline(std::move(baseline), out);
      })) {
    return error;
  }
  llvm::errs() << "shapewise: wrote " << Counted(num_entries, "entry", "entries") << " to "
               << MakePrintable(arguments.baseline) << ": " << num_added << " added, "
               << num_removed << " removed";
  if (num_kept > 0) {
    llvm::errs() << ", " << num_kept << " kept for files, rules or modes outside of this check";
  }
  llvm::errs() << "\n";
  return Error::success();
}

}  // namespace

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
  line.AddFlag("--no-untracked", &arguments.no_untracked,
               "With --diff, ignore files that git does not track");
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

Error FinishCheckArguments(const CommandLine& line, CheckArguments& arguments) {
  if (Error error = ApplySettings(line, arguments)) return error;
  if (Error error = SplitDiff(line, arguments)) return error;
  if (arguments.code.paths.empty()) arguments.code.paths = {"."};
  if (arguments.code.stdin_name.empty()) arguments.code.stdin_name = "stdin.py";
  arguments.check.mode = ModeOf(arguments.mode);
  return CheckTogether(line, arguments);
}

Error ApplyBaseline(const CheckArguments& arguments, CheckResult& result) {
  if (arguments.baseline.empty()) {
    if (!arguments.report.all) LeaveOutUncertain(result);
    return Error::success();
  }
  const BaselineNames names(arguments.baseline);
  Expected<CodeBaseline> baseline = Read(arguments, names);
  if (!baseline) return baseline.takeError();
  Expected<EntryJudge> judge = EntryJudge::Make(arguments, names, *baseline, result);
  if (!judge) return judge.takeError();
  std::vector<KnownFinding> unused = SuppressKnown(
      *baseline, judge->scope(), [&](const std::string& path) { return names.Of(path); }, result);
  // After the entries were matched: one may be for an uncertain finding.
  if (!arguments.report.all) LeaveOutUncertain(result);
  const auto stale = std::ranges::stable_partition(
      unused, [&](const KnownFinding& entry) { return !judge->CanJudge(entry); });
  const size_t num_stale = stale.size();
  if (arguments.update_baseline) {
    unused.erase(stale.begin(), stale.end());
    return Update(arguments, names, std::move(*baseline), std::move(unused), num_stale, result);
  }
  // With --diff, the findings of unchanged code are not in the result.
  if (num_stale > 0 && arguments.diff.empty()) {
    llvm::errs() << "shapewise: " << num_stale << " of "
                 << Counted(baseline->entries.size(), "entry", "entries") << " of "
                 << MakePrintable(arguments.baseline) << (num_stale == 1 ? " matches" : " match")
                 << " no finding any more; --update-baseline removes "
                 << (num_stale == 1 ? "it" : "them") << "\n";
  }
  return Error::success();
}

}  // namespace shapewise
