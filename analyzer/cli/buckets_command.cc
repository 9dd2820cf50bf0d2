#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/command_parts.h"
#include "buckets/ladders.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/result_options.h"
#include "cli/result_output.h"
#include "ingest/redacted_lines.h"
#include "llvm/ADT/StringExtras.h"
#include "pipeline/buckets.h"
#include "redact/redact.h"
#include "report/report.h"

namespace shapewise {
namespace {

constexpr const char* kBucketsExamples =
    R"(LENGTHS contains one size per line, a table (--column), a histogram (length,count), JSON
lines, call records (--source x:1) or a result of lint --format json --events; - is standard
input. If calls are in order of time, a plan of the first four fifths is validated on the
last.

Without costs in seconds, the cost of a call is its number of elements, and the plan has the
fewest buckets whose padding is within 1 % of the best eight (--max-buckets). With costs in
seconds, each graph has a price (--compile-seconds, --steps), and the plan is compared with a
dynamic graph, a single size and mixes. Nothing is run: the output lists every assumed value.

Exit status: 0 success; 1 sizes change so much over time that the plan will not last, or more
than one in a hundred held-out calls is larger than the largest bucket (a warning for
--fail-on); 2 error. Settings: fail-on of lint applies.

Examples:
  shapewise buckets lengths.txt
  shapewise buckets requests.csv --column prompt_tokens --buckets 16 --max 4096 --compare vllm
  shapewise buckets requests.csv --column prompt_tokens --cost seconds.csv --steps 1000000
  shapewise buckets lengths.txt --batch 32 --emit pytorch -o buckets.py
  shapewise buckets calls.csv --column batch --column length --align 1,64 --buckets 32
  shapewise buckets lengths.txt --format svg -o plan.svg)";

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

  std::string emit;  ///< --emit; empty: a report
};

/// A list of sizes, with commas or repeated.
void AddSizes(CLI::App& app, const std::string& name, std::vector<int64_t>& sizes, int least,
              const std::string& description) {
  app.add_option(name, sizes, description)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(Between(least, kMaxSize))
      ->type_name("N[,N]");
}

/// A non-negative number.
CLI::Option* AddNumber(CLI::App& app, const std::string& name, std::optional<double>& number,
                       const std::string& type, const std::string& description) {
  return app.add_option(name, number, description)->check(ZeroOrMore())->type_name(type);
}

void AddInputOptions(CLI::App& app, BucketsArguments& arguments) {
  BucketOptions& buckets = arguments.buckets;
  app.add_option("LENGTHS", buckets.paths,
                 "Sizes of calls: text, CSV, JSON lines, a histogram, call records, a server log "
                 "or a lint result")
      ->required()
      ->type_name("");
  app.add_option(
         "--column", buckets.query.columns,
         "Name or number of the column to read; repeat it to plan two or three dims together")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME");
  app.add_option("--count-column", buckets.query.count_column,
                 "Column with the number of calls of each row")
      ->type_name("NAME");
  AddRepeatable(app, "--source", buckets.query.sources, "SRC:DIM",
                "Dim of a tensor in call records or a lint result, such as x:1; repeatable");
  app.add_option("--function", buckets.query.function, "Use only calls of this function")
      ->type_name("NAME");
  CLI::Option* batch =
      app.add_option("--batch", buckets.grouping.batch,
                     "Pad every N lengths in a row to the longest of them, as one call")
          ->check(Between(1, kMaxSize))
          ->type_name("N");
  app.add_option("--max-tokens", buckets.grouping.max_tokens,
                 "Fill a call with lengths while their number times the longest is at most N")
      ->check(Between(1, kMaxSize))
      ->excludes(batch)
      ->type_name("N");
}

void AddPlanOptions(CLI::App& app, BucketsArguments& arguments) {
  PlanOptions& plan = arguments.buckets.plan;
  CLI::Option* buckets = app.add_option("--buckets", plan.buckets, "Plan with at most K buckets")
                             ->check(Between(1, kMostPlannedBuckets))
                             ->type_name("K");
  app.add_option("--max-buckets", plan.max_buckets,
                 "Plan with the best number of buckets, at most K")
      ->check(Between(1, kMostPlannedBuckets))
      ->excludes(buckets)
      ->type_name("K");
  AddSizes(app, "--align", arguments.limits.align, 1,
           "Make buckets above 32 multiples of N [default: 8]; one value per dim, or one for all");
  AddSizes(app, "--min", arguments.limits.min, 0, "Smallest bucket");
  AddSizes(app, "--max", arguments.limits.max, 1,
           "Serve calls up to at least this size [default: the largest size in the input]");
  AddSizes(app, "--force", arguments.limits.force, 1, "Always use these sizes as buckets");
  AddSizes(app, "--forbid", arguments.limits.forbid, 1, "Never use these sizes as buckets");
  app.add_option("--holdout", plan.holdout,
                 "Plan without this last part of the calls, and measure the plan on it")
      ->check(Between(0.01, 0.9))
      ->type_name("FRACTION");
  AddRepeatable(app, "--compare", arguments.buckets.ladders, "LADDER",
                "Compare with an existing list of sizes: vllm, sglang, trtllm, gaudi, pow2 ..., or "
                "a file of sizes; repeatable");
}

