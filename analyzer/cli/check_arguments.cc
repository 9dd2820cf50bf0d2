#include "cli/check_arguments.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cli/git_changes.h"
#include "cli/options.h"
#include "cli/settings.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "report/report.h"

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
  if (line.WasGiven("--diff") && arguments.diff.empty() && !arguments.preview) {
    return MakeError("--diff requires the commit to compare with, such as --diff main");
  }
  if (arguments.update_baseline && arguments.baseline.empty()) {
    return MakeError("--update-baseline requires --baseline FILE");
  }
  if (arguments.update_baseline && !arguments.diff.empty()) {
    return MakeError("--update-baseline records all findings and cannot be combined with --diff");
  }
  if (arguments.no_untracked && arguments.diff.empty()) {
    return MakeError("--no-untracked requires --diff BASE");
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

}  // namespace shapewise
