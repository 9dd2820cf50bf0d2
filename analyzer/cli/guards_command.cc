#include "cli/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "cli/progress.h"
#include "cli/redaction.h"
#include "cli/result_output.h"
#include "cli/terminal.h"
#include "cli/unrecognised.h"
#include "llvm/Support/raw_ostream.h"
#include "shapewise/pipeline/guards.h"
#include "shapewise/report/guard_writer.h"

namespace shapewise {
namespace {

/// The command line of `shapewise guards`.
struct GuardsArguments {
  std::vector<std::string> paths;
  std::string function;             ///< --function; empty: all
  std::vector<std::string> sizes;   ///< --sizes
  std::string format = "text";      ///< one of GuardFormats()
  std::string output;               ///< --output; empty: standard output
  std::string fail_on = "warning";  ///< a severity, or "never"
  bool expects_output = false;      ///< --expect-output
  bool exit_zero = false;           ///< pinned sizes do not change the exit status
  std::string color = "auto";       ///< auto, always or never
  ReportOptions report;             ///< --all
  RedactArguments redact;           ///< --redact, --redact-key
};

constexpr const char* kGuardsExamples =
    "PATH is a structured trace (TORCH_TRACE), a log of TORCH_LOGS=guards,dynamic,recompiles "
    "(each\n"
    "adds details), a captured graph, a folder of them, or - for standard input.\n"
    "\n"
    "Exit status: 0 no size that varies is pinned; 1 such a size, or one that is marked dynamic, "
    "is\n"
    "pinned (a warning for --fail-on); 2 error.\n"
    "\n"
    "Examples:\n"
    "  TORCH_TRACE=trace python train.py; shapewise guards trace/\n"
    "  shapewise guards trace/ --function forward --sizes \"x.size()[0]=1,2,5-9\"\n"
    "  shapewise guards --format json run.log";

Expected<GuardQuery> QueryOf(const GuardsArguments& arguments) {
  GuardQuery query;
  query.function = arguments.function;
  for (const std::string& text : arguments.sizes) {
    Expected<SizeChoice> choice = ParseSizeChoice(text);
    if (!choice) return choice.takeError();
    query.sizes.push_back(std::move(*choice));
  }
  return query;
}

void Read(const GuardsArguments& arguments, const GuardQuery& query, Redactor* redactor,
          GuardAnalysis& analysis) {
  const std::unique_ptr<FileSource> files = NewDiskFileSource();
  if (!ErrorsAreSeen()) return FindGuards(arguments.paths, query, *files, analysis, redactor);
  ProgressSource watched(*files);
  FindGuards(arguments.paths, query, watched, analysis, redactor);
}

bool HasCulprit(const GuardReport& report) {
  return std::ranges::any_of(report.functions, [](const FunctionGuards& function) {
    return std::ranges::any_of(
        function.variables, [](const GuardedVariable& variable) { return variable.IsCulprit(); });
  });
}

std::vector<std::string> InputNames(const GuardAnalysis& analysis) {
  std::vector<std::string> names;
  for (const Input& input : analysis.session.inputs()) names.push_back(input.name);
  return names;
}

ExitStatus RunGuards(GuardsArguments& arguments) {
  Expected<GuardQuery> query = QueryOf(arguments);
  if (!query) return FinishResult(query.takeError());
  Expected<std::unique_ptr<Redactor>> redactor = MakeRedactor(arguments.redact);
  if (!redactor) return FinishResult(redactor.takeError());
  GuardAnalysis analysis;
  Read(arguments, *query, redactor->get(), analysis);
  ReportUnread(analysis.report.unread);
  const EmptyInputs empty_inputs =
      EmptyInputsFor(arguments.expects_output, analysis.report.unread.empty());
  if (analysis.graphs.graphs.empty() && !CheckRecognised(analysis.session, empty_inputs)) {
    return ExitStatus::kTrouble;
  }

  PrepareReport(arguments.output, arguments.color, arguments.report);
  const GuardFormat* format = FindFormat(GuardFormats(), arguments.format);
  Error error = WriteResult(arguments.output, [&](llvm::raw_ostream& out) {
    format->write(analysis.report, InputNames(analysis), arguments.report, out);
  });
  if (!analysis.report.unread.empty()) return FinishResult(std::move(error), ExitStatus::kTrouble);
  const std::optional<Severity> fail_on = FailOnSeverity(arguments.fail_on);
  const bool is_failure = !arguments.exit_zero && fail_on && *fail_on <= Severity::kWarning &&
                          HasCulprit(analysis.report);
  return FinishResult(std::move(error), is_failure ? ExitStatus::kFindings : ExitStatus::kClean);
}

CommandRun AddGuards(CLI::App& app) {
  const auto arguments = std::make_shared<GuardsArguments>();
  app.add_option("PATH", arguments->paths, "Traces, logs or dumps, or folders of them")
      ->required()
      ->type_name("");
  app.add_option("--function", arguments->function, "Analyze only functions with this name")
      ->type_name("NAME");
  app.add_option("--sizes", arguments->sizes,
                 "Count the graphs for these sizes instead of the sizes of the run; repeatable")
      ->type_name("NAME=VALUES")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  AddChoice(app, "--format", arguments->format, FormatNames(GuardFormats()), "Output format");
  app.add_flag("--all", arguments->report.all, "text: list all functions and sizes");
  app.add_option("-o,--output", arguments->output, "Write the result to a file")->type_name("FILE");
  AddChoice(app, "--fail-on", arguments->fail_on, FailOnNames(),
            "Exit with 1 at this severity; a pinned size is a warning");
  AddRedactOptions(app, arguments->redact);
  AddExpectOutput(app, arguments->expects_output);
  app.add_flag("--exit-zero", arguments->exit_zero, "Always exit with 0");
  AddChoice(app, "--color", arguments->color, {"auto", "always", "never"}, "When to use color");
  return [arguments] { return RunGuards(*arguments); };
}

}  // namespace

const Command kGuardsCommand = {
    "guards", "Show which sizes are dynamic, and which lines of code pin the others",
    kGuardsExamples, AddGuards};

}  // namespace shapewise
