#include "pipeline/buckets.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "buckets/ladders.h"
#include "dynamo/body.h"
#include "dynamo/policy_text.h"
#include "dynamo/policy_traps.h"
#include "dynamo/simulator.h"
#include "ingest/cost_curve_reader.h"
#include "llvm/ADT/StringExtras.h"
#include "model/call_history_builder.h"
#include "model/size_history.h"
#include "support/random.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

constexpr uint64_t kMostCalls = 1'000'000;
constexpr uint64_t kSeed = 20260;
/// Default of torch._dynamo.config.recompile_limit.
constexpr size_t kUsualLimit = 8;

/// Builds calls with one tensor x.
class HistoryMaker {
 public:
  HistoryMaker(size_t dims, int64_t rows) : dims_(dims), rows_(rows), builder_(history_) {
    source_ = builder_.Source(CallHistoryBuilder::kNoParent, "L['x']");
  }

  void Add(const Sizes& sizes, uint64_t calls) {
    const auto known = calls_.find(sizes);
    if (known != calls_.end()) {
      builder_.RepeatCall(known->second, calls);
      return;
    }
    TensorValue tensor;
    if (dims_ == 1) tensor.sizes.push_back(rows_);
    tensor.sizes.insert(tensor.sizes.end(), sizes.begin(),
                        sizes.begin() + static_cast<std::ptrdiff_t>(dims_));
    builder_.SetTensor(source_, tensor);
    builder_.EndCall(RecordedCall(), StrId::kNone, calls);
    if (history_.calls.empty()) return;
    calls_.emplace(sizes, history_.calls.back());
  }

  void Finish() { builder_.Finish(); }
  const CallHistory& history() const { return history_; }

 private:
  size_t dims_;
  int64_t rows_;
  CallHistory history_;
  CallHistoryBuilder builder_;
  uint32_t source_ = 0;
  std::map<Sizes, RecordedCall> calls_;
};

/// Visits the calls in order; unordered calls are shuffled, and at most a million are drawn.
template <typename Visit>
void ForEachCall(const SizeHistory& history, const Visit& visit) {
  if (history.is_ordered()) {
    uint64_t left = kMostCalls;
    history.ForEachRun([&](const Sizes& sizes, uint64_t calls, double) {
      const uint64_t here = std::min(calls, left);
      visit(sizes, here);
      left -= here;
      return left > 0;
    });
    return;
  }
  const SizeHistogram all = history.Histogram();
  std::vector<uint64_t> ends;
  for (const SizeCount& size : all.counts) {
    ends.push_back((ends.empty() ? 0 : ends.back()) + size.calls);
  }
  std::vector<size_t> order;
  Random random(kSeed);
  if (all.calls <= kMostCalls) {
    for (size_t i = 0; i < all.counts.size(); ++i)
      order.insert(order.end(), all.counts[i].calls, i);
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
  } else {
    for (uint64_t i = 0; i < kMostCalls; ++i) {
      const auto found = std::ranges::upper_bound(ends, random.Below(all.calls));
      order.push_back(static_cast<size_t>(found - ends.begin()));
    }
  }
  for (const size_t index : order) visit(all.counts[index].sizes, 1);
}

/// Simulates policies, given in policy syntax.
class PlanSimulator {
 public:
  PlanSimulator(const SizeHistory& history, const BucketReport& report)
      : report_(report), body_(BodyOfCategory("free")), calls_(history.dims(), history.rows()) {
    ForEachCall(history, [&](const Sizes& sizes, uint64_t calls) { calls_.Add(sizes, calls); });
    calls_.Finish();
  }

  std::vector<PlanSimulation> Run() {
    const std::string dims = DimsText();
    if (report_.mode == BucketMode::kMixed) {
      const size_t padded = report_.boundaries.size();
      const std::string words = MixWords();
      // Empty: no policy captures graphs at some sizes.
      if (!words.empty()) {
        Simulate(words + " + limit " + std::to_string(report_.recompile_limit),
                 Counted(padded, "size") +
                     " padded to with mark_static(x, 1), the rest with mark_dynamic(x, 1), each a "
                     "torch.compile of its own (isolate_recompiles)");
      }
      Add("", "mark_dynamic(x, 1)");
      return std::move(simulations_);
    }
    const std::string padding = PaddingText();
    const std::string marks = "mark_static(x, " + dims + ")";
    const size_t count = report_.boundaries.size();
    if (count > kUsualLimit) {
      Add(padding, marks + " + limit " + std::to_string(report_.recompile_limit));
      Add(padding, marks);
    } else {
      Add(padding, marks);
    }
    if (count > 1) Add(padding, "");
    Add("", "mark_dynamic(x, " + dims + ")");
    return std::move(simulations_);
  }

