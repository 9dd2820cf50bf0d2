// What the exit status of every subcommand means.

#ifndef SHAPEWISE_CLI_EXIT_STATUS_H_
#define SHAPEWISE_CLI_EXIT_STATUS_H_

namespace shapewise {

/// A promise to scripts: values never change.
enum class ExitStatus : int {
  kClean = 0,     ///< did its work; nothing found at or above --fail-on
  kFindings = 1,  ///< did its work; something found
  kTrouble = 2,   ///< could not do its work: usage, unreadable input, broken output
};

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_EXIT_STATUS_H_
