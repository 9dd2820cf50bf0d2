// `shapewise lint --follow`: reports news while a program is running.

#ifndef SHAPEWISE_CLI_FOLLOW_H_
#define SHAPEWISE_CLI_FOLLOW_H_

#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "pipeline/followed_run.h"
#include "support/error.h"

namespace shapewise {

struct FollowArguments {
  bool follow = false;
  std::vector<std::string> alarms;  ///< --alarm, as given
  bool alarm_exit = false;          ///< the first alarm ends following, with exit status 1
};

/// The result of following a run to its end.
struct FollowedToEnd {
  std::unique_ptr<FollowedRun> run;
  LintResult result;
  bool stopped_by_alarm = false;
};

/// Adds --follow, --alarm and --alarm-exit.
void AddFollowOptions(CommandLine& line, FollowArguments& arguments);

/// Error: contradictory options. `format`: of the result; `output`: its file.
Error CheckFollowOptions(const FollowArguments& arguments, const std::string& format,
                         const std::string& output);

/// Follows `options.paths` and prints news to standard output, until SIGINT or SIGTERM, the end of
/// standard input (if nothing else is followed), or an alarm with --alarm-exit. Error: an invalid
/// alarm or selector, an unreadable input, an output error.
Expected<FollowedToEnd> Follow(const FollowArguments& arguments, const LintOptions& options,
                               bool as_json_lines);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_FOLLOW_H_
