#include "pipeline/simulate_plan.h"

#include <algorithm>
#include <map>
#include <optional>
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

  /// Marks of dims are told with each call; calls with other marks come through a torch.compile
  /// of their own.
  void Add(const Sizes& sizes, uint64_t calls, std::optional<MarkKind> mark = std::nullopt) {
    RecordedCall call;
    call.wrapper = mark == MarkKind::kDynamic ? 1 : 0;
    const auto known = calls_.find({sizes, call.wrapper});
    if (known != calls_.end()) {
      builder_.RepeatCall(known->second, calls);
      return;
    }
    TensorValue tensor;
    if (mark) tensor.marks.push_back({.dim = 1, .kind = *mark, .min = {}, .max = {}});
    if (dims_ == 1) tensor.sizes.push_back(rows_);
    tensor.sizes.insert(tensor.sizes.end(), sizes.begin(),
                        sizes.begin() + static_cast<std::ptrdiff_t>(dims_));
    builder_.SetTensor(source_, tensor);
    builder_.EndCall(call, StrId::kNone, calls);
    if (history_.calls.empty()) return;
    calls_.emplace(std::pair(sizes, call.wrapper), history_.calls.back());
  }

  void Finish() { builder_.Finish(); }
  const CallHistory& history() const { return history_; }

 private:
  size_t dims_;
  int64_t rows_;
  CallHistory history_;
  CallHistoryBuilder builder_;
  uint32_t source_ = 0;
  std::map<std::pair<Sizes, uint16_t>, RecordedCall> calls_;
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
      if (report.mode == BucketMode::kMixed) AddServed(sizes[0], calls);
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
    if (report_.mode == BucketMode::kMixed) {
      const size_t padded = report_.boundaries.size();
      Simulate("isolate + limit " + std::to_string(report_.recompile_limit),
               std::to_string(padded) + (padded == 1 ? " size" : " sizes") +
                   " padded to with mark_static(x, 1), the rest with mark_dynamic(x, 1), each a "
                   "torch.compile of its own (isolate_recompiles)",
               padded_.history());
      Add("", "mark_dynamic(x, 1)", false);
      return std::move(simulations_);
    }
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
  /// A call of a plan of several modes: padded and static, or as it is and dynamic.
  void AddServed(int64_t size, uint64_t calls) {
    const auto span = std::ranges::lower_bound(report_.served, size, {}, &ServedSizes::last);
    if (span == report_.served.end()) return;
    const bool is_static = span->kind == ServingKind::kBucket;
    padded_.Add(Sizes{is_static ? span->last : size, 1, 1}, calls,
                is_static ? MarkKind::kStatic : MarkKind::kDynamic);
  }

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
    Simulate(parsed, text, (is_joint && is_padded ? padded_ : real_).history());
  }

  /// Simulates the policy `parsed`, told as `text`.
  void Simulate(const std::string& parsed, const std::string& text, const CallHistory& history) {
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
  HistoryMaker real_;
  HistoryMaker padded_;
  std::vector<PlanSimulation> simulations_;
};

}  // namespace

std::vector<PlanSimulation> SimulatePlan(const SizeHistory& history, const BucketReport& report) {
  return PlanSimulator(history, report).Run();
}

}  // namespace shapewise
