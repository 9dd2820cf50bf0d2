#include "pipeline/buckets.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "buckets/ladders.h"
#include "dynamo/body.h"
#include "dynamo/policy_text.h"
#include "dynamo/simulator.h"
#include "ingest/size_reader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "model/call_history_builder.h"
#include "model/size_history.h"
#include "pipeline/replay_plan.h"
#include "support/random.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

constexpr uint64_t kMostCalls = 1'000'000;
constexpr uint64_t kSeed = 20260;
/// Default of torch._dynamo.config.recompile_limit.
constexpr size_t kUsualLimit = 8;

/// The dims of tensors that have the sizes of a plan.
struct PlannedDims {
  std::vector<InputDim> dims;  ///< dims[i] has size number `sizes[i]` of the plan
  std::vector<size_t> sizes;
};

/// The dims that the columns of `run` name; sizes without a tensor are those of a tensor x. Empty:
/// a column is no dim counted from 0.
PlannedDims DimsOfPlan(const SizeRun& run, size_t dims) {
  PlannedDims planned;
  for (size_t i = 0; run.are_dims && i < std::min(dims, run.columns.size()); ++i) {
    if (const auto dim = ParseInputDim(run.columns[i])) planned.dims.push_back(*dim);
    planned.sizes.push_back(i);
  }
  if (planned.dims.size() == dims) {
    for (size_t i = 0; dims == 1 && i < run.same.size(); ++i) {
      if (const auto dim = ParseInputDim(run.same[i])) planned.dims.push_back(*dim);
    }
    planned.sizes.resize(planned.dims.size(), 0);
    return planned;
  }
  planned = {};
  if (run.are_dims) return planned;
  for (size_t i = 0; i < dims; ++i) {
    planned.dims.push_back({"x", static_cast<int64_t>(dims == 1 ? 1 : i)});
    planned.sizes.push_back(i);
  }
  return planned;
}

/// "L['x'].y" for the name "x.y".
std::string SourceOfName(const std::string& name) {
  const size_t end = std::min(name.find_first_of(".["), name.size());
  return "L['" + name.substr(0, end) + "']" + name.substr(end);
}

/// Builds calls with the tensors of a plan.
class HistoryMaker {
 public:
  HistoryMaker(const PlannedDims& planned, int64_t rows)
      : planned_(planned), rows_(rows), builder_(history_) {
    for (const InputDim& dim : planned.dims) {
      std::vector<int64_t>& shape = shapes_[dim.name];
      shape.resize(std::max(shape.size(), static_cast<size_t>(dim.dim) + 1), rows_);
    }
    for (const auto& [name, shape] : shapes_) {
      sources_.push_back(builder_.Source(CallHistoryBuilder::kNoParent, SourceOfName(name)));
    }
  }

  void Add(const Sizes& sizes, uint64_t calls) {
    const auto known = calls_.find(sizes);
    if (known != calls_.end()) {
      builder_.RepeatCall(known->second, calls);
      return;
    }
    for (size_t i = 0; i < planned_.dims.size(); ++i) {
      const InputDim& dim = planned_.dims[i];
      shapes_[dim.name][static_cast<size_t>(dim.dim)] = sizes[planned_.sizes[i]];
    }
    size_t number = 0;
    for (const auto& [name, shape] : shapes_) {
      TensorValue tensor;
      tensor.sizes = {shape.begin(), shape.end()};
      builder_.SetTensor(sources_[number++], tensor);
    }
    builder_.EndCall(RecordedCall(), StrId::kNone, calls);
    if (history_.calls.empty()) return;
    calls_.emplace(sizes, history_.calls.back());
  }

  void Finish() { builder_.Finish(); }
  const CallHistory& history() const { return history_; }

 private:
  const PlannedDims& planned_;
  int64_t rows_;
  std::map<std::string, std::vector<int64_t>> shapes_;  // by name
  CallHistory history_;
  CallHistoryBuilder builder_;
  std::vector<uint32_t> sources_;  // in the order of shapes_
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
  PlanSimulator(const SizeHistory& history, const PlannedDims& planned, const BucketReport& report)
      : report_(report),
        planned_(planned),
        body_(BodyOfCategory("free")),
        calls_(planned, history.rows()) {
    ForEachCall(history, [&](const Sizes& sizes, uint64_t calls) { calls_.Add(sizes, calls); });
    calls_.Finish();
  }

