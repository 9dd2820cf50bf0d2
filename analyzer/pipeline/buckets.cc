#include "pipeline/buckets.h"

#include <algorithm>
#include <utility>

#include "buckets/ladders.h"
#include "ingest/cost_curve_reader.h"
#include "llvm/ADT/StringExtras.h"
#include "pipeline/simulate_plan.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

/// A column of a cost file as a cost model; absent: no such column.
Expected<std::optional<CostModel>> ModelOfColumn(const CostCurve& curve,
                                                 std::optional<double> CostPoint::* column) {
  CostCurve own;
  for (const CostPoint& point : curve.points) {
    if (point.*column) own.points.push_back({.size = point.size, .seconds = *(point.*column)});
  }
  if (own.points.empty()) return std::nullopt;
  Expected<CostModel> model = CostModel::OfCurve(std::move(own));
  if (!model) return model.takeError();
  return std::optional<CostModel>(std::move(*model));
}

/// Reads the cost file into `plan`, and its counts into `read`.
Error ReadCosts(const std::string& path, FileSource& files, PlanOptions& plan,
                std::vector<RecordFile>& read) {
  Expected<CostCurveFile> file = ReadCostCurve(path, files);
  if (!file) return file.takeError();
  read.push_back({path, std::move(file->lines)});
  ServingPrices& prices = plan.prices;
  // Values given by the user take precedence.
  if (!prices.compile_seconds && file->compile_seconds) {
    prices.compile_seconds = file->compile_seconds;
    prices.compile_source = path;
  }
  if (!prices.dynamic_compile_seconds && file->dynamic_compile_seconds) {
    prices.dynamic_compile_seconds = file->dynamic_compile_seconds;
    prices.dynamic_compile_source = path;
  }
  CostCurve& curve = file->curve;
  plan.noise = NoiseOf(curve);
  const std::pair<std::optional<double> CostPoint::*, std::optional<CostModel>*> columns[] = {
      {&CostPoint::dynamic, &plan.mode_costs.dynamic},
      {&CostPoint::aligned, &plan.mode_costs.aligned},
      {&CostPoint::captured, &plan.mode_costs.captured},
      {&CostPoint::eager, &plan.mode_costs.eager},
  };
  for (const auto& [column, model] : columns) {
    Expected<std::optional<CostModel>> made = ModelOfColumn(curve, column);
    if (!made) return made.takeError();
    *model = std::move(*made);
  }
  Expected<CostModel> cost = CostModel::OfCurve(std::move(curve));
  if (!cost) return cost.takeError();
  plan.cost = std::move(*cost);
  return Error::success();
}

/// The ladder with a given name, or from a file of sizes.
Expected<SizeLadder> ReadLadder(const std::string& text, int64_t max, FileSource& files) {
  Expected<SizeLadder> known = LadderOf(text, max);
  if (known) return known;
  Expected<std::vector<std::string>> paths = files.Expand(text);
  if (!paths || paths->size() != 1) {
    if (!paths) llvm::consumeError(paths.takeError());
    return MakeError(llvm::toString(known.takeError()) + "; known are " +
                     llvm::join(LadderNames(), ", ") + ", and files of sizes");
  }
  llvm::consumeError(known.takeError());
  Expected<std::vector<int64_t>> sizes = ReadSizeLadder(paths->front(), files);
  if (!sizes) return sizes.takeError();
  return SizeLadder{text, "a list of sizes", StretchesOf(*sizes)};
}

/// The largest size of one dim.
int64_t LargestOf(const SizeHistory& history) {
  int64_t largest = 0;
  for (const SizeCount& size : history.Histogram().counts) {
    largest = std::max(largest, size.sizes[0]);
  }
  return largest;
}

Error AddLadders(const BucketOptions& options, const SizeHistory& history, FileSource& files,
                 PlanOptions& plan) {
  if (!options.ladders.empty() && history.dims() > 1) {
    return MakeError("--compare needs sizes of one dim: ladders hold sizes of one");
  }
  const int64_t declared = plan.limits.empty() ? 0 : plan.limits.front().max;
  const int64_t max = std::max(declared, LargestOf(history));
  for (const std::string& text : options.ladders) {
    Expected<SizeLadder> ladder = ReadLadder(text, max, files);
    if (!ladder) return ladder.takeError();
    plan.ladders.push_back(std::move(*ladder));
  }
  return Error::success();
}

/// Reports what was skipped as gaps.
void ReportReading(const SizeRun& run, Redactor* redactor, std::vector<std::string>& gaps) {
  const GroupingTotals& grouping = run.grouping;
  if (grouping.left_out > 0) {
    gaps.push_back(Counted(grouping.left_out, "length") +
                   " at the end made no full batch: left out.");
  }
  if (grouping.too_long > 0) {
    gaps.push_back(Counted(grouping.too_long, "length is", "lengths are") +
                   " longer than --max-tokens: each is a call of its own.");
  }
  for (const SizeFile& file : run.files) {
    const std::string path =
        redactor == nullptr ? file.path : redactor->Rewrite(TextKind::kPath, file.path);
    if (file.totals.without > 0) {
      gaps.push_back(Counted(file.totals.without, "call") + " of " + path +
                     " did not bring the size: left out.");
    }
    if (file.totals.note.empty()) continue;
    const std::string& note = file.totals.note;
    gaps.push_back(path + ": " +
                   (redactor == nullptr ? note : redactor->Rewrite(TextKind::kProse, note)) + ".");
  }
}

}  // namespace

Error PlanBucketsOfRun(const BucketOptions& options, FileSource& files, BucketRun& run) {
  PlanOptions plan = options.plan;
  if (!options.cost_file.empty()) {
    if (Error error = ReadCosts(options.cost_file, files, plan, run.files)) return error;
  }
  Expected<SizeRun> sizes = ReadSizeRun(options.paths, options.query, options.grouping, files);
  if (!sizes) return sizes.takeError();
  for (const SizeFile& file : sizes->files) run.files.push_back({file.path, file.totals.lines});
  run.report.unread = std::move(sizes->unread);
  const SizeHistory& history = sizes->history;
  // Unreadable inputs are reported instead.
  if (history.calls() == 0 && !run.report.unread.empty()) return Error::success();
  if (history.dims() > 1 && !options.cost_file.empty()) {
    return MakeError("--cost holds seconds by size of one dim: for several, --cost-model");
  }
  if (Error error = AddLadders(options, history, files, plan)) return error;
  plan.is_censored = sizes->is_censored;
  Expected<BucketReport> report = PlanBuckets(history, plan);
  if (!report) return report.takeError();
  report->unread = std::move(run.report.unread);
  run.report = std::move(*report);
  run.report.columns = std::move(sizes->columns);
  run.report.inputs = options.paths;
  ReportReading(*sizes, options.redactor, run.report.gaps);
  run.report.simulations = SimulatePlan(history, run.report);
  return Error::success();
}

}  // namespace shapewise
