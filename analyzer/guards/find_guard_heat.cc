#include "guards/guard_cost.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace shapewise {
namespace {

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
