#include "cli/result_options.h"

#include <CLI/CLI.hpp>

#include "cli/options.h"
#include "cli/settings.h"

namespace shapewise {

namespace {

void AddUngrouped(CLI::App& app, const ResultOptions& options, ResultArguments& arguments) {
  if (!options.formats.empty()) {
    AddChoice(app, "--format", arguments.format, options.formats, "Output format");
  }
  app.add_option("-o,--output", arguments.output, options.output)->type_name("FILE");
  if (options.all != nullptr) app.add_flag("--all", arguments.report.all, options.all);
  if (options.fail_on != nullptr) {
    AddChoice(app, "--fail-on", arguments.fail_on, FailOnNames(), options.fail_on);
    app.add_flag("--exit-zero", arguments.exit_zero, "Findings do not change the exit status");
  }
  if (options.can_expect_output) {
    app.add_flag("--expect-output", arguments.expects_output,
                 "Exit with 2 if there is no torch.compile output in the input");
  }
  AddRedactOptions(app, arguments.redact);
  if (!options.formats.empty()) {
    AddChoice(app, "--color", arguments.color, {"auto", "always", "never"}, "When to use color");
  }
}

}  // namespace

void AddResultOptions(CLI::App& app, const ResultOptions& options, ResultArguments& arguments) {
  AddGroup(app, "Output", [&] { AddUngrouped(app, options, arguments); });
}

Error ApplyLintSettings(const CLI::App& app, std::vector<std::string>* select,
                        std::vector<std::string>* ignore, ResultArguments* arguments) {
  Expected<Settings> all = LoadSettingsHere();
  if (!all) return all.takeError();
  const CommandSettings& settings = all->lint;
  const auto is_open = [&](const char* option) { return app.count(option) == 0; };
  if (select != nullptr && settings.select && is_open("--select")) *select = *settings.select;
  if (ignore != nullptr && settings.ignore && is_open("--ignore")) *ignore = *settings.ignore;
  if (arguments == nullptr || !settings.fail_on || !is_open("--fail-on")) return Error::success();
  arguments->fail_on = *settings.fail_on;
  return CheckSetting("lint.fail-on", arguments->fail_on, FailOnNames());
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

}  // namespace shapewise
