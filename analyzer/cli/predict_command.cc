#include "cli/predict_command.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "cli/result_output.h"
#include "cli/terminal.h"
#include "cli/usage.h"
#include "llvm/Support/raw_ostream.h"
#include "shapewise/pipeline/load_body.h"
#include "shapewise/pipeline/predict.h"
#include "shapewise/report/prediction_writer.h"
#include "shapewise/support/terminal_text.h"

namespace shapewise {
namespace {

/// What `shapewise predict` was asked to do, as the command line says it.
struct PredictArguments {
  std::vector<std::string> scenarios;
  std::vector<std::string> body;     ///< --body
  bool assume_no_questions = false;  ///< --assume-no-questions
  std::string format = "text";       ///< a PredictionWriter::name()
  std::string output;                ///< --output; empty: standard output
  std::string color = "auto";        ///< auto, always or never
  ReportOptions report;              ///< --all
};

constexpr const char* kExamples =
    "SCENARIOS holds one JSON object a line: a function's name, a policy, the shapes and values "
    "of\n"
    "its calls (analyzer/docs/predict.md). What the function does with sizes is known from its\n"
    "category, or from --body: a trace (TORCH_TRACE) or dump of one run of it. Where that is not\n"
    "enough the answer is \"unmodelled\", never a guess.\n"
    "\n"
    "Examples:\n"
    "  shapewise predict --format jsonl scenarios.jsonl\n"
    "  shapewise predict --body trace/ scenarios.jsonl";

std::vector<std::string> FormatNames() {
  std::vector<std::string> names;
  for (const PredictionWriter* writer : PredictionWriters()) names.emplace_back(writer->name());
  return names;
}

/// Says on stderr which lines are no scenarios. False: there was not one scenario in a file.
bool ReportDamage(const ScenarioRun& run) {
  bool all_recognised = true;
  for (const ScenarioFile& file : run.files) {
    const std::string name = MakePrintable(file.path == "-" ? "standard input" : file.path);
    if (file.totals.records == 0) {
      all_recognised = false;
      llvm::errs() << "shapewise: error: " << name;
      if (file.totals.first_line.empty()) {
        llvm::errs() << ": no text in it\n";
      } else {
        llvm::errs() << ": no scenario recognised; expected a JSON object a line with id, argnames "
                        "and calls, but it begins with \""
                     << MakePrintable(file.totals.first_line) << "\"\n";
      }
      continue;
    }
    for (const DamagedLine& line : file.totals.first_damaged) {
      llvm::errs() << "shapewise: warning: " << name << ":" << line.line
                   << ": no whole scenario: " << MakePrintable(line.what) << "\n";
    }
    if (file.totals.damaged > file.totals.first_damaged.size()) {
      llvm::errs() << "shapewise: warning: " << name << ": and "
                   << file.totals.damaged - file.totals.first_damaged.size()
                   << " more lines like these\n";
    }
  }
  return all_recognised;
}

ExitStatus AnswerAll(PredictArguments& arguments, const PredictionWriter& writer) {
  const std::unique_ptr<FileSource> files = NewDiskFileSource();
  ScenarioOptions options;
  options.paths = arguments.scenarios;
  options.simulator.assume_no_questions = arguments.assume_no_questions;
  BodyFacts body;
  if (!arguments.body.empty()) {
    Expected<BodyFacts> loaded = LoadBody(arguments.body, *files);
    if (!loaded) return FinishResult(loaded.takeError());
    body = std::move(*loaded);
    options.body = &body;
  }
  ScenarioRun run;
  Error error = WriteResult(arguments.output, [&](llvm::raw_ostream& out) {
    writer.Begin(arguments.report, out);
    run = AnswerScenarios(options, *files, [&](const ScenarioAnswer& answer) {
      writer.Answer(answer, arguments.report, out);
    });
    writer.End(run.tally, arguments.report, out);
  });
  for (const std::string& message : run.unread) {
    llvm::errs() << "shapewise: error: " << message << "\n";
  }
  const bool is_done = ReportDamage(run) && run.unread.empty();
  return FinishResult(std::move(error), is_done ? ExitStatus::kClean : ExitStatus::kTrouble);
}

ExitStatus RunPredict(PredictArguments& arguments) {
  const bool to_file = !arguments.output.empty() && arguments.output != "-";
  arguments.report.tool_version = SHAPEWISE_VERSION;
  arguments.report.color = WantsColor(arguments.color, to_file);
  arguments.report.width = ReportWidth(to_file);
  return AnswerAll(arguments, *FindPredictionWriter(arguments.format));
}

}  // namespace

Command AddPredictCommand(CLI::App& parent) {
  const auto arguments = std::make_shared<PredictArguments>();
  CLI::App& app = *AddSubcommand(
      parent, "predict", "Tell what Dynamo would compile, without running anything", kExamples);
  app.add_option("SCENARIOS", arguments->scenarios, "Scenarios, one JSON object a line")
      ->required()
      ->type_name("");
  app.add_option("--body", arguments->body,
                 "Trace or dump of one run of the function that is asked about; repeatable")
      ->type_name("PATH")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_flag("--assume-no-questions", arguments->assume_no_questions,
               "Go on where the body is not known as if it compared no sizes, and say so");
  AddChoice(app, "--format", arguments->format, FormatNames(), "Form of the result");
  app.add_flag("--all", arguments->report.all, "text: tell everything, however much");
  app.add_option("-o,--output", arguments->output, "Write the result to a file")->type_name("FILE");
  AddChoice(app, "--color", arguments->color, {"auto", "always", "never"}, "Use of colours");
  return {&app, [arguments] { return RunPredict(*arguments); }};
}

}  // namespace shapewise
