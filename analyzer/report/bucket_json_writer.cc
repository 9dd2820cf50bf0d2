// Prints a bucket plan as JSON, schema shapewise.buckets/1. Shares have full precision so that
// readers can verify them.

#include <nlohmann/json.hpp>

#include "report/bucket_emitters.h"
#include "report/bucket_facts.h"
#include "report/formats.h"
#include "report/json_stream.h"

namespace shapewise {
namespace {

Json PaddingShareJson(const PaddingShare& padding) {
  return {{"train", padding.train}, {"holdout", NumberOrNull(padding.holdout)}};
}

Json BucketPointJson(size_t dims, const BucketPoint& point) {
  return {{"buckets", point.buckets},
          {"boundaries", ListJson(point.boundaries, SizesJson, dims)},
          {"padding", PaddingShareJson(point.padding)},
          {"compiles", point.compiles},
          {"expected_seconds", SecondsJson(point.expected_seconds)},
          {"cost_overhead", point.cost_overhead},
          {"lower_bound", NumberOrNull(point.lower_bound)},
          {"worst_call", point.worst_call}};
}

Json UseJson(size_t dims, const BucketUse& use) {
  return {{"sizes", SizesJson(dims, use.sizes)},
          {"calls", NumberOrNull(use.calls)},
          {"padding", NumberOrNull(use.padding)}};
}

Json PriceJson(const std::optional<CompilePrice>& price) {
  if (!price) return {};
  return {{"seconds", SecondsJson(price->seconds)}, {"source", price->source}};
}

Json ModeOutcomeJson(const ModeOutcome& outcome) {
  return {{"name", outcome.name},
          {"mode", BucketModeName(outcome.mode)},
          {"compiles", outcome.compiles},
          {"cost_overhead", outcome.cost_overhead},
          {"expected_seconds", SecondsJson(outcome.seconds)},
          {"slowdown_assumed", outcome.is_assumed}};
}

Json BreakEvenJson(const BreakEven& stretch) {
  return {{"from_calls", stretch.from_calls},
          {"name", stretch.name},
          {"buckets", stretch.buckets},
          {"seconds_a_call", stretch.seconds_a_call}};
}

Json LadderJson(const LadderComparison& ladder) {
  return {{"name", ladder.name},
          {"source", TextOrNull(ladder.source)},
          {"sizes", ladder.sizes},
          {"size_count", ladder.size_count},
          {"used", ladder.used},
          {"padding", PaddingShareJson(ladder.padding)},
          {"cost_overhead", ladder.cost_overhead},
          {"same_waste_buckets", PositionOrNull(ladder.same_waste_buckets)},
          {"same_count_overhead", ladder.same_count_overhead},
          {"out_of_range", ladder.out_of_range}};
}

Json SimulationJson(const PlanSimulation& simulation) {
  return {{"policy", simulation.policy},
          {"compiles", simulation.compiles},
          {"eager_calls", simulation.eager_calls},
          {"traps", simulation.traps}};
}

Json HoldoutJson(const std::optional<HoldoutCheck>& check, size_t dims) {
  if (!check) return {};
  return {{"fraction", check->fraction},
          {"planned_calls", check->planned_calls},
          {"held_calls", check->held_calls},
          {"boundaries", ListJson(check->boundaries, SizesJson, dims)},
          {"padding", check->padding},
          {"best_padding", check->best_padding},
          {"cost_overhead", check->cost_overhead},
          {"best_cost_overhead", check->best_cost_overhead},
          {"out_of_range", check->out_of_range}};
}

Json IntervalJson(const std::optional<ShareInterval>& interval) {
  if (!interval) return {{"low", nullptr}, {"high", nullptr}};
  return {{"low", interval->low}, {"high", interval->high}};
}

Json DriftJson(const std::optional<SizeDrift>& drift) {
  if (!drift) return {};
  return {{"distance", drift->distance},
          {"noise", drift->noise},
          {"regret", drift->regret},
          {"drifting", drift->is_drifting},
          {"replan_every_calls", NumberOrNull(drift->replan_every_calls)}};
}

Json CallsJson(const BucketReport& report) {
  return {{"calls", report.histogram.calls}, {"distinct", report.histogram.counts.size()},
          {"rows", report.histogram.rows},   {"real_elements", report.histogram.real},
          {"ordered", report.is_ordered},    {"out_of_range", report.out_of_range}};
}

Json SnippetsJson(const BucketReport& report) {
  Json json = Json::object();
  for (const BucketSnippet& snippet : BucketSnippets(report)) json[snippet.consumer] = snippet.text;
  return json;
}

Json RecommendJson(const BucketReport& report) {
  const bool is_mixed = report.mode == BucketMode::kMixed;
  return {{"mode", BucketModeName(report.mode)},
          {"why", TextOrNull(report.why)},
          {"way", is_mixed ? Json() : Json(ServingKindName(report.way))}};
}

}  // namespace

Json SizesJson(size_t dims, const Sizes& sizes) {
  if (dims <= 1) return sizes[0];
  Json json = Json::array();
  for (size_t dim = 0; dim < std::min(dims, sizes.size()); ++dim) json.push_back(sizes[dim]);
  return json;
}

Json ServedJson(const ServedSizes& served) {
  return {{"kind", ServingKindName(served.kind)}, {"first", served.first}, {"last", served.last}};
}

void WriteBucketJson(const BucketReport& report, const ReportOptions& options,
                     llvm::raw_ostream& out) {
  const size_t dims = report.dims;
  JsonStream object("shapewise.buckets/1", options, out);
  object.Member("inputs", report.inputs);
  object.Member("columns", report.columns);
  object.Member("sizes", CallsJson(report));
  object.Member("censored", report.is_censored);
  object.Member("cost_model", {{"text", TextOrNull(report.cost_model)},
                               {"seconds", report.is_in_seconds},
                               {"noise", report.cost_noise}});
  object.Member("compile", {{"static", PriceJson(report.static_compile)},
                            {"dynamic", PriceJson(report.dynamic_compile)}});
  object.Member("steps", report.steps);
  object.Member("alignment", report.alignment);

  object.Member("boundaries", ListJson(report.boundaries, SizesJson, dims));
  if (dims > 1) object.Member("cheapest_first", ListJson(CheapestFirst(report), SizesJson, dims));
  object.Member("padding", PaddingShareJson(report.padding));
  object.Member("padding_95", IntervalJson(report.padding_95));
  object.Member("cost_overhead", report.cost_overhead);
  object.Member("cost_overhead_95", IntervalJson(report.cost_overhead_95));
  object.List("buckets", BucketUses(report), UseJson, dims);
  object.List("served", report.served, ServedJson);
  object.Member("recommend", RecommendJson(report));
  object.Member("warm_up", ListJson(report.warm_up, SizesJson, dims));
  object.Member("recompile_limit", report.recompile_limit);

  object.List("frontier", report.frontier, BucketPointJson, dims);
  object.Member("chosen", report.frontier.empty() ? Json() : Json(report.chosen));
  object.List("modes", report.outcomes, ModeOutcomeJson);
  object.List("break_even", report.break_even, BreakEvenJson);
  object.Member("dynamic", {{"slowdown", report.dynamic_slowdown},
                            {"break_even_slowdown", report.break_even_slowdown}});

  object.Member("validation", HoldoutJson(report.holdout, dims));
  object.Member("drift", DriftJson(report.drift));
  object.List("ladders", report.ladders, LadderJson);
  object.List("dynamo", report.simulations, SimulationJson);
  object.Member("snippets", SnippetsJson(report));
  object.Member("assumptions", report.assumptions);
  object.Member("gaps", report.gaps);
  object.Member("unread", report.unread);
}

}  // namespace shapewise
