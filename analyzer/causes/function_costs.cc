#include "causes/function_costs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "causes/cache_entries.h"
#include "causes/compile_costs.h"
#include "causes/compile_ledger.h"
#include "guards/guard_cost.h"

namespace shapewise {
namespace {

struct CostOfFunction {
  FunctionCost cost;
  std::optional<Micros> seconds;
  std::optional<Micros> recompile_seconds;
  std::optional<Micros> retrace_seconds;
  PhaseSum phases;
  CacheEntries entries;
  double most_us = 0;  // estimate for one entry
};

void AddGuards(const Compilation& compilation, const Session& session, double& most_us,
               FunctionCost& cost) {
  const std::optional<GuardEstimate> estimate = EstimateGuards(compilation, session.strings());
  if (!estimate) return;
  if (const std::optional<double> latency_us = compilation.guards.latency_us) {
    cost.measured_guard_us = std::min(*latency_us, cost.measured_guard_us.value_or(*latency_us));
  }
  if (estimate->total_us() <= most_us) return;
  most_us = estimate->total_us();
  cost.estimated_us = std::round(estimate->total_us() * 10) / 10;
  cost.guards = estimate->has_tree ? compilation.guards.leaves
                                   : static_cast<uint64_t>(compilation.num_guards.value_or(0));
}

void AddForward(const Compilation& compilation, const Session& session, CompileAccount account,
                CostOfFunction& function) {
  FunctionCost& cost = function.cost;
  cost.recompiles += account == CompileAccount::kRecompile ? 1 : 0;
  cost.failed += account == CompileAccount::kFailed ? 1 : 0;
  if (!AddsEntry(compilation)) return;
  const bool is_empty = compilation.outcome == CompileOutcome::kEmptyGraph;
  ++(is_empty ? cost.empty_graphs : cost.compiles);
  AddGuards(compilation, session, function.most_us, cost);
  function.entries.Add(compilation, session);
}

FunctionCost Finish(CostOfFunction&& function) {
  FunctionCost cost = std::move(function.cost);
  cost.seconds = SecondsOrNone(function.seconds);
  cost.recompile_seconds = SecondsOrNone(function.recompile_seconds);
  cost.retrace_seconds = SecondsOrNone(function.retrace_seconds);
  cost.phases = function.phases.Total();
  cost.cache_entries = function.entries.Most();
  return cost;
}

}  // namespace

std::vector<FunctionCost> SumFunctionCosts(const Session& session, const CompileLedger& ledger) {
  std::map<std::tuple<StrId, StrId, uint32_t>, CostOfFunction> functions;
  for (size_t index = 0; index < ledger.entries().size(); ++index) {
    const LedgerEntry& entry = ledger.entries()[index];
    const Compilation& compilation = session.compilations()[index];
    const Compilation& named = session.compilations()[entry.forward];
    if (named.function == StrId::kNone && named.file == StrId::kNone) continue;
    CostOfFunction& function = functions[{named.function, named.file, named.function_line}];
    AddMicros(function.seconds, entry.whole);
    AddMicros(function.retrace_seconds, entry.retrace);
    const CompileAccount account = ledger.entries()[entry.forward].account;
    if (account == CompileAccount::kRecompile && entry.whole) {
      AddMicros(function.recompile_seconds, *entry.whole - entry.retrace.value_or(0));
    }
    function.phases.Add(compilation, entry.whole);
    if (!entry.is_backward) AddForward(compilation, session, account, function);
  }

  std::vector<FunctionCost> costs;
  for (auto& [key, function] : functions) {
    const auto& [name, file, line] = key;
    function.cost.where = {std::string(session.text(name)), std::string(session.text(file)), line};
    costs.push_back(Finish(std::move(function)));
  }
  std::sort(costs.begin(), costs.end(), [](const FunctionCost& a, const FunctionCost& b) {
    const double seconds_a = a.seconds.value_or(-1);
    const double seconds_b = b.seconds.value_or(-1);
    if (seconds_a != seconds_b) return seconds_a > seconds_b;
    return std::tie(a.where.file, a.where.line, a.where.function) <
           std::tie(b.where.file, b.where.line, b.where.function);
  });
  return costs;
}

}  // namespace shapewise
