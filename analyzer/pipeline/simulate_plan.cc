#include "pipeline/simulate_plan.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "shapewise/dynamo/body.h"
#include "shapewise/dynamo/policy_text.h"
#include "shapewise/dynamo/policy_traps.h"
#include "shapewise/dynamo/simulator.h"
#include "shapewise/model/call_history_builder.h"
#include "shapewise/support/random.h"

namespace shapewise {
namespace {

constexpr uint64_t kMostCalls = 1'000'000;
constexpr uint64_t kSeed = 20260;
/// torch._dynamo.config.recompile_limit, as it is shipped.
constexpr size_t kDefaultLimit = 8;

/// Puts calls of one tensor x together.
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
    if (!history_.calls.empty()) calls_.emplace(sizes, history_.calls.back());
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

/// The calls in the order in which they came; those without an order mixed up, a million draws of
/// them if there are more.
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

/// The sizes of the cheapest bucket that holds `sizes`; these themselves if none does.
Sizes PaddedTo(const Sizes& sizes, const BucketReport& report) {
  size_t best = report.boundaries.size();
  for (size_t i = 0; i < report.boundaries.size(); ++i) {
    bool holds = true;
    for (size_t dim = 0; dim < sizes.size(); ++dim) {
      holds &= report.boundaries[i][dim] >= sizes[dim];
    }
    const bool is_cheaper =
        best == report.boundaries.size() || report.cost_a_bucket[i] < report.cost_a_bucket[best];
    if (holds && is_cheaper) best = i;
  }
  return best < report.boundaries.size() ? report.boundaries[best] : sizes;
}

/// Simulates policies, as people write them, one after the other.
class PlanSimulator {
 public:
  PlanSimulator(const SizeHistory& history, const BucketReport& report)
      : report_(report),
        body_(BodyOfCategory("free")),
        real_(history.dims(), history.rows()),
        padded_(history.dims(), history.rows()) {
    std::map<Sizes, Sizes> buckets;
    ForEachCall(history, [&](const Sizes& sizes, uint64_t calls) {
      real_.Add(sizes, calls);
      if (history.dims() == 1) return;
      const auto [found, is_new] = buckets.try_emplace(sizes);
      if (is_new) found->second = PaddedTo(sizes, report);
      padded_.Add(found->second, calls);
    });
    real_.Finish();
    padded_.Finish();
  }

  std::vector<PlanSimulation> Run() {
    const std::string dims = DimsText();
    const std::string padding = PaddingText();
    const std::string marks = "mark_static(x, " + dims + ")";
    const size_t count = report_.boundaries.size();
    if (count > kDefaultLimit) {
      Add(padding, marks + " + limit " + std::to_string(report_.recompile_limit), true);
      Add(padding, marks, true);
    } else {
      Add(padding, marks, true);
    }
    if (count > 1) Add(padding, "", true);
    Add("", "mark_dynamic(x, " + dims + ")", false);
    return std::move(simulations_);
  }

 private:
  std::string DimsText() const {
    if (report_.dims == 1) return "1";
    return report_.dims == 2 ? "[0, 1]" : "[0, 1, 2]";
  }

  std::string PaddingText() const {
    if (report_.dims > 1) {
      return "x padded to " + std::to_string(report_.boundaries.size()) + " shapes";
    }
    std::string sizes;
    for (const Sizes& bucket : report_.boundaries) {
      if (!sizes.empty()) sizes += "|";
      sizes += std::to_string(bucket[0]);
    }
    return "buckets(x, 1, " + sizes + ")";
  }

  void Add(const std::string& padding, const std::string& marks, bool is_padded) {
    const bool is_joint = report_.dims > 1;
    const std::string text = padding + (padding.empty() || marks.empty() ? "" : " + ") + marks;
    // Buckets of several dims are no policy: their calls are padded here.
    std::string parsed = is_joint ? marks : text;
    if (parsed.empty()) parsed = "as-is";
    Expected<PolicyChange> change = ParsePolicy(parsed);
    if (!change) {
      llvm::consumeError(change.takeError());
      return;
    }
    const CallHistory& history = (is_joint && is_padded ? padded_ : real_).history();
    const AppliedPolicy applied = ApplyPolicy(*change, CompilePolicy(), history);
    SimulatorOptions options;
    options.keep_calls = false;
    const Prediction prediction = Simulate(history, body_, applied.policy, options);
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
  HistoryMaker real_;
  HistoryMaker padded_;
  std::vector<PlanSimulation> simulations_;
};

}  // namespace

std::vector<PlanSimulation> SimulatePlan(const SizeHistory& history, const BucketReport& report) {
  return PlanSimulator(history, report).Run();
}

}  // namespace shapewise
