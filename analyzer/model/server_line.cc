#include "shapewise/model/server_line.h"

#include <iterator>

namespace shapewise {
namespace {

constexpr std::string_view kKindNames[] = {
    "start",         "distributed",   "load_begin",    "load_weights",   "model_load",
    "cache_dir",     "cache_off",     "cache_factors", "environment",    "dynamo",
    "cache_miss",    "compile",       "cache_hit",     "cache_failure",  "compile_total",
    "compile_sum",   "profile",       "kv_memory",     "kv_tokens",      "graph_estimate",
    "graph_memory",  "capture_sizes", "largest_size",  "draft_tokens",   "capture_progress",
    "capture_begin", "capture",       "jit_warmup",    "autotune_begin", "autotune_end",
    "engine_init",   "start_timing",  "ready",         "compile_off",    "graphs_changed",
    "sizes_changed", "kernel_jit",    "running",       "uncaptured",     "serving_recompile",
    "waiting",
};
static_assert(std::size(kKindNames) == static_cast<size_t>(ServerLineKind::kWaiting) + 1);

}  // namespace

std::string_view ServerEngineName(ServerEngine engine) {
  return engine == ServerEngine::kVllm ? "vllm" : "sglang";
}

std::string_view ServerLineKindName(ServerLineKind kind) {
  return kKindNames[static_cast<size_t>(kind)];
}

}  // namespace shapewise
