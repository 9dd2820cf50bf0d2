// `shapewise report`: a run as one HTML page.

#ifndef SHAPEWISE_CLI_REPORT_COMMAND_H_
#define SHAPEWISE_CLI_REPORT_COMMAND_H_

#include "cli/command.h"

namespace shapewise {

/// Adds the subcommand to `parent`, which must outlive the result.
Command AddReportCommand(CLI::App& parent);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_REPORT_COMMAND_H_