void AddCostOptions(CLI::App& app, BucketsArguments& arguments) {
  PlanOptions& plan = arguments.buckets.plan;
  ServingPrices& prices = plan.prices;
  CLI::Option* cost = app.add_option("--cost", arguments.buckets.cost_file,
                                     "Measured costs: a CSV of size and seconds, optionally with "
                                     "the columns dynamic, aligned, captured, eager")
                          ->type_name("FILE");
  app.add_option("--cost-model", arguments.cost_model,
                 "Cost of a call: padding, linear[:A,B], quadratic:A,B,C or tile:A,B,C,T, in "
                 "seconds [default: padding]")
      ->excludes(cost)
      ->type_name("MODEL");
  app.add_option("--steps", plan.steps, "Calls to come [default: as many as were seen]")
      ->check(Between(1, kMostPlannedSteps))
      ->type_name("N");
  AddNumber(app, "--compile-seconds", prices.compile_seconds, "S",
            "Time to compile a static graph");
  AddNumber(app, "--dynamic-compile-seconds", prices.dynamic_compile_seconds, "S",
            "Time to compile a dynamic graph");
  AddNumber(app, "--capture-seconds", prices.capture_seconds, "S",
            "Time to capture a CUDA graph; without it, none is captured");
  CLI::Option* graph =
      AddNumber(app, "--graph-mb", prices.graph_megabytes, "MB", "Memory per graph");
  CLI::Option* memory = AddNumber(app, "--memory-mb", prices.memory_megabytes, "MB",
                                  "Memory limit for all graphs together");
  graph->needs(memory);
  memory->needs(graph);
  const auto add_slowdown = [&](const std::string& name, std::optional<double>& value,
                                const std::string& what) {
    app.add_option(name, value, "How much slower " + what + " is than a static graph of the size")
        ->check(Between(-90.0, 100'000.0))
        ->type_name("PERCENT");
  };
  add_slowdown("--dynamic-slowdown", arguments.dynamic_slowdown, "a dynamic graph");
  add_slowdown("--aligned-slowdown", arguments.aligned_slowdown,
               "a dynamic graph for multiples of --align");
  add_slowdown("--captured-slowdown", arguments.captured_slowdown, "a captured dynamic graph");
  add_slowdown("--eager-slowdown", arguments.eager_slowdown, "eager mode");
}

void AddOutputOptions(CLI::App& app, BucketsArguments& arguments) {
  AddResultOptions(app,
                   {.formats = FormatNames(BucketFormats()),
                    .all = "text: print everything, without limits",
                    .fail_on = "Exit with 1 at this severity; drifting sizes, and sizes beyond the "
                               "plan, are a warning"},
                   arguments);
  const std::vector<std::string> emitters = FormatNames(BucketEmitters());
  app.add_option("--emit", arguments.emit, "Write the plan as text to paste instead")
      ->check(OneOf(emitters))
      ->excludes("--format")
      ->type_name(llvm::join(emitters, "|"));
}

/// Converts per cent to a share.
std::optional<double> ShareOf(std::optional<double> percent) {
  if (!percent) return std::nullopt;
  return *percent / 100;
}

/// Adds all options to `app`; they write to `arguments`.
void AddBucketsOptions(CLI::App& app, BucketsArguments& arguments) {
  AddGroup(app, "Calls", [&] { AddInputOptions(app, arguments); });
  AddGroup(app, "Buckets", [&] { AddPlanOptions(app, arguments); });
  AddGroup(app, "Costs", [&] { AddCostOptions(app, arguments); });
  AddGroup(app, "Output", [&] { AddOutputOptions(app, arguments); });
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
  for (std::string& message : run.report.unread) {
    message = redactor.Rewrite(TextKind::kProse, message);
  }
}

Expected<ExitStatus> RunBuckets(const CLI::App& app, BucketsArguments& arguments) {
  if (Error error = ApplyLintSettings(app, nullptr, nullptr, &arguments)) return error;
  if (Error error = FinishBucketsArguments(arguments)) return error;
  Expected<std::unique_ptr<Redactor>> redactor = MakeRedactor(arguments.redact);
  if (!redactor) return redactor.takeError();
  arguments.buckets.redactor = redactor->get();
  BucketRun run;
  Error planned = PlanBucketsOfRun(arguments.buckets, *NewWatchedFileSource(), run);
  if (*redactor) RedactReading(**redactor, run);
  ReportUnread(run.report.unread);
  const bool is_read = ReportDamage(run.files, kExpectedSizes) && run.report.unread.empty();
  if (planned) return RedactedTrouble(std::move(planned), redactor->get());
  if (run.report.boundaries.empty()) return ExitStatus::kTrouble;

  if (*redactor) RedactBuckets(**redactor, LadderNames(), run.report);
  PrepareReport(arguments.output, arguments.color, arguments.report);
  const BucketFormat& format =
      *(arguments.emit.empty() ? FindFormat(BucketFormats(), arguments.format)
                               : FindFormat(BucketEmitters(), arguments.emit));
  Error error = WriteResult(arguments.output, [&](llvm::raw_ostream& out) {
    format.write(run.report, arguments.report, out);
  });
  return FinishResult(std::move(error), arguments, is_read, WorstOf(run.report));
}

CommandRun AddBuckets(CLI::App& app) {
  const auto arguments = std::make_shared<BucketsArguments>();
  AddBucketsOptions(app, *arguments);
  return [&app, arguments] { return RunBuckets(app, *arguments); };
}

}  // namespace

const Command kBucketsCommand = {"buckets", "Find the sizes to pad to, and how many",
                                 kBucketsExamples, AddBuckets};

}  // namespace shapewise
