// `shapewise buckets`: which sizes to pad to.

#ifndef SHAPEWISE_CLI_BUCKETS_COMMAND_H_
#define SHAPEWISE_CLI_BUCKETS_COMMAND_H_

#include "cli/command.h"

namespace shapewise {

/// Adds the subcommand to `parent`.
Command AddBucketsCommand(CLI::App& parent);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_BUCKETS_COMMAND_H_
