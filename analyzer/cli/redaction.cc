#include "cli/redaction.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "llvm/Support/MemoryBuffer.h"
#include "rules/rule_set.h"

namespace shapewise {
namespace {

Expected<std::string> KeyOf(const std::string& argument) {
  if (argument.empty() || argument.front() != '@') return argument;
  const std::string path = argument.substr(1);
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file = llvm::MemoryBuffer::getFile(path);
  if (!file) return MakeError("--redact-key: " + path + ": " + file.getError().message());
  std::string key = (*file)->getBuffer().str();
  while (!key.empty() && (key.back() == '\n' || key.back() == '\r')) key.pop_back();
  if (key.empty()) return MakeError("--redact-key: " + path + " is empty");
  return key;
}

}  // namespace

void AddRedactOptions(CLI::App& app, RedactArguments& arguments) {
  app.add_flag("--redact", arguments.is_redacted,
               "Replace names, paths and code with tokens; keep numbers");
  app.add_option("--redact-key", arguments.key,
                 "Derive tokens from this secret, so that they are the same in all outputs")
      ->type_name("TEXT|@FILE");
}

Expected<std::unique_ptr<Redactor>> MakeRedactor(const RedactArguments& arguments) {
  if (!arguments.is_redacted) {
    if (!arguments.key.empty()) return MakeError("--redact-key requires --redact");
    return std::unique_ptr<Redactor>();
  }
  Expected<std::string> key = KeyOf(arguments.key);
  if (!key) return key.takeError();
  return std::make_unique<Redactor>(
      RedactorOptions{std::move(*key), RuleSet::Builtin().TextWords()});
}

Error RedactedTrouble(Error error, Redactor* redactor) {
  if (!error || redactor == nullptr) return error;
  return MakeError(redactor->Rewrite(TextKind::kProse, llvm::toString(std::move(error))) +
                   " (without --redact the message is shown unchanged)");
}

Error PartialNeedsKey() {
  return MakeError(
      "--redact requires --redact-key for a partial: partials are merged, so their tokens must be "
      "comparable");
}

}  // namespace shapewise