 private:
  /// The plan of several modes as a policy; empty: not expressible.
  std::string MixWords() const {
    std::string spans;
    for (size_t i = 0; i < report_.served.size(); ++i) {
      const ServedSizes& span = report_.served[i];
      std::string way(ServingKindName(span.kind));
      if (span.kind == ServingKind::kCaptured) return {};
      if (span.kind == ServingKind::kBucket) way = std::to_string(span.last);
      if (span.kind == ServingKind::kAlignedDynamic) {
        way = "aligned " + std::to_string(report_.alignment);
      }
      if (span.kind == ServingKind::kDynamicRange) way = "range";
      // A bucket may be larger than the sizes that it serves: the next stretch begins below it.
      const bool is_last = i + 1 == report_.served.size();
      const int64_t last =
          is_last ? span.last : std::min(span.last, report_.served[i + 1].first - 1);
      spans += (i == 0 ? "" : "|") + std::to_string(span.first) + ".." + std::to_string(last) +
               ":" + way;
    }
    return spans.empty() ? spans : "serve(x, 1, " + spans + ")";
  }

  std::string DimsText() const {
    if (report_.dims == 1) return "1";
    return report_.dims == 2 ? "[0, 1]" : "[0, 1, 2]";
  }

  std::string PaddingText() const {
    if (report_.dims > 1) {
      return "x padded to " + std::to_string(report_.boundaries.size()) + " shapes";
    }
    std::string sizes = Joined(report_.boundaries, "|",
                               [&](const Sizes& bucket) { return std::to_string(bucket[0]); });
    return "buckets(x, 1, " + sizes + ")";
  }

  /// Buckets of several dims as a policy: cheapest first, because the first that fits is used.
  std::string JointWords() const {
    std::vector<size_t> order(report_.boundaries.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t i) { return report_.cost_a_bucket[i]; });
    std::string words = "buckets(x:0, x:1" + std::string(report_.dims == 3 ? ", x:2" : "");
    for (const size_t i : order) {
      words += i == order.front() ? ", " : "|";
      for (size_t dim = 0; dim < report_.dims; ++dim) {
        words += (dim == 0 ? "" : "x") + std::to_string(report_.boundaries[i][dim]);
      }
    }
    return words + ")";
  }

  void Add(const std::string& padding, const std::string& marks) {
    const std::string plus = padding.empty() || marks.empty() ? "" : " + ";
    const bool is_joint = report_.dims > 1 && !padding.empty();
    Simulate((is_joint ? JointWords() : padding) + plus + marks, padding + plus + marks);
  }

  /// Simulates the policy `parsed`, shown as `text`.
  void Simulate(const std::string& parsed, const std::string& text) {
    const CallHistory& history = calls_.history();
    Expected<PolicyChange> change = ParsePolicy(parsed);
    if (!change) {
      llvm::consumeError(change.takeError());
      return;
    }
    const AppliedPolicy applied = ApplyPolicy(*change, CompilePolicy(), history);
    SimulatorOptions options;
    options.keep_calls = false;
    const Prediction prediction = shapewise::Simulate(history, body_, applied.policy, options);
    if (!prediction.is_exact) return;
    PlanSimulation simulation;
    simulation.policy = text;
    simulation.compiles = prediction.totals.graphs;
    simulation.eager_calls = prediction.totals.eager_calls;
    simulation.traps = PolicyTraps(history, body_, applied.policy);
    simulations_.push_back(std::move(simulation));
  }

  const BucketReport& report_;
  BodyFacts body_;
  HistoryMaker calls_;
  std::vector<PlanSimulation> simulations_;
};

/// Simulates the calls of `history` (at most a million) under the plan of `report`, under the same
/// padding without marks, without a raised limit where it is needed, and under one dynamic graph.
/// Assumes a function of one tensor that asks nothing of its sizes. Undecided results are left out.
std::vector<PlanSimulation> SimulatePlan(const SizeHistory& history, const BucketReport& report) {
  return PlanSimulator(history, report).Run();
}

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
