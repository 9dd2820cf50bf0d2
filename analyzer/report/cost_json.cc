#include "report/cost_json.h"

#include "report/json_values.h"
#include "report/result_json.h"

namespace shapewise {
namespace {

using Json = nlohmann::ordered_json;

Json ShareJson(const CompileShare& share) {
  return {{"compilations", share.compilations}, {"seconds", share.seconds}};
}

Json PhasesJson(const PhaseSeconds& phases) {
  return {{"dynamo", NumberOrNull(phases.dynamo)},
          {"aot", NumberOrNull(phases.aot)},
          {"inductor", NumberOrNull(phases.inductor)},
          {"code_gen", NumberOrNull(phases.code_gen)}};
}

}  // namespace

nlohmann::ordered_json CostsJson(const std::optional<CompileCosts>& costs) {
  if (!costs) return {};
  const Json rank = costs->slowest_rank < 0 ? Json() : Json(costs->slowest_rank);
  return {{"seconds", costs->seconds},
          {"first_compiles", ShareJson(costs->first_compiles)},
          {"recompiles", ShareJson(costs->recompiles)},
          {"failed", ShareJson(costs->failed)},
          {"empty_graphs", ShareJson(costs->empty_graphs)},
          {"retrace_seconds", costs->retrace_seconds},
          {"backward", ShareJson(costs->backward)},
          {"unfinished", costs->unfinished},
          {"run_time_seconds", NumberOrNull(costs->run_time_seconds)},
          {"phases", PhasesJson(costs->phases)},
          {"cache",
           {{"hits", costs->cache.hits},
            {"misses", costs->cache.misses},
            {"bypasses", costs->cache.bypasses},
            {"seconds_saved", NumberOrNull(costs->cache.seconds_saved)}}},
          {"processes", costs->processes},
          {"slowest",
           {{"rank", rank}, {"input", costs->slowest_input}, {"seconds", costs->slowest_seconds}}}};
}

nlohmann::ordered_json FunctionCostJson(const FunctionCost& function) {
  Json object = PlaceJson(function.where);
  object["compiles"] = function.compiles;
  object["recompiles"] = function.recompiles;
  object["failed"] = function.failed;
  object["empty_graphs"] = function.empty_graphs;
  object["seconds"] = NumberOrNull(function.seconds);
  object["recompile_seconds"] = NumberOrNull(function.recompile_seconds);
  object["retrace_seconds"] = NumberOrNull(function.retrace_seconds);
  object["phases"] = PhasesJson(function.phases);
  object["guards"] = NumberOrNull(function.guards);
  object["estimated_us_per_call"] = NumberOrNull(function.estimated_us);
  object["measured_guard_us"] = NumberOrNull(function.measured_guard_us);
  object["cache_entries"] = function.cache_entries;
  return object;
}

}  // namespace shapewise
