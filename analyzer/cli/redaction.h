// --redact and --redact-key, which several subcommands have.

#ifndef SHAPEWISE_CLI_REDACTION_H_
#define SHAPEWISE_CLI_REDACTION_H_

#include <memory>
#include <string>

#include "shapewise/redact/redactor.h"
#include "shapewise/support/error.h"

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
}

namespace shapewise {

/// What is to become of names.
struct RedactArguments {
  bool is_redacted = false;  ///< --redact
  std::string key;           ///< --redact-key: TEXT or @FILE; empty: none
};

/// Adds the two options to `app`.
void AddRedactOptions(CLI::App& app, RedactArguments& arguments);

/// What rewrites texts; null if that was not asked for. Error: a key without --redact, or one that
/// is empty or cannot be read.
Expected<std::unique_ptr<Redactor>> MakeRedactor(const RedactArguments& arguments);

/// `error` as a redacted output may tell it; with no `redactor` as it is.
Error RedactedTrouble(Error error, Redactor* redactor);

/// What is wrong with a partial whose tokens are numbers.
Error PartialNeedsKey();

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_REDACTION_H_
