#include "causes/find_causes.h"

#include <algorithm>
#include <array>
#include <compare>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "causes/cache_entries.h"
#include "causes/display_name.h"
#include "guards/guard_cost.h"
#include "llvm/Support/FormatVariadic.h"

namespace shapewise {
namespace {

constexpr double kReportUs = 30;
constexpr double kReportMeasuredUs = 300;
constexpr double kCostlyUs = 100;
constexpr double kCostlyMeasuredUs = 1000;
constexpr double kDeepUs = 10;
constexpr size_t kMaxKinds = 3;

/// Identifies a function: its own place or, if a log does not name functions, the place that its
/// guards come from.
struct GuardedFunctionKey {
  StrId function{};
  StrId file{};
  uint32_t line = 0;
  StrId user_function{};
  StrId user_file{};

  friend auto operator<=>(const GuardedFunctionKey&, const GuardedFunctionKey&) = default;
};

/// The function with its most expensive cache entry.
struct CostlyFunction {
  const GuardTally* guards = nullptr;  ///< of that entry
  uint64_t num_guards = 0;             ///< of that entry
  GuardEstimate estimate;              ///< for that entry
  double shortest_us = 0;              ///< shortest time that PyTorch measured
  /// Plausible according to the estimate for the entry it was measured with.
  bool is_shortest_likely = false;
  uint64_t measurements = 0;
  CacheEntries entries;
  uint64_t compiles = 0;
  uint32_t user_line = 0;
  std::set<int32_t> ranks;
  std::vector<size_t> events;  // events on the lines of the compilations

