#include "cli/options.h"

#include <cmath>
#include <string_view>
#include <utility>

#include "cli/settings.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "rules/rule_set.h"
#include "support/nearest_name.h"

namespace shapewise {
namespace {

std::optional<double> NumberIn(const std::string& text) {
  double number = 0;
  if (llvm::StringRef(text).getAsDouble(number) || std::isnan(number)) return std::nullopt;
  return number;
}

/// A number for which `holds`, or the message that `text` is not `what`.
template <typename Holds>
ValueCheck NumberThat(Holds holds, std::string what) {
  return [holds, what = std::move(what)](std::string& text) {
    const std::optional<double> number = NumberIn(text);
    if (number && holds(*number)) return std::string();
    return "'" + text + "' is not " + what;
  };
}

/// "4096" for 4096.0, "0.9" for 0.9.
std::string Written(double number) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (number == std::floor(number)) {
    out << static_cast<long long>(number);
  } else {
    out << llvm::StringRef(std::to_string(number)).rtrim('0');
  }
  return text;
}

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

void AddRuleList(CommandLine& line, const std::string& name, std::vector<std::string>& list,
                 const std::string& description) {
  line.Add(name, &list, "RULES", description, {.list = ListForm::kCommas});
}

void AddChoice(CommandLine& line, const std::string& name, std::string& choice,
               const std::vector<std::string>& allowed, const std::string& description) {
  line.Add(name, &choice, llvm::join(allowed, "|"),
           description + (choice.empty() ? "" : " [default: " + choice + "]"),
           {.check = OneOf(allowed)});
}

void AddRepeatable(CommandLine& line, const std::string& name, std::vector<std::string>& values,
                   const std::string& type, const std::string& description) {
  line.Add(name, &values, type, description, {.list = ListForm::kRepeated});
}

const std::vector<std::string>& FailOnNames() {
  static const std::vector<std::string> names = {"note", "warning", "error", "never"};
  return names;
}

std::optional<Severity> FailOnSeverity(const std::string& fail_on) {
  for (const Severity severity : {Severity::kNote, Severity::kWarning, Severity::kError}) {
    if (SeverityName(severity) == fail_on) return severity;
  }
  return std::nullopt;
}

Error ApplyChoice(const CommandLine& line, const std::string& table, const std::string& name,
                  const std::vector<std::string>& allowed,
                  const std::optional<std::string>& setting, std::string& choice) {
  if (!setting || line.WasGiven("--" + name)) return Error::success();
  choice = *setting;
  if (llvm::is_contained(allowed, choice)) return Error::success();
  return MakeError("settings: " + table + "." + name + ": '" + choice + "' is not one of " +
                   llvm::join(allowed, ", "));
}

ValueCheck OneOf(std::vector<std::string> words) {
  return [words = std::move(words)](std::string& text) {
    if (llvm::is_contained(words, text)) return std::string();
    const std::vector<std::string_view> names(words.begin(), words.end());
    return "'" + text + "' is not one of " + llvm::join(words, ", ") + DidYouMean(text, names);
  };
}

ValueCheck Between(double least, double most) {
  return NumberThat([least, most](double number) { return number >= least && number <= most; },
                    "a number from " + Written(least) + " to " + Written(most));
}

ValueCheck Positive() {
  return NumberThat([](double number) { return number > 0 && std::isfinite(number); },
                    "a number above 0");
}

ValueCheck ZeroOrMore() {
  return NumberThat([](double number) { return number >= 0 && std::isfinite(number); },
                    "0 or a number above it");
}

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
