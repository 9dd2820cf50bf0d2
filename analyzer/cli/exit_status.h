// The exit status of every subcommand.

#ifndef SHAPEWISE_CLI_EXIT_STATUS_H_
#define SHAPEWISE_CLI_EXIT_STATUS_H_

namespace shapewise {

/// Stable for scripts: values never change.
enum class ExitStatus : int {
  kClean = 0,     ///< success; nothing found at or above --fail-on
  kFindings = 1,  ///< success; something found
  kTrouble = 2,   ///< failure: usage error, unreadable input, output error
};

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_EXIT_STATUS_H_