  /// A measured time that can be relied on. Each was measured once, and other load on the machine
  /// can make it a hundred times longer but never shorter. So the shortest counts, and a single one
  /// only if the guards can plausibly take that long.
  std::optional<double> MeasuredUs() const {
    const bool counts = measurements > 1 || (measurements == 1 && is_shortest_likely);
    return counts ? std::optional(shortest_us) : std::nullopt;
  }
};

std::string MicrosText(double us) {
  return us < 10 ? llvm::formatv("{0:F1}", us).str() : llvm::formatv("{0:F0}", us).str();
}

/// "TENSOR_MATCH 148, EQUALS_MATCH 40, ..."
std::string CountsText(const std::vector<std::pair<std::string, uint64_t>>& counts) {
  std::string text;
  for (size_t i = 0; i < std::min(counts.size(), kMaxKinds); ++i) {
    if (i > 0) text += ", ";
    text += counts[i].first + " " + std::to_string(counts[i].second);
  }
  if (counts.size() > kMaxKinds) text += ", ...";
  return text;
}

std::string KindsText(const GuardTally& guards, const Session& session) {
  std::vector<std::pair<std::string, uint64_t>> counts;
  counts.reserve(guards.kinds.size());
  for (const auto& [kind, count] : guards.kinds) {
    counts.emplace_back(std::string(session.text(kind)), count);
  }
  return CountsText(counts);
}

/// The subjects of the conditions in Python, most frequent first.
std::string LambdasText(const GuardTally& guards, const Session& session, uint64_t& all) {
  std::array<uint64_t, static_cast<size_t>(LambdaKind::kOther) + 1> by_kind{};
  for (const auto& [text, count] : guards.root_lambdas) {
    by_kind[static_cast<size_t>(KindOfLambda(session.text(text)))] += count;
    all += count;
  }
  std::vector<std::pair<std::string, uint64_t>> counts;
  for (size_t kind = 0; kind < by_kind.size(); ++kind) {
    if (by_kind[kind] == 0) continue;
    counts.emplace_back(LambdaKindName(static_cast<LambdaKind>(kind)), by_kind[kind]);
  }
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return CountsText(counts);
}

void AddFact(Cause& cause, std::string name, std::string text) {
  cause.facts.emplace_back(std::move(name), std::move(text));
}

void AddGuardFacts(const CostlyFunction& function, const Session& session, Cause& cause) {
  const GuardTally& guards = *function.guards;
  AddFact(cause, "guards", std::to_string(function.num_guards));
  AddFact(cause, "call_us", MicrosText(function.estimate.total_us()));
  AddFact(cause, "guard_kinds", KindsText(guards, session));
  if (const std::optional<double> measured_us = function.MeasuredUs()) {
    AddFact(cause, "measured_us", MicrosText(*measured_us));
  }
  uint64_t lambdas = 0;
  const std::string lambda_kinds = LambdasText(guards, session, lambdas);
  AddFact(cause, "lambdas", std::to_string(lambdas));
  AddFact(cause, "lambda_kinds", lambda_kinds);
  if (!guards.families.empty()) {
    const GuardTally::Family& family = guards.families.front();
    AddFact(cause, "family", std::string(session.text(family.source)));
    AddFact(cause, "members", std::to_string(family.members));
    uint64_t in_families = 0;
    for (const GuardTally::Family& other : guards.families) in_families += other.guards;
    AddFact(cause, "layer_guards", std::to_string(in_families));
  }
  const uint64_t entries = function.entries.Most();
  AddFact(cause, "entries", std::to_string(entries));
  AddFact(cause, "depth_us", MicrosText(CacheDepthUs(entries > 0 ? entries - 1 : 0)));
}

/// Stores `guards` with their `estimate` if they cost more than those seen before.
void TakeGuards(const GuardTally& guards, uint64_t num_guards,
                const std::optional<GuardEstimate>& estimate, CostlyFunction& function) {
  if (!estimate) return;
  if (const std::optional<double> latency_us = guards.latency_us) {
    if (function.measurements == 0 || *latency_us < function.shortest_us) {
      function.shortest_us = *latency_us;
      function.is_shortest_likely = IsLikelyLatency(*latency_us, *estimate);
    }
    ++function.measurements;
  }
  if (function.guards != nullptr && estimate->total_us() <= function.estimate.total_us()) return;
  function.guards = &guards;
  function.num_guards = num_guards;
  function.estimate = *estimate;
}

/// Compile events by input and line (the line of the compilation).
std::map<std::pair<uint32_t, uint64_t>, size_t> CompileEvents(const Session& session) {
  std::map<std::pair<uint32_t, uint64_t>, size_t> events;
  if (session.compilations().empty()) return events;
  for (size_t index = 0; index < session.events().size(); ++index) {
    const Event& event = session.events()[index];
    if (session.detail(event).kind() != EventKind::kCompile) continue;
    events.emplace(std::make_pair(event.input, event.line), index);
  }
  return events;
}

using Functions = std::map<GuardedFunctionKey, CostlyFunction>;

void TakeCompilations(const Session& session, Functions& functions) {
  const std::map<std::pair<uint32_t, uint64_t>, size_t> events = CompileEvents(session);
  for (const Compilation& compilation : session.compilations()) {
    if (!AddsEntry(compilation) || compilation.function == StrId::kNone) continue;
    CostlyFunction& function = functions[{.function = compilation.function,
                                          .file = compilation.file,
                                          .line = compilation.function_line}];
    ++function.compiles;
    function.entries.Add(compilation, session);
    const auto event = events.find({compilation.input, compilation.line});
    if (event != events.end()) function.events.push_back(event->second);
    if (compilation.rank != kNoRank) function.ranks.insert(compilation.rank);
    const std::optional<GuardEstimate> estimate = EstimateGuards(compilation, session.strings());
    const bool has_tree = estimate && estimate->has_tree;
    TakeGuards(compilation.guards,
               has_tree ? compilation.guards.leaves
                        : static_cast<uint64_t>(compilation.num_guards.value_or(0)),
               estimate, function);
  }
}

void TakePrinted(const Session& session, Functions& functions) {
  for (const PrintedGuards& printed : session.printed_guards()) {
    if (printed.guards.leaves == 0) continue;  // Only its symbols are in the log.
    const bool is_named = printed.function != StrId::kNone;
    GuardedFunctionKey key{
        .function = printed.function, .file = printed.file, .line = printed.function_line};
    if (!is_named) {
      key.user_function = printed.user_function;
      key.user_file = printed.user_file;
    }
    CostlyFunction& function = functions[key];
    if (!is_named && function.compiles == 0) function.user_line = printed.user_line;
    ++function.compiles;
    function.entries.Add(printed, session);
    if (printed.rank != kNoRank) function.ranks.insert(printed.rank);
    TakeGuards(printed.guards, printed.guards.leaves,
               EstimateGuards(printed.guards, session.strings()), function);
  }
}

}  // namespace

std::vector<Cause> FoldGuardCosts(const Session& session) {
  Functions functions;
  TakeCompilations(session, functions);
  TakePrinted(session, functions);
  std::vector<Cause> causes;
  for (const auto& [key, function] : functions) {
    if (function.guards == nullptr) continue;
    const uint64_t entries = function.entries.Most();
    const double depth_us = CacheDepthUs(entries > 0 ? entries - 1 : 0);
    const double worst_us = function.estimate.total_us() + depth_us;
    const double measured_us = function.MeasuredUs().value_or(0);
    if (worst_us < kReportUs && measured_us < kReportMeasuredUs) continue;
    const auto text = [&session](StrId id) { return std::string(session.text(id)); };
    Cause cause;
    cause.kind = CauseKind::kGuardCost;
    cause.where = {text(key.function), text(key.file), key.line};
    cause.user = {text(key.user_function), text(key.user_file), function.user_line};
    cause.display_function = DisplayFunction(cause.where, Place{});
    cause.count = function.compiles;
    cause.is_costly = worst_us >= kCostlyUs || measured_us >= kCostlyMeasuredUs;
    const bool is_deep = depth_us >= kDeepUs && depth_us > function.estimate.guards_us;
    cause.hint = is_deep ? "entries" : GuardOffenderName(FindOffender(*function.guards));
    AddGuardFacts(function, session, cause);
    cause.events = function.events;
    std::sort(cause.events.begin(), cause.events.end());
    cause.ranks.assign(function.ranks.begin(), function.ranks.end());
    causes.push_back(std::move(cause));
  }
  return causes;
}

}  // namespace shapewise
