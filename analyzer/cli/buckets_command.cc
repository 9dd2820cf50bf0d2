#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/command_parts.h"
#include "buckets/ladders.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/result_output.h"
#include "ingest/json_line_totals.h"
#include "llvm/ADT/StringExtras.h"
#include "pipeline/buckets.h"
#include "pipeline/run_inputs.h"
#include "redact/redact.h"
#include "report/report.h"

namespace shapewise {
namespace {

/// The command line of `shapewise buckets`.
struct BucketsArguments : ResultArguments {
  BucketOptions buckets;  ///< options that need no further parsing

  BucketLimitLists limits;  ///< --align, --min, --max, --force, --forbid
  std::string cost_model;   ///< --cost-model
  /// Per cent.
  std::optional<double> dynamic_slowdown;
  std::optional<double> aligned_slowdown;
  std::optional<double> captured_slowdown;
  std::optional<double> eager_slowdown;
};

/// A list of sizes, with commas or repeated.
void AddSizes(CommandLine& line, const std::string& name, std::vector<int64_t>& sizes, int least,
              const std::string& description) {
  line.Add(name, &sizes, "N[,N]", description,
           {.check = Between(least, kMaxSize), .list = ListForm::kCommas});
}

void AddNumber(CommandLine& line, const std::string& name, std::optional<double>& number,
               const std::string& type, const std::string& description) {
  line.Add(name, &number, type, description, {.check = ZeroOrMore()});
}

void AddInputOptions(CommandLine& line, BucketsArguments& arguments) {
  line.SetHeading("Calls");
  BucketOptions& buckets = arguments.buckets;
  line.Add("LENGTHS", &buckets.paths, "",
           "Sizes of calls: text, CSV, JSON lines, a histogram, call records, a server log "
           "or a lint result",
           {.is_required = true});
  line.Add("--column", &buckets.query.columns, "NAME",
           "Name or number of the column to read; repeat it to plan two or three dims together",
           {.list = ListForm::kCommas});
  line.Add("--count-column", &buckets.query.count_column, "NAME",
           "Column with the number of calls of each row");
  AddRepeatable(line, "--source", buckets.query.sources, "SRC:DIM",
                "Dim of a tensor in call records or a lint result, such as x:1; repeatable");
  line.Add("--function", &buckets.query.function, "NAME", "Use only calls of this function");
  line.Add("--batch", &buckets.grouping.batch, "N",
           "Pad every N lengths in a row to the longest of them, as one call",
           {.check = Between(1, kMaxSize)});
  line.Add("--max-tokens", &buckets.grouping.max_tokens, "N",
           "Fill a call with lengths while their number times the longest is at most N",
           {.check = Between(1, kMaxSize), .excludes = "--batch"});
}

void AddPlanOptions(CommandLine& line, BucketsArguments& arguments) {
  line.SetHeading("Buckets");
  PlanOptions& plan = arguments.buckets.plan;
  line.Add("--buckets", &plan.buckets, "K", "Plan with at most K buckets",
           {.check = Between(1, kMostPlannedBuckets)});
  line.Add("--max-buckets", &plan.max_buckets, "K",
           "Plan with the best number of buckets, at most K",
           {.check = Between(1, kMostPlannedBuckets), .excludes = "--buckets"});
  AddSizes(line, "--align", arguments.limits.align, 1,
           "Make buckets above 32 multiples of N [default: 8]; one value per dim, or one for all");
  AddSizes(line, "--min", arguments.limits.min, 0, "Smallest bucket");
  AddSizes(line, "--max", arguments.limits.max, 1,
           "Serve calls up to at least this size [default: the largest size in the input]");
  AddSizes(line, "--force", arguments.limits.force, 1, "Always use these sizes as buckets");
  AddSizes(line, "--forbid", arguments.limits.forbid, 1, "Never use these sizes as buckets");
  line.Add("--holdout", &plan.holdout, "FRACTION",
           "Plan without this last part of the calls, and measure the plan on it",
           {.check = Between(0.01, 0.9)});
  AddRepeatable(line, "--compare", arguments.buckets.ladders, "LADDER",
                "Compare with an existing list of sizes: vllm, sglang, trtllm, gaudi, pow2 ..., or "
                "a file of sizes; repeatable");
}

void AddCostOptions(CommandLine& line, BucketsArguments& arguments) {
  line.SetHeading("Costs");
  PlanOptions& plan = arguments.buckets.plan;
  ServingPrices& prices = plan.prices;
  line.Add("--cost", &arguments.buckets.cost_file, "FILE",
           "Measured costs: a CSV of size and seconds, optionally with "
           "the columns dynamic, aligned, captured, eager");
  line.Add("--cost-model", &arguments.cost_model, "MODEL",
           "Cost of a call: padding, linear[:A,B], quadratic:A,B,C or tile:A,B,C,T, in "
           "seconds [default: padding]",
           {.excludes = "--cost"});
  line.Add("--steps", &plan.steps, "N", "Calls to come [default: as many as were seen]",
           {.check = Between(1, kMostPlannedSteps)});
  AddNumber(line, "--compile-seconds", prices.compile_seconds, "S",
            "Time to compile a static graph");
  AddNumber(line, "--dynamic-compile-seconds", prices.dynamic_compile_seconds, "S",
            "Time to compile a dynamic graph");
  AddNumber(line, "--capture-seconds", prices.capture_seconds, "S",
            "Time to capture a CUDA graph; without it, none is captured");
  AddNumber(line, "--graph-mb", prices.graph_megabytes, "MB", "Memory per graph");
  line.Add("--memory-mb", &prices.memory_megabytes, "MB", "Memory limit for all graphs together",
           {.check = ZeroOrMore(), .needs = "--graph-mb"});
  const auto add_slowdown = [&](const std::string& name, std::optional<double>& value,
                                const std::string& what) {
    line.Add(name, &value, "PERCENT",
             "How much slower " + what + " is than a static graph of the size",
             {.check = Between(-90.0, 100'000.0)});
  };
  add_slowdown("--dynamic-slowdown", arguments.dynamic_slowdown, "a dynamic graph");
  add_slowdown("--aligned-slowdown", arguments.aligned_slowdown,
               "a dynamic graph for multiples of --align");
  add_slowdown("--captured-slowdown", arguments.captured_slowdown, "a captured dynamic graph");
  add_slowdown("--eager-slowdown", arguments.eager_slowdown, "eager mode");
}

std::optional<double> ShareOf(std::optional<double> percent) {
  if (!percent) return std::nullopt;
  return *percent / 100;
}

/// Completes `arguments.buckets`. Error: invalid or contradictory values.
Error FinishBucketsArguments(BucketsArguments& arguments) {
  BucketOptions& buckets = arguments.buckets;
  if (Error error = SetBucketLimits(arguments.limits, buckets)) return error;
  if (!arguments.cost_model.empty()) {
    Expected<CostModel> model = CostModel::Parse(arguments.cost_model);
    if (!model) return model.takeError();
    buckets.plan.cost = std::move(*model);
  }
  ServingPrices& prices = buckets.plan.prices;
  prices.dynamic_slowdown = ShareOf(arguments.dynamic_slowdown);
  prices.aligned_slowdown = ShareOf(arguments.aligned_slowdown);
  prices.captured_slowdown = ShareOf(arguments.captured_slowdown);
  prices.eager_slowdown = ShareOf(arguments.eager_slowdown);
  return Error::success();
}

/// Redacts messages about files before there is a result.
void RedactReading(Redactor& redactor, BucketRun& run) {
  for (RecordFile& file : run.files) {
    RedactTotals(redactor, file.totals);
    file.path = NameOfInput(file.path, &redactor);
  }
  redactor.Redact(TextKind::kProse, run.report.unread);
}

Expected<ExitStatus> RunBuckets(const CommandLine& line, BucketsArguments& arguments) {
  if (Error error = ApplyLintSettings(line, nullptr, nullptr, &arguments)) return error;
  if (Error error = FinishBucketsArguments(arguments)) return error;
  if (Error error = MakeRedactor(arguments.redact)) return error;
  Redactor* const redactor = arguments.redact.redactor.get();
  arguments.buckets.redactor = redactor;
  // A folder of a run has sizes only in its recorded calls.
  for (std::string& path : arguments.buckets.paths) {
    const std::vector<std::string> calls = CallFoldersOf({path});
    if (!calls.empty()) path = calls.front();
  }
  BucketRun run;
  Error planned = PlanBucketsOfRun(arguments.buckets, *NewWatchedFileSource(), run);
  if (redactor != nullptr) RedactReading(*redactor, run);
  ReportUnread(run.report.unread);
  const bool is_read = ReportDamage(run.files, kExpectedSizes) && run.report.unread.empty();
  if (planned) return RedactedTrouble(std::move(planned), redactor);
  if (run.report.boundaries.empty()) return ExitStatus::kTrouble;

  if (redactor != nullptr) RedactBuckets(*redactor, LadderNames(), run.report);
  Error error = WriteFormatted(arguments.emit.empty() ? BucketFormats() : BucketEmitters(),
                               arguments, run.report);
  return FinishResult(std::move(error), arguments, is_read, WorstOf(run.report));
}

void AddBuckets(CommandLine& line, BucketsArguments& arguments) {
  AddInputOptions(line, arguments);
  AddPlanOptions(line, arguments);
  AddCostOptions(line, arguments);
  AddResultOptions(line,
                   {.formats = FormatNames(BucketFormats()),
                    .all = "text: print everything, without limits",
                    .fail_on = "Exit with 1 at this severity; drifting sizes, and sizes beyond the "
                               "plan, are a warning"},
                   arguments);
  const std::vector<std::string> emitters = FormatNames(BucketEmitters());
  line.Add("--emit", &arguments.emit, llvm::join(emitters, "|"),
           "Write the plan as text to paste instead",
           {.check = OneOf(emitters), .excludes = "--format"});
}

}  // namespace

const Command kBucketsCommand = {12, "buckets", "Find the sizes to pad to, and how many",
                                 Prepare<BucketsArguments, AddBuckets, RunBuckets>};

}  // namespace shapewise
