#include "guards/guard_cost.h"

#include <algorithm>

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

}  // namespace shapewise
