#include "cli/commands.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "cli/result_output.h"
#include "llvm/Support/raw_ostream.h"
#include "pipeline/load_run.h"
#include "pipeline/predict.h"
#include "report/report.h"

namespace shapewise {
namespace {

/// The command line of `shapewise predict`.
struct PredictArguments : ResultArguments {
  std::vector<std::string> paths;     ///< SCENARIOS, or the files of --lengths
  std::vector<std::string> logs;      ///< --log
  std::vector<std::string> calls;     ///< --calls
  std::string length_shape;           ///< --lengths
  std::vector<std::string> body;      ///< --body
  std::vector<std::string> policies;  ///< --policy
  bool is_comparison = false;         ///< --compare
  std::string function;               ///< --function; empty: all
  bool assume_no_questions = false;   ///< --assume-no-questions

  bool IsOfRun() const { return !logs.empty() || !calls.empty() || !length_shape.empty(); }
};

Expected<BodyFacts> ReadBody(const PredictArguments& arguments, FileSource& files) {
  if (arguments.body.empty()) return BodyFacts();
  Redactor* const redactor = arguments.redact.redactor.get();
  const std::string function = redactor == nullptr
                                   ? arguments.function
                                   : redactor->Rewrite(TextKind::kExpression, arguments.function);
  return LoadBody(arguments.body, files, function, redactor);
}

Expected<ExitStatus> AnswerAll(PredictArguments& arguments) {
  const std::unique_ptr<FileSource> files = NewDiskFileSource();
  Expected<BodyFacts> body = ReadBody(arguments, *files);
  if (!body) return body.takeError();
  ScenarioOptions options;
  options.redactor = arguments.redact.redactor.get();
  options.paths = arguments.paths;
  options.simulator.assume_no_questions = arguments.assume_no_questions;
  if (!arguments.body.empty()) options.body = &*body;
  PrepareReport(arguments.output, arguments.color, arguments.report);
  const ScenarioFormat& format = *FindFormat(ScenarioFormats(), arguments.format);
  ScenarioRun run;
  Error error = WriteResult(arguments.output, [&](llvm::raw_ostream& out) {
    format.begin(arguments.report, out);
    run = AnswerScenarios(options, *files, [&](const ScenarioAnswer& answer) {
      format.answer(answer, arguments.report, out);
    });
    format.end(run.tally, arguments.report, out);
  });
  ReportUnread(run.unread);
  const bool is_done = ReportDamage(run.files,
                                    "scenarios, one per line: JSON objects with id, argnames and "
                                    "calls (for a run, use --log RUN)") &&
                       run.unread.empty();
  return FinishResult(std::move(error), is_done ? ExitStatus::kClean : ExitStatus::kTrouble);
}

Expected<std::vector<PolicyChange>> ReadPolicies(const PredictArguments& arguments) {
  std::vector<std::string> texts = arguments.policies;
  if (texts.empty() && arguments.is_comparison) {
    texts = {"dynamic=True", "dynamic=False", "limit 64"};
  }
  std::vector<PolicyChange> policies;
  for (const std::string& text : texts) {
    Expected<PolicyChange> policy = ParsePolicy(text);
    if (!policy) return policy.takeError();
    policies.push_back(std::move(*policy));
  }
  return policies;
}

bool HasTrouble(const PredictionReport& report) {
  return std::ranges::any_of(report.functions, [](const FunctionPrediction& function) {
    const Prediction& own = function.outcomes.front().prediction;
    return own.is_exact && (own.totals.limit_hits > 0 || own.totals.error_calls > 0);
  });
}

Expected<ExitStatus> PredictRunOf(PredictArguments& arguments) {
  RunPredictionOptions options;
  options.redactor = arguments.redact.redactor.get();
  Expected<std::vector<PolicyChange>> policies = ReadPolicies(arguments);
  if (!policies) return policies.takeError();
  options.policies = std::move(*policies);
  const std::unique_ptr<FileSource> files = NewWatchedFileSource();
  Expected<BodyFacts> body = ReadBody(arguments, *files);
  if (!body) return body.takeError();
  if (!arguments.body.empty()) options.body = &*body;
  options.logs = arguments.logs;
  options.calls = arguments.calls;
  options.length_shape = arguments.length_shape;
  if (!arguments.length_shape.empty()) options.lengths = arguments.paths;
  options.function = arguments.function;
  options.is_comparison = arguments.is_comparison;
  options.simulator.assume_no_questions = arguments.assume_no_questions;
  RunPrediction run;
  if (Error error = PredictRun(options, *files, run)) return error;
  ReportUnread(run.report.unread);
  const std::string expected =
      arguments.length_shape.empty() ? kExpectedCalls : "lengths, one per line";
  bool is_done = ReportDamage(run.files, expected) && run.report.unread.empty();
  if (!arguments.logs.empty()) {
    const EmptyInputs empty_inputs =
        EmptyInputsFor(arguments.expects_output, run.report.unread.empty());
    is_done = CheckRecognised(run.session, empty_inputs) && is_done;
  }
  if (!is_done && run.report.functions.empty()) return ExitStatus::kTrouble;
  if (!arguments.function.empty() && run.report.functions.empty()) {
    return MakeError("--function: no compiled function '" + arguments.function +
                     "' is in the input");
  }

  Error error = WriteFormatted(PredictionFormats(), arguments, run.report);
  return FinishResult(std::move(error), arguments, is_done, WarningIf(HasTrouble(run.report)));
}

Error CheckArguments(const PredictArguments& arguments) {
  if (!arguments.IsOfRun() && arguments.paths.empty()) {
    return MakeError("nothing to predict: expected SCENARIOS, --log, --calls or --lengths");
  }
  if (arguments.length_shape.empty() && arguments.IsOfRun() && !arguments.paths.empty()) {
    return MakeError(
        "'" + arguments.paths.front() +
        "' cannot be combined with --log or --calls: scenarios are predicted separately");
  }
  if (!arguments.length_shape.empty() && arguments.paths.empty()) {
    return MakeError("--lengths: no file of lengths given ('-' is standard input)");
  }
  if (!arguments.IsOfRun() && FindFormat(ScenarioFormats(), arguments.format) == nullptr) {
    return MakeError(
        "--format " + arguments.format +
        " requires --log, --calls or --lengths: scenarios are written as text, json or "
        "jsonl");
  }
  if (!arguments.IsOfRun() && (!arguments.policies.empty() || arguments.is_comparison)) {
    return MakeError(
        "--policy and --compare require --log, --calls or --lengths: scenarios have their own "
        "policies");
  }
  return Error::success();
}

Expected<ExitStatus> RunPredict(PredictArguments& arguments) {
  if (Error error = CheckArguments(arguments)) return error;
  if (Error error = MakeRedactor(arguments.redact)) return error;
  return arguments.IsOfRun() ? PredictRunOf(arguments) : AnswerAll(arguments);
}

void AddPredict(CommandLine& line, PredictArguments& arguments) {
  line.Add("SCENARIOS", &arguments.paths, "",
           "Scenarios, one JSON object per line; with --lengths, files of lengths");
  AddRepeatable(line, "--log", arguments.logs, "RUN",
                "Trace or log of a run, or a folder of them; repeatable");
  AddRepeatable(line, "--calls", arguments.calls, "FILE",
                "Recorded calls, of the run of --log or alone; repeatable");
  line.Add("--lengths", &arguments.length_shape, "SHAPE",
           "Read calls as sizes of one dim: SRC:DIM such as x:1, or a shape such as x[8,*,64]");
  AddRepeatable(line, "--policy", arguments.policies, "POLICY",
                "Predict the effect of this policy; repeatable");
  line.AddFlag("--compare", &arguments.is_comparison,
               "text: compare policies in a table; without --policy, common ones");
  AddRepeatable(line, "--body", arguments.body, "PATH",
                "Trace (TORCH_TRACE) of a run of the function; repeatable");
  line.Add("--function", &arguments.function, "NAME", "Analyze only functions with this name");
  line.AddFlag("--assume-no-questions", &arguments.assume_no_questions,
               "If the body of a function is unknown, assume that it compares no sizes");
  AddResultOptions(
      line,
      {.formats = FormatNames(PredictionFormats()),
       .all = "text: print everything, without limits",
       .fail_on = "Exit with 1 at this severity; a limit hit or an error under the run's own "
                  "policy is a warning",
       .can_expect_output = true},
      arguments);
}

}  // namespace

const Command kPredictCommand = {10, "predict",
                                 "Predict what Dynamo compiles, without running anything",
                                 Prepare<PredictArguments, AddPredict, RunPredict>};

}  // namespace shapewise