  std::vector<PlanSimulation> Run() {
    const std::string dynamic = Marks("mark_dynamic");
    if (report_.mode == BucketMode::kMixed) {
      const size_t padded = report_.boundaries.size();
      const std::string words = MixWords();
      // Empty: no policy captures graphs at some sizes.
      if (!words.empty()) {
        Simulate(words + " + limit " + std::to_string(report_.recompile_limit),
                 Counted(padded, "size") + " padded to with " + Marks("mark_static") +
                     ", the rest with " + dynamic +
                     ", each a torch.compile of its own (isolate_recompiles)");
      }
      Add("", dynamic);
      return std::move(simulations_);
    }
    const std::string padding = PaddingText();
    const std::string marks = Marks("mark_static");
    const size_t count = report_.boundaries.size();
    if (count > kUsualLimit) {
      Add(padding, marks + " + limit " + std::to_string(report_.recompile_limit));
      Add(padding, marks);
    } else {
      Add(padding, marks);
    }
    if (count > 1) Add(padding, "");
    Add("", dynamic);
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
      spans += (i == 0 ? "" : "|") + std::to_string(span.first) + ".." +
               std::to_string(LastServed(report_.served, i)) + ":" + way;
    }
    return spans.empty() ? spans : "serve(" + PlacesText() + ", " + spans + ")";
  }

  /// "x:0, x:1"
  std::string PlacesText() const {
    return Joined(planned_.dims, ", ",
                  [](const InputDim& dim) { return dim.name + ":" + std::to_string(dim.dim); });
  }

  /// "mark_static(x, 1) + mark_static(y, 1)"; "mark_static(x, [0, 1])" for a tensor's only mark.
  std::string Marks(const std::string& mark) const {
    std::vector<std::string> names;
    for (const InputDim& dim : planned_.dims) {
      if (!llvm::is_contained(names, dim.name)) names.push_back(dim.name);
    }
    return Joined(names, " + ", [&](const std::string& name) {
      std::vector<int64_t> dims;
      for (const InputDim& dim : planned_.dims) {
        if (dim.name == name) dims.push_back(dim.dim);
      }
      const std::string list = Joined(dims, ", ");
      return mark + "(" + name + ", " + (dims.size() == 1 ? list : "[" + list + "]") + ")";
    });
  }

  std::string PaddingText() const {
    if (report_.dims > 1) {
      return PlacesText() + " padded to " + std::to_string(report_.boundaries.size()) + " shapes";
    }
    std::string sizes = Joined(report_.boundaries, "|",
                               [&](const Sizes& bucket) { return std::to_string(bucket[0]); });
    return Joined(planned_.dims, " + ", [&](const InputDim& dim) {
      return "buckets(" + dim.name + ", " + std::to_string(dim.dim) + ", " + sizes + ")";
    });
  }

  /// Buckets of several dims as a policy: cheapest first, because the first that fits is used.
  std::string JointWords() const {
    std::vector<size_t> order(report_.boundaries.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t i) { return report_.cost_a_bucket[i]; });
    std::string words = "buckets(" + PlacesText();
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
  const PlannedDims& planned_;
  BodyFacts body_;
  HistoryMaker calls_;
  std::vector<PlanSimulation> simulations_;
};

/// Simulates the calls of `history` (at most a million) under the plan of `report`, under the same
/// padding without marks, without a raised limit where it is needed, and under one dynamic graph.
/// Assumes a function that asks nothing of its sizes. Undecided results are left out.
std::vector<PlanSimulation> SimulatePlan(const SizeHistory& history, const PlannedDims& planned,
                                         const BucketReport& report) {
  if (planned.dims.empty()) return {};
  return PlanSimulator(history, planned, report).Run();
}

/// Sizes of different tensors that are equal in every call are planned as one.
void JoinEqualSizes(SizeRun& run) {
  std::vector<std::string>& columns = run.columns;
  const bool are_equal = run.history.dims() > 1 && columns.size() == run.history.dims() &&
                         std::all_of(columns.begin() + 1, columns.end(), [&](const auto& column) {
                           return llvm::is_contained(run.same, column);
                         });
  if (!are_equal) return;
  SizeHistory joined;
  run.history.ForEachRun([&](const Sizes& sizes, uint64_t calls, double) {
    return joined.Add({sizes[0], 1, 1}, calls);
  });
  if (!run.history.is_ordered()) joined.SetUnordered();
  run.history = std::move(joined);
  columns.resize(1);
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
    if (file.totals.lines.damaged > 0) {
      const std::string example = file.totals.lines.DescribeDamage();
      gaps.push_back(
          Counted(file.totals.lines.damaged, "line") + " of " + path +
          " could not be read, so the plan does not contain their sizes" +
          (redactor == nullptr ? example : redactor->Rewrite(TextKind::kProse, example)) + ".");
    }
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

/// If sizes are upper bounds, their padding is not all padding.
void ReportLeastPadding(const SizeRun& run, BucketReport& report) {
  double real = 0;
  for (const SizeFile& file : run.files) real += file.totals.most_real;
  const bool are_bounds = std::ranges::all_of(
      run.files, [](const SizeFile& file) { return file.totals.most_real > 0; });
  if (!are_bounds || run.files.empty()) return;
  report.least_padding = ((1 + report.padding.train) * report.histogram.real / real) - 1;
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
  JoinEqualSizes(*sizes);
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
  run.report.columns = sizes->columns;
  run.report.inputs = options.paths;
  ReportReading(*sizes, options.redactor, run.report.gaps);
  // From now on the redactor replaces them in code.
  for (const std::string& name : sizes->same) {
    if (options.redactor != nullptr) options.redactor->Rewrite(TextKind::kExpression, name);
  }
  ReportLeastPadding(*sizes, run.report);
  run.report.simulations = SimulatePlan(history, DimsOfPlan(*sizes, history.dims()), run.report);
  return Error::success();
}

}  // namespace shapewise
