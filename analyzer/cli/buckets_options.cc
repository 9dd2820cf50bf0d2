#include "cli/buckets_options.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "api/command_parts.h"
#include "cli/options.h"
#include "cli/value_checks.h"
#include "llvm/ADT/StringExtras.h"
#include "report/bucket_writer.h"

namespace shapewise {
namespace {

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

}  // namespace

void AddBucketsOptions(CLI::App& app, BucketsArguments& arguments) {
  AddGroup(app, "Calls", [&] { AddInputOptions(app, arguments); });
  AddGroup(app, "Buckets", [&] { AddPlanOptions(app, arguments); });
  AddGroup(app, "Costs", [&] { AddCostOptions(app, arguments); });
  AddGroup(app, "Output", [&] { AddOutputOptions(app, arguments); });
}

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

}  // namespace shapewise
