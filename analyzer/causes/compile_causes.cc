#include "causes/compile_causes.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "causes/cache_entries.h"
#include "causes/display_name.h"
#include "llvm/Support/FormatVariadic.h"
#include "shapewise/guards/guard_cost.h"

namespace shapewise {
namespace {

constexpr Micros kCostlyEmptyGraph = 1'000'000;
constexpr double kTellUs = 30;
constexpr double kTellMeasuredUs = 300;
constexpr double kCostlyUs = 100;
constexpr double kCostlyMeasuredUs = 1000;
constexpr double kDeepUs = 10;
constexpr size_t kMaxKinds = 3;

using FunctionKey = std::tuple<StrId, StrId, uint32_t>;  // function, file, first line

FunctionKey KeyOf(const Compilation& compilation) {
  return {compilation.function, compilation.file, compilation.function_line};
}

Cause CauseFor(CauseKind kind, const FunctionKey& key, const Session& session) {
  const auto& [function, file, line] = key;
  Cause cause;
  cause.kind = kind;
  cause.where = {std::string(session.text(function)), std::string(session.text(file)), line};
  cause.display_function = DisplayFunction(cause.where, Place{});
  return cause;
}

struct EmptyFunction {
  uint64_t count = 0;
  std::optional<Micros> micros;
  std::set<int32_t> ranks;
};

/// The function with its most expensive cache entry.
struct GuardedFunction {
  const Compilation* entry = nullptr;
  GuardEstimate estimate;
  std::optional<double> measured_us;  // the shortest
  CacheEntries entries;
  uint64_t compiles = 0;
  std::set<int32_t> ranks;
  std::vector<size_t> events;  // that stand where the compilations do
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
  for (const auto& [kind, count] : guards.kinds) {
    counts.emplace_back(std::string(session.text(kind)), count);
  }
  return CountsText(counts);
}

/// What the conditions in Python are about, most frequent first.
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

void AddGuardFacts(const GuardedFunction& function, const Session& session, Cause& cause) {
  const GuardTally& guards = function.entry->guards;
  const uint64_t num_guards = function.estimate.has_tree
                                  ? guards.leaves
                                  : static_cast<uint64_t>(*function.entry->num_guards);
  AddFact(cause, "guards", std::to_string(num_guards));
  AddFact(cause, "call_us", MicrosText(function.estimate.total_us()));
  AddFact(cause, "guard_kinds", KindsText(guards, session));
  if (function.measured_us) AddFact(cause, "measured_us", MicrosText(*function.measured_us));
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

/// Takes over `compilation` where its guards cost more than those seen before. Of the times that
/// were measured the shortest counts: each is taken once, and whatever else the machine does can
/// make it a hundred times longer, never shorter.
void TakeGuards(const Compilation& compilation, const Session& session, GuardedFunction& function) {
  const std::optional<GuardEstimate> estimate = EstimateGuards(compilation, session.strings());
  if (!estimate) return;
  if (const std::optional<double> latency_us = compilation.guards.latency_us) {
    function.measured_us = std::min(*latency_us, function.measured_us.value_or(*latency_us));
  }
  if (function.entry != nullptr && estimate->total_us() <= function.estimate.total_us()) return;
  function.entry = &compilation;
  function.estimate = *estimate;
}

/// Compile events by input and line, which is that of the compilation.
std::map<std::pair<uint32_t, uint64_t>, size_t> CompileEvents(const Session& session) {
  std::map<std::pair<uint32_t, uint64_t>, size_t> events;
  if (session.compilations().empty()) return events;
  for (size_t index = 0; index < session.events().size(); ++index) {
    const Event& event = session.events()[index];
    if (session.detail(event).kind != EventKind::kCompile) continue;
    events.emplace(std::make_pair(event.input, event.line), index);
  }
  return events;
}

}  // namespace

std::vector<Cause> FoldEmptyGraphs(const Session& session, const CompileLedger& ledger) {
  std::map<FunctionKey, EmptyFunction> functions;
  for (size_t index = 0; index < ledger.entries().size(); ++index) {
    const LedgerEntry& entry = ledger.entries()[index];
    const Compilation& compilation = session.compilations()[index];
    if (entry.account != CompileAccount::kEmpty || entry.has_break) continue;
    if (compilation.function == StrId::kNone) continue;
    if (ParseResumeName(session.text(compilation.function))) continue;
    EmptyFunction& function = functions[KeyOf(compilation)];
    ++function.count;
    AddMicros(function.micros, entry.whole);
    if (compilation.rank != kNoRank) function.ranks.insert(compilation.rank);
  }
  std::vector<Cause> causes;
  for (const auto& [key, function] : functions) {
    Cause cause = CauseFor(CauseKind::kEmptyGraph, key, session);
    cause.count = function.count;
    if (function.micros) {
      cause.cost_seconds = ToSeconds(*function.micros);
      cause.is_costly = *function.micros >= kCostlyEmptyGraph;
    }
    cause.ranks.assign(function.ranks.begin(), function.ranks.end());
    causes.push_back(std::move(cause));
  }
  return causes;
}

std::vector<Cause> FoldGuardCosts(const Session& session) {
  const std::map<std::pair<uint32_t, uint64_t>, size_t> events = CompileEvents(session);
  std::map<FunctionKey, GuardedFunction> functions;
  for (const Compilation& compilation : session.compilations()) {
    if (!LeavesEntry(compilation) || compilation.function == StrId::kNone) continue;
    GuardedFunction& function = functions[KeyOf(compilation)];
    ++function.compiles;
    function.entries.Add(compilation, session);
    const auto event = events.find({compilation.input, compilation.line});
    if (event != events.end()) function.events.push_back(event->second);
    if (compilation.rank != kNoRank) function.ranks.insert(compilation.rank);
    TakeGuards(compilation, session, function);
  }
  std::vector<Cause> causes;
  for (const auto& [key, function] : functions) {
    if (function.entry == nullptr) continue;
    const uint64_t entries = function.entries.Most();
    const double depth_us = CacheDepthUs(entries > 0 ? entries - 1 : 0);
    const double worst_us = function.estimate.total_us() + depth_us;
    const double measured_us = function.measured_us.value_or(0);
    if (worst_us < kTellUs && measured_us < kTellMeasuredUs) continue;
    Cause cause = CauseFor(CauseKind::kGuardCost, key, session);
    cause.count = function.compiles;
    cause.is_costly = worst_us >= kCostlyUs || measured_us >= kCostlyMeasuredUs;
    const bool is_deep = depth_us >= kDeepUs && depth_us > function.estimate.guards_us;
    cause.hint = is_deep ? "entries" : GuardOffenderName(FindOffender(function.entry->guards));
    AddGuardFacts(function, session, cause);
    cause.events = function.events;
    std::sort(cause.events.begin(), cause.events.end());
    cause.ranks.assign(function.ranks.begin(), function.ranks.end());
    causes.push_back(std::move(cause));
  }
  return causes;
}

}  // namespace shapewise
