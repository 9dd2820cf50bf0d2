#include "cli/commands.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "cli/result_output.h"
#include "pipeline/guards.h"
#include "report/report.h"

namespace shapewise {
namespace {

/// The command line of `shapewise guards`.
struct GuardsArguments : ResultArguments {
  std::vector<std::string> paths;
  std::string function;            ///< --function; empty: all
  std::vector<std::string> sizes;  ///< --sizes
};

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

Expected<ExitStatus> RunGuards(GuardsArguments& arguments) {
  Expected<GuardQuery> query = QueryOf(arguments);
  if (!query) return query.takeError();
  if (Error error = MakeRedactor(arguments.redact)) return error;
  GuardAnalysis analysis;
  FindGuards(arguments.paths, *query, *NewWatchedFileSource(), analysis,
             arguments.redact.redactor.get());
  ReportUnread(analysis.report.unread);
  const EmptyInputs empty_inputs =
      EmptyInputsFor(arguments.expects_output, analysis.report.unread.empty());
  if (analysis.graphs.graphs.empty() && !CheckRecognised(analysis.session, empty_inputs)) {
    return ExitStatus::kTrouble;
  }

  if (!arguments.function.empty() && analysis.report.functions.empty()) {
    // The name may be one that --redact hides.
    return MakeError("--function: no function of this name with guards is in the input");
  }
  Error error = WriteFormatted(GuardFormats(), arguments, analysis.report, InputNames(analysis));
  return FinishResult(std::move(error), arguments, analysis.report.unread.empty(),
                      WarningIf(HasCulprit(analysis.report)));
}

void AddGuards(CommandLine& line, GuardsArguments& arguments) {
  line.Add("PATH", &arguments.paths, "", "Traces, logs or dumps, or folders of them",
           {.is_required = true});
  line.Add("--function", &arguments.function, "NAME", "Analyze only functions with this name");
  AddRepeatable(line, "--sizes", arguments.sizes, "NAME=VALUES",
                "Count the graphs for these sizes instead of the sizes of the run; repeatable");
  AddResultOptions(line,
                   {.formats = FormatNames(GuardFormats()),
                    .all = "text: list all functions and sizes",
                    .fail_on = "Exit with 1 at this severity; a pinned size is a warning",
                    .can_expect_output = true},
                   arguments);
}

}  // namespace

const Command kGuardsCommand = {
    8, "guards", "Show which sizes are dynamic, and which lines of code pin the others",
    Prepare<GuardsArguments, AddGuards, RunGuards>};

}  // namespace shapewise
