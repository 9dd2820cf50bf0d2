#include "cli/result_options.h"

#include <utility>

#include "cli/options.h"
#include "cli/settings.h"
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

void AddResultOptions(CommandLine& line, const ResultOptions& options, ResultArguments& arguments) {
  line.SetHeading("Output");
  if (!options.formats.empty()) {
    AddChoice(line, "--format", arguments.format, options.formats, "Output format");
  }
  line.Add("-o,--output", &arguments.output, "FILE", options.output);
  if (options.all != nullptr) line.AddFlag("--all", &arguments.report.all, options.all);
  if (options.fail_on != nullptr) {
    AddChoice(line, "--fail-on", arguments.fail_on, FailOnNames(), options.fail_on);
    line.AddFlag("--exit-zero", &arguments.exit_zero, "Findings do not change the exit status");
  }
  if (options.can_expect_output) {
    line.AddFlag("--expect-output", &arguments.expects_output,
                 "Exit with 2 if there is no torch.compile output in the input");
  }
  AddRedactOptions(line, arguments.redact);
  if (!options.formats.empty()) {
    AddChoice(line, "--color", arguments.color, {"auto", "always", "never"}, "When to use color");
  }
}

Error ApplyLintSettings(const CommandLine& line, std::vector<std::string>* select,
                        std::vector<std::string>* ignore, ResultArguments* arguments) {
  Expected<Settings> all = LoadSettingsHere();
  if (!all) return all.takeError();
  const CommandSettings& settings = all->lint;
  if (select != nullptr) ApplySetting(line, "--select", settings.select, *select);
  if (ignore != nullptr) ApplySetting(line, "--ignore", settings.ignore, *ignore);
  if (arguments == nullptr) return Error::success();
  return ApplyChoice(line, "lint", "fail-on", FailOnNames(), settings.fail_on, arguments->fail_on);
}

bool IsFailure(const ResultArguments& arguments, std::optional<Severity> worst) {
  const std::optional<Severity> fail_on = FailOnSeverity(arguments.fail_on);
  return !arguments.exit_zero && fail_on && worst && *worst >= *fail_on;
}

Expected<ExitStatus> FinishResult(Error error, const ResultArguments& arguments, bool is_complete,
                                  std::optional<Severity> worst) {
  if (!is_complete) return FinishResult(std::move(error), ExitStatus::kTrouble);
  return FinishResult(std::move(error),
                      IsFailure(arguments, worst) ? ExitStatus::kFindings : ExitStatus::kClean);
}

void AddRedactOptions(CommandLine& line, RedactArguments& arguments) {
  line.AddFlag("--redact", &arguments.is_redacted,
               "Replace names, paths and code with tokens; keep numbers");
  line.Add("--redact-key", &arguments.key, "TEXT|@FILE",
           "Derive tokens from this secret, so that they are the same in all outputs");
}

Error MakeRedactor(RedactArguments& arguments) {
  if (!arguments.is_redacted) {
    return arguments.key.empty() ? Error::success() : MakeError("--redact-key requires --redact");
  }
  Expected<std::string> key = KeyOf(arguments.key);
  if (!key) return key.takeError();
  arguments.redactor =
      std::make_unique<Redactor>(RedactorOptions{std::move(*key), RuleSet::Builtin().TextWords()});
  return Error::success();
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
