// Names of the enumerators of causes.

#include "shapewise/causes/cause.h"

namespace shapewise {

std::string_view CauseKindName(CauseKind kind) {
  switch (kind) {
    case CauseKind::kRecompile:
      return "recompile";
    case CauseKind::kGraphBreak:
      return "graph_break";
    case CauseKind::kSkippedFrame:
      return "skipped_frame";
    case CauseKind::kConstraintViolation:
      return "constraint_violation";
    case CauseKind::kCompileError:
      return "compile_error";
    case CauseKind::kPerfHint:
      return "perf_hint";
    case CauseKind::kCudagraph:
      return "cudagraph";
    case CauseKind::kImpliedBreak:
      return "implied_break";
    case CauseKind::kImpliedRecompile:
      return "implied_recompile";
    case CauseKind::kIgnoredMode:
      return "ignored_mode";
    case CauseKind::kTorchscript:
      return "torchscript";
    case CauseKind::kXla:
      return "xla";
    case CauseKind::kEmptyGraph:
      return "empty_graph";
    case CauseKind::kGuardCost:
      return "guard_cost";
    case CauseKind::kRankDivergence:
      return "rank_divergence";
    case CauseKind::kSlowSteps:
      return "slow_steps";
    case CauseKind::kStall:
      return "stall";
    case CauseKind::kServer:
      return "server";
  }
  return {};
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
      "baseline",
      "batch",
      "beside",
      "cache_root",
      "call_us",
      "compared",
      "compile_id",
      "compiled",
      "cpu_tensors",
      "depth_us",
      "distances",
      "edge",
      "entries",
      "excess",
      "expected",
      "factors",
      "family",
      "flag",
      "graphs",
      "guard_kinds",
      "guards",
      "instead",
      "jitter",
      "kernel_function",
      "keys",
      "lambda_kinds",
      "lambdas",
      "largest",
      "layer_guards",
      "measured_us",
      "median",
      "members",
      "others",
      "others_with",
      "parting",
      "pause",
      "per_rank",
      "period",
      "period_steps",
      "process",
      "rate",
      "regular",
      "seconds",
      "since",
      "slow",
      "stalls_with",
      "steps",
      "taken",
      "total",
      "tuned",
      "variables",
      "wait",
      "what",
      "worker",
  };
  // clang-format on
  return kNames;
}

std::string_view ValuePatternName(ValuePattern pattern) {
  switch (pattern) {
    case ValuePattern::kNone:
      return "none";
    case ValuePattern::kOnce:
      return "once";
    case ValuePattern::kCounter:
      return "counter";
    case ValuePattern::kEnumeration:
      return "enumeration";
    case ValuePattern::kToggle:
      return "toggle";
    case ValuePattern::kGrowing:
      return "growing";
    case ValuePattern::kNewObject:
      return "new_object";
    case ValuePattern::kParameterSet:
      return "parameter_set";
    case ValuePattern::kVarying:
      return "varying";
  }
  return {};
}

std::string_view ValueUseName(ValueUse use) {
  switch (use) {
    case ValueUse::kUnknown:
      return "unknown";
    case ValueUse::kArithmetic:
      return "arithmetic";
    case ValueUse::kBranch:
      return "branch";
    case ValueUse::kIndex:
      return "index";
    case ValueUse::kShape:
      return "shape";
    case ValueUse::kRange:
      return "range";
  }
  return {};
}

}  // namespace shapewise
