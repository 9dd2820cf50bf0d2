#include "guards/guard_cost.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "model/source_ref.h"
#include "support/enum_name.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// Microseconds; measured as described in analyzer/docs/guard-cost.md.
constexpr double kCallUs = 9;     // a compiled call of an empty function, minus an eager one
constexpr double kLeafUs = 0.01;  // one leaf guard on static sizes
constexpr double kSymbolicLeafUs = 0.02;  // one leaf guard where sizes are symbolic
constexpr double kManagerUs = 0.02;       // one inner node: an attribute, a key, an item
constexpr double kEntryInFrontUs = 0.45;
constexpr double kColdUs = 100;  // with cold caches, independent of the guards
constexpr double kColdFactor = 10;
constexpr double kLikelyFactor = 3;

bool IsSymbolicKind(std::string_view kind) {
  return kind.starts_with("SYMBOLIC_SHAPE") || kind.starts_with("RANGE_GUARD");
}

bool HasSymbols(const Compilation& compilation) {
  return std::ranges::any_of(compilation.symbols, [](const SymbolFact& fact) {
    return fact.kind == SymbolFact::Kind::kCreated;
  });
}

bool HasSymbols(const GuardTally& guards, const StringPool& strings) {
  for (const auto& [kind, count] : guards.kinds) {
    if (IsSymbolicKind(strings.text(kind))) return true;
  }
  for (const auto& [text, count] : guards.root_lambdas) {
    if (KindOfLambda(strings.text(text)) == LambdaKind::kSymbolicSize) return true;
  }
  return false;
}

bool HasComparison(std::string_view text) {
  for (const std::string_view sign : {" < ", " > ", " <= ", " >= ", " == ", " != "}) {
    if (HasText(text, sign)) return true;
  }
  return false;
}

double LeafUs(bool has_symbols) { return has_symbols ? kSymbolicLeafUs : kLeafUs; }

GuardEstimate EstimateTree(const GuardTally& guards, bool has_symbols) {
  GuardEstimate estimate;
  estimate.call_us = kCallUs;
  estimate.has_tree = true;
  estimate.has_symbols = has_symbols;
  estimate.guards_us = LeafUs(has_symbols) * guards.leaves + kManagerUs * guards.managers;
  return estimate;
}

/// A function, by file, line and name.
using FunctionKey = std::tuple<std::string_view, uint32_t, std::string_view>;

/// The most expensive entry of a function so far.
struct HighestPrice {
  const GuardTally* guards = nullptr;
  GuardEstimate estimate;
  int32_t rank = kNoRank;
  StrId compile_id{};
  uint64_t entries = 0;
};

void Note(const GuardTally& guards, const GuardEstimate& estimate, int32_t rank, StrId compile_id,
          HighestPrice& dearest) {
  ++dearest.entries;
  // Ties go to the first, so that the order of the session decides.
  if (dearest.guards != nullptr && estimate.guards_us <= dearest.estimate.guards_us) return;
  dearest.guards = &guards;
  dearest.estimate = estimate;
  dearest.rank = rank;
  dearest.compile_id = compile_id;
}

/// The function that printed guards belong to; without a name, the user's line of one of them.
FunctionKey KeyOf(const PrintedGuards& printed, const Session& session) {
  if (printed.function != StrId::kNone) {
    return {session.text(printed.file), printed.function_line, session.text(printed.function)};
  }
  return {session.text(printed.user_file), printed.user_line, session.text(printed.user_function)};
}

GuardHeat HeatOf(const FunctionKey& key, const HighestPrice& dearest, const Session& session) {
  const GuardTally& guards = *dearest.guards;
  const GuardEstimate& estimate = dearest.estimate;
  GuardHeat heat;
  heat.where = {std::string(std::get<2>(key)), std::string(std::get<0>(key)), std::get<1>(key)};
  heat.rank = dearest.rank;
  heat.compile_id = session.text(dearest.compile_id);
  heat.entries = dearest.entries;
  heat.guards = guards.leaves;
  heat.managers = guards.managers;
  heat.guards_us = estimate.guards_us;
  heat.leaf_us = LeafGuardUs(estimate);
  heat.call_us = estimate.call_us;
  if (guards.latency_us && IsLikelyLatency(*guards.latency_us, estimate)) {
    heat.measured_us = guards.latency_us;
  }
  for (const auto& [kind, count] : guards.kinds) {
    heat.kinds.emplace_back(session.text(kind), count);
  }
  for (const auto& [text, count] : guards.root_lambdas) {
    heat.lambdas.emplace_back(session.text(text), count);
  }
  for (const GuardTally::Family& family : guards.families) {
    heat.families.push_back(
        {std::string(session.text(family.source)), family.guards, family.members});
  }
  return heat;
}

}  // namespace

