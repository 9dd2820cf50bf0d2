// Names of the enumerators of causes.

#include "causes/cause.h"

#include "support/enum_name.h"
#include "support/text_scan.h"

namespace shapewise {

std::string_view CauseKindName(CauseKind kind) {
  return EnumName<CauseKind::kServer>(
      kind, {"recompile", "graph_break", "skipped_frame", "constraint_violation", "compile_error",
             "perf_hint", "cudagraph", "implied_break", "implied_recompile", "ignored_mode",
             "torchscript", "xla", "empty_graph", "guard_cost", "rank_divergence", "slow_steps",
             "stall", "server"});
}

std::span<const std::string_view> ServerWhyNames() {
  static constexpr std::string_view kNames[] = {
      "batch-not-captured", "cache-off",         "cache-unusable",
      "cold-again",         "cold-start",        "compile-disabled",
      "compile-in-capture", "compile-off",       "gap",
      "graph-memory",       "graphs-downgraded", "graphs-off",
      "kernel-jit",         "key-changed",       "recompile-while-serving",
      "sizes-changed",      "worker-skew",
  };
  return kNames;
}

std::span<const std::string_view> CauseFactNames() {
  // clang-format off: one a line, since every engine adds some.
  static constexpr std::string_view kNames[] = {
      "access",
      "act",
      "actors",
      "agreed",
      "also_failed",
      "appended",
      "asked",
      "asked_at",
      "baseline",
      "batch",
      "beside",
      "blocks",
      "bound",
      "bound_at",
      "broken_function",
      "cache_root",
      "call_us",
      "compared",
      "container",
      "contiguous_code",
      "compile_id",
      "compiled",
      "cpu_tensors",
      "deeds",
      "depth_us",
      "distances",
      "edge",
      "emptied",
      "empty_reason",
      "entries",
      "excess",
      "expected",
      "factors",
      "family",
      "flag",
      "flag_defaults",
      "flag_graphs",
      "flag_items",
      "graphs",
      "guard_kinds",
      "guard_line",
      "guards",
      "instead",
      "item_dim",
      "item_list",
      "items",
      "jitter",
      "kernel_function",
      "keys",
      "lambda_kinds",
      "lambdas",
      "largest",
      "layer_guards",
      "left_graphs",
      "line_names",
      "lone_record",
      "looked_up",
      "math_calls",
      "measured_us",
      "median",
      "members",
      "mode_turns",
      "needed_at",
      "number_item",
      "optional_values",
      "other_ints",
      "others",
      "others_with",
      "own_number",
      "packed",
      "parting",
      "partner",
      "passing_call",
      "past_limit",
      "pause",
      "per_rank",
      "period",
      "period_steps",
      "pinning_library",
      "pins",
      "process",
      "rate",
      "regular",
      "seconds",
      "several_modules",
      "several_objects",
      "since",
      "sized",
      "slow",
      "split_by",
      "stages",
      "stalls_with",
      "states",
      "steps",
      "strided",
      "symbols",
      "taken",
      "tensor_list",
      "total",
      "tuned",
      "unique_value",
      "unique_values",
      "used_line",
      "variables",
      "variadic",
      "wait",
      "what",
      "worker",
      "wrapped",
  };
  // clang-format on
  return kNames;
}

std::string_view ValuePatternName(ValuePattern pattern) {
  return EnumName<ValuePattern::kVarying>(
      pattern, {"none", "once", "counter", "enumeration", "toggle", "growing", "new_object",
                "parameter_set", "varying"});
}

bool IsRelationOfNumber(const Cause& cause) {
  if (!cause.culprit || cause.culprit->guard_class != GuardClass::kSymbolic) return false;
  const bool has_source =
      !cause.culprit->source.empty() || !FindSources(cause.message, /*limit=*/1).empty();
  return cause.culprit->dim < 0 && has_source && !HasText(cause.message, "size()") &&
         !HasText(cause.message, "stride()") && !HasText(cause.message, "storage_offset()");
}

bool IsLoopIterator(const Cause& cause) {
  return cause.culprit && cause.culprit->guard_class == GuardClass::kLength &&
         HasText(cause.message, "_iterator_len(");
}

std::string_view FactOf(const Cause& cause, std::string_view name) {
  const auto found =
      std::ranges::find_if(cause.facts, [&](const auto& fact) { return fact.first == name; });
  return found == cause.facts.end() ? std::string_view() : std::string_view(found->second);
}

std::string_view ValueUseName(ValueUse use) {
  return EnumName<ValueUse::kRange>(
      use, {"unknown", "arithmetic", "branch", "size", "index", "constant", "range"});
}

}  // namespace shapewise
