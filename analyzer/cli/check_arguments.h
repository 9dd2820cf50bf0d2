// The options of `shapewise check` from the command line and the settings.

#ifndef SHAPEWISE_CLI_CHECK_ARGUMENTS_H_
#define SHAPEWISE_CLI_CHECK_ARGUMENTS_H_

#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/options.h"
#include "pipeline/check.h"
#include "pipeline/code_inputs.h"
#include "result/code_finding.h"
#include "support/error.h"

namespace shapewise {

struct CheckArguments : ResultArguments {
  CodeSelection code;            ///< paths, --exclude, --stdin-filename
  CheckOptions check;            ///< --select, --ignore, --jobs
  std::string mode = "both";     ///< --mode: train, eval or both
  std::string path_prefix;       ///< --path-prefix; empty: none
  size_t num_entry_options = 0;  ///< of check.entries: --entry; the others are settings
  std::string baseline;          ///< --baseline; empty: none
  std::string diff;              ///< --diff BASE; empty: none
  bool no_untracked = false;     ///< --no-untracked
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

/// Adds the options of the subcommand.
void AddCheckOptions(CommandLine& line, CheckArguments& arguments);

/// Applies the settings file to options that the command line does not set, and checks combinations
/// of options. Error: options contradict each other.
Error FinishCheckArguments(const CommandLine& line, CheckArguments& arguments);

/// Moves the findings in the baseline of `arguments` to CheckResult::known_findings, and leaves out
/// uncertain findings unless they are requested. With --update-baseline, writes the baseline: with
/// all findings, and with old entries that this check cannot judge. Prints what it wrote, or how
/// many entries match no finding. Error: the baseline cannot be read or written.
Error ApplyBaseline(const CheckArguments& arguments, CheckResult& result);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_CHECK_ARGUMENTS_H_