std::optional<GuardEstimate> EstimateGuards(const Compilation& compilation,
                                            const StringPool& strings) {
  const GuardTally& guards = compilation.guards;
  const bool has_symbols = HasSymbols(compilation) || HasSymbols(guards, strings);
  if (guards.leaves > 0) return EstimateTree(guards, has_symbols);
  if (compilation.num_guards.value_or(0) <= 0) return std::nullopt;
  GuardEstimate estimate;
  estimate.call_us = kCallUs;
  estimate.has_symbols = has_symbols;
  estimate.guards_us = LeafUs(has_symbols) * static_cast<double>(*compilation.num_guards);
  return estimate;
}

std::optional<GuardEstimate> EstimateGuards(const GuardTally& guards, const StringPool& strings) {
  if (guards.leaves == 0) return std::nullopt;
  return EstimateTree(guards, HasSymbols(guards, strings));
}

double LeafGuardUs(const GuardEstimate& estimate) { return LeafUs(estimate.has_symbols); }

bool IsLikelyLatency(double latency_us, const GuardEstimate& estimate) {
  return latency_us <= kLikelyFactor * (kColdUs + kColdFactor * estimate.guards_us);
}

double CacheDepthUs(uint64_t entries_in_front) {
  return kEntryInFrontUs * static_cast<double>(entries_in_front);
}

std::string_view GuardOffenderName(GuardOffender offender) {
  return EnumName<GuardOffender::kMany>(offender, {"python", "layers", "many"});
}

GuardOffender FindOffender(const GuardTally& guards) {
  uint64_t lambdas = 0;
  for (const auto& [text, count] : guards.root_lambdas) lambdas += count;
  uint64_t in_families = 0;
  for (const GuardTally::Family& family : guards.families) in_families += family.guards;
  const bool is_python = guards.leaves > 0 && lambdas * 2 >= guards.leaves;
  const bool is_layers = guards.leaves > 0 && in_families * 2 >= guards.leaves;
  if (is_python && lambdas >= in_families) return GuardOffender::kPython;
  return is_layers ? GuardOffender::kLayers
                   : (is_python ? GuardOffender::kPython : GuardOffender::kMany);
}

std::string_view LambdaKindName(LambdaKind kind) {
  return EnumName<LambdaKind::kOther>(kind, {"sizes", "NaN checks", "comparisons of numbers",
                                             "identities of objects", "other conditions"});
}

LambdaKind KindOfLambda(std::string_view text) {
  text = text.substr(0, text.find("  #"));  // the line of code after it is not part of it
  constexpr size_t kMaxSources = 64;
  if (std::ranges::any_of(FindSources(text, kMaxSources), &SourceRef::IsLayout)) {
    return LambdaKind::kSymbolicSize;
  }
  if (HasText(text, "isnan")) return LambdaKind::kNotANumber;
  if (HasText(text, " is ")) return LambdaKind::kSameObject;
  if (HasText(text, "_hooks ids == None")) return LambdaKind::kOther;
  return HasComparison(text) ? LambdaKind::kNumber : LambdaKind::kOther;
}

std::vector<GuardHeat> FindGuardHeat(const Session& session) {
  std::map<FunctionKey, HighestPrice> traced;
  for (const Compilation& compilation : session.compilations()) {
    if (compilation.guards.leaves == 0) continue;
    const auto estimate = EstimateGuards(compilation, session.strings());
    if (!estimate) continue;
    const FunctionKey key{session.text(compilation.file), compilation.function_line,
                          session.text(compilation.function)};
    Note(compilation.guards, *estimate, compilation.rank, compilation.compile_id, traced[key]);
  }
  std::map<FunctionKey, HighestPrice> printed;
  for (const PrintedGuards& guards : session.printed_guards()) {
    const auto estimate = EstimateGuards(guards.guards, session.strings());
    const FunctionKey key = KeyOf(guards, session);
    if (!estimate || traced.contains(key)) continue;
    Note(guards.guards, *estimate, guards.rank, guards.compile_id, printed[key]);
  }
  traced.merge(printed);

  std::vector<GuardHeat> heat;
  heat.reserve(traced.size());
  for (const auto& [key, dearest] : traced) heat.push_back(HeatOf(key, dearest, session));
  // The map is ordered by place; a stable sort keeps that order for ties.
  std::ranges::stable_sort(heat, std::greater(), &GuardHeat::guards_us);
  return heat;
}

}  // namespace shapewise
