// `shapewise lint --follow`: news of a run while it goes on.

#ifndef SHAPEWISE_CLI_FOLLOW_H_
#define SHAPEWISE_CLI_FOLLOW_H_

#include <memory>
#include <string>
#include <vector>

#include "shapewise/pipeline/followed_run.h"
#include "shapewise/support/error.h"

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
}

namespace shapewise {

struct FollowArguments {
  bool follow = false;
  std::vector<std::string> alarms;  ///< --alarm, as given
  bool alarm_exit = false;          ///< the first alarm ends the run, with exit status 1
};

/// A run that was followed to its end.
struct FollowedToEnd {
  std::unique_ptr<FollowedRun> run;
  LintResult result;
  bool stopped_by_alarm = false;
};

/// Adds --follow, --alarm and --alarm-exit.
void AddFollowOptions(CLI::App& app, FollowArguments& arguments);

/// Error: options that make no sense together. `format` is that of the result, `output` its file.
Error CheckFollowOptions(const FollowArguments& arguments, const std::string& format,
                         const std::string& output);

/// Follows `options.paths` and prints news to standard output as they come, until SIGINT or SIGTERM
/// comes, standard input ends (and nothing else is followed), or an alarm that is to end it goes
/// off. Error: an alarm or selector that is none, an input that cannot be read, broken output.
Expected<FollowedToEnd> Follow(const FollowArguments& arguments, const LintOptions& options,
                               bool as_json_lines);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_FOLLOW_H_
