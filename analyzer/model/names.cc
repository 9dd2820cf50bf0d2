// Names of enumerators of the model.

#include "model/compilation.h"
#include "model/server_line.h"
#include "model/span.h"
#include "support/enum_name.h"

namespace shapewise {

std::string_view SpanKindName(SpanKind kind) {
  return EnumName<SpanKind::kOtherProcess>(
      kind, {"step", "compile", "compile_phase", "cudagraph_record", "garbage_collection",
             "other_process"});
}

std::string_view CompileOutcomeName(CompileOutcome outcome) {
  return EnumName<CompileOutcome::kUnknown>(
      outcome, {"graph", "empty_graph", "failed", "backward", "unknown"});
}

std::string_view ServerEngineName(ServerEngine engine) {
  return engine == ServerEngine::kVllm ? "vllm" : "sglang";
}

std::string_view ServerLineKindName(ServerLineKind kind) {
  return EnumName<ServerLineKind::kWaiting>(
      kind,
      {"start",         "distributed",   "load_begin",    "load_weights",   "model_load",
       "cache_dir",     "cache_off",     "cache_factors", "environment",    "dynamo",
       "cache_miss",    "compile",       "cache_hit",     "cache_failure",  "compile_total",
       "compile_sum",   "profile",       "kv_memory",     "kv_tokens",      "graph_estimate",
       "graph_memory",  "capture_sizes", "largest_size",  "draft_tokens",   "capture_progress",
       "capture_begin", "capture",       "jit_warmup",    "autotune_begin", "autotune_end",
       "engine_init",   "start_timing",  "ready",         "compile_off",    "graphs_changed",
       "sizes_changed", "kernel_jit",    "running",       "uncaptured",     "serving_recompile",
       "waiting"});
}

}  // namespace shapewise
