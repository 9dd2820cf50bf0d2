// --redact and --redact-key, shared by several subcommands.

#ifndef SHAPEWISE_CLI_REDACTION_H_
#define SHAPEWISE_CLI_REDACTION_H_

#include <memory>
#include <string>

#include "redact/redactor.h"
#include "support/error.h"

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
}

namespace shapewise {

/// Options for redaction.
struct RedactArguments {
  bool is_redacted = false;  ///< --redact
  std::string key;           ///< --redact-key: TEXT or @FILE; empty: none
};

/// Adds the two options to `app`.
void AddRedactOptions(CLI::App& app, RedactArguments& arguments);

/// The redactor; null if not requested. Error: a key without --redact, or an empty or unreadable
/// one.
Expected<std::unique_ptr<Redactor>> MakeRedactor(const RedactArguments& arguments);

/// `error` in redacted form; without `redactor` unchanged.
Error RedactedTrouble(Error error, Redactor* redactor);

/// The error for a partial with numbered tokens.
Error PartialNeedsKey();

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_REDACTION_H_
