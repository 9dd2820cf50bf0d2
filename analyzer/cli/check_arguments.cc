#include "cli/check_arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "cli/git_changes.h"
#include "cli/options.h"
#include "cli/settings.h"
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

Error ApplySettings(const CLI::App& app, CheckArguments& arguments) {
  Expected<Settings> all = LoadSettingsHere();
  if (!all) return all.takeError();
  const CheckSettings& settings = all->check;
  const auto is_open = [&](const char* option) { return app.count(option) == 0; };
  const auto take_choice = [&](const std::optional<std::string>& value, const char* option,
                               const std::vector<std::string>& allowed,
                               std::string& choice) -> Error {
    if (!value || !is_open(option)) return Error::success();
    choice = *value;
    return CheckSetting("check." + std::string(option + 2), choice, allowed);
  };
  if (settings.select && is_open("--select")) arguments.check.select = *settings.select;
  if (settings.ignore && is_open("--ignore")) arguments.check.ignore = *settings.ignore;
  if (settings.baseline && is_open("--baseline")) arguments.baseline = *settings.baseline;
  if (settings.entries) {
    arguments.check.entries.insert(arguments.check.entries.end(), settings.entries->begin(),
                                   settings.entries->end());
  }
  if (settings.exclude) {
    // Both sets of patterns apply: excluding one more folder does not mean to include build/.
    arguments.code.exclude.insert(arguments.code.exclude.end(), settings.exclude->begin(),
                                  settings.exclude->end());
  }
  if (Error error = take_choice(settings.fail_on, "--fail-on", FailOnNames(), arguments.fail_on)) {
    return error;
  }
  if (Error error =
          take_choice(settings.format, "--format", FormatNames(CheckFormats()), arguments.format)) {
    return error;
  }
  return take_choice(settings.mode, "--mode", ModeNames(), arguments.mode);
}

/// Whether `word` can be a commit: git rejects names that begin like an absolute path or one from
/// this folder, so git need not be started for them.
bool CanNameCommit(std::string_view word) {
  return word != "-" && !word.starts_with("/") && !word.starts_with(".");
}

/// `--fix --diff src/` shows fixes of src/; `--fix --diff main src/` fixes what changed since main.
/// CLI11 assigns the word after --diff to it in both cases. As in git, a word that is both a path
/// and a commit is an error: guessing could edit or hide the wrong code.
Error SplitDiff(const CLI::App& app, CheckArguments& arguments) {
  if (app.count("--diff") == 0) return Error::success();
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

Error CheckTogether(const CLI::App& app, const CheckArguments& arguments) {
  const std::vector<std::string>& paths = arguments.code.paths;
  const bool from_stdin = std::ranges::find(paths, "-") != paths.end();
  if (app.count("--diff") > 0 && arguments.diff.empty() && !arguments.preview) {
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

}  // namespace

void AddCheckOptions(CLI::App& app, CheckArguments& arguments) {
  app.add_option("PATH", arguments.code.paths,
                 "Python files, notebooks, folders, or - for standard input [default: .]")
      ->type_name("");
  AddChoice(app, "--mode", arguments.mode, ModeNames(), "Mode of the model to check");
  AddRuleList(app, "--select", arguments.check.select, "Select rules by code, code prefix or name");
  AddRuleList(app, "--ignore", arguments.check.ignore, "Ignore these rules");
  AddRepeatable(app, "--entry", arguments.check.entries, "PATTERN",
                "Functions that are called in a compiled region, as module.Class.method");
  AddRepeatable(app, "--exclude", arguments.code.exclude, "PATTERN",
                "Exclude matching files and folders");
  app.add_flag("--force-exclude", arguments.code.exclude_given,
               "Also exclude files that are named on the command line");
  app.add_flag("--statistics", arguments.statistics, "Count findings by rule");
  app.add_option("--path-prefix", arguments.path_prefix,
                 "Folder to prepend to relative paths in the result")
      ->type_name("FOLDER");
  app.add_option("--diff", arguments.diff,
                 "Report only findings introduced since this commit; with --fix and no commit, "
                 "print the fixes as a diff instead of changing files")
      ->expected(0, 1)
      ->type_name("BASE");
  app.add_option("--baseline", arguments.baseline,
                 "Ignore the findings listed in this baseline file")
      ->type_name("FILE");
  app.add_flag("--update-baseline", arguments.update_baseline,
               "Write the current findings to the baseline");
  app.add_flag("--fix", arguments.fix, "Apply safe fixes");
  app.add_flag("--unsafe-fixes", arguments.unsafe_fixes,
               "Also apply fixes that may change what the code does");
  app.add_flag("--add-ignores", arguments.add_ignores,
               "Add a comment to each finding that suppresses it");
  app.add_option("--reason", arguments.ignore_reason,
                 "Reason to write in the comments of --add-ignores")
      ->type_name("TEXT");
  app.add_option("--stdin-filename", arguments.code.stdin_name,
                 "File name to use for standard input")
      ->type_name("FILE");
  app.add_flag("--watch", arguments.watch, "Check again when a file changes, until Ctrl-C");
  app.add_option("-j,--jobs", arguments.check.jobs,
                 "Number of threads [default: one per processor]")
      ->type_name("N");
  app.add_flag("--no-cache", arguments.no_cache, "Do not use .shapewise_cache");
  AddResultOptions(app,
                   {.formats = FormatNames(CheckFormats()),
                    .all = "Also show uncertain findings, and code that was not followed",
                    .fail_on = "Exit with 1 if there is a finding of at least this severity"},
                   arguments);
}

Error FinishCheckArguments(const CLI::App& app, CheckArguments& arguments) {
  if (Error error = ApplySettings(app, arguments)) return error;
  if (Error error = SplitDiff(app, arguments)) return error;
  if (arguments.code.paths.empty()) arguments.code.paths = {"."};
  if (arguments.code.stdin_name.empty()) arguments.code.stdin_name = "stdin.py";
  arguments.check.mode = ModeOf(arguments.mode);
  return CheckTogether(app, arguments);
}

}  // namespace shapewise
