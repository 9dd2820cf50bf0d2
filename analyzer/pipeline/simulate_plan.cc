#include "pipeline/simulate_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "dynamo/body.h"
#include "dynamo/policy_text.h"
#include "dynamo/policy_traps.h"
#include "dynamo/simulator.h"
#include "model/call_history_builder.h"
#include "support/random.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

constexpr uint64_t kMostCalls = 1'000'000;
constexpr uint64_t kSeed = 20260;
/// Default of torch._dynamo.config.recompile_limit.
constexpr size_t kDefaultLimit = 8;

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
    if (count > kDefaultLimit) {
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

}  // namespace

std::vector<PlanSimulation> SimulatePlan(const SizeHistory& history, const BucketReport& report) {
  return PlanSimulator(history, report).Run();
}

}  // namespace shapewise
