// Computes the durations of a start. Rules: analyzer/docs/server-logs.md.

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>

#include "server/server_starts.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Seconds of the engine of `worker`; if no name identifies it, of the slowest engine.
std::optional<double> EngineInitOf(const ServerStart& start, std::string_view worker) {
  if (start.engine_init.empty()) return std::nullopt;
  const auto own = start.engine_init.find(DataParallelPart(worker));
  if (own != start.engine_init.end()) return own->second;
  return std::ranges::max(start.engine_init | std::views::values);
}

constexpr std::string_view kGraphs = "cuda_graph.";

/// All captures of CUDA graphs, of the slowest worker each.
double CaptureSeconds(const ServerStart& start) {
  double seconds = 0;
  for (const auto& [name, part] : start.timings) {
    if (name.starts_with(kGraphs)) seconds += part;
  }
  return seconds;
}

/// What SGLang sums up of its start holds for all workers; of one worker it is exact.
void AddTimings(const ServerStart& start, const WorkerLines& lines, ServerWorker& worker) {
  std::map<std::string, double>& phases = worker.phases;
  const auto add = [&](const char* phase, std::string_view name) {
    const auto found = start.timings.find(name);
    if (found != start.timings.end()) phases.emplace(phase, found->second);
  };
  add("kv_cache", "kv_cache_allocation");
  add("scheduler", "scheduler_e2e");
  add("server", "tokenizer_e2e");
  double captured = lines.capture_seconds;
  if (start.workers.size() == 1) {
    add("load_weights", "load_weight");
    if (lines.num_captures == 0) captured = CaptureSeconds(start);
  }
  const bool is_all = worker.graph_capture_seconds == captured;
  if (captured > 0 && !is_all) AddPhase(phases, "capture_all", captured);
}

void FinishWorker(const ServerStart& start, uint32_t number, WorkerLines& lines) {
  ServerWorker& worker = lines.worker;
  worker.start = number;
  worker.engine = ServerEngineName(start.engine);
  worker.worker = lines.name;
  std::map<std::string, double>& phases = worker.phases;
  for (const auto& [name, model] : lines.models) {
    AddPhase(phases, "dynamo", model.dynamo);
    if (model.is_compiled) phases["compile"] += model.range_seconds + model.shape_seconds;
    AddPhase(phases, "cache_load", model.load_seconds);
    AddPhase(phases, "compile_total", model.total);
    for (const auto& [sizes, seconds] : model.by_sizes) {
      AddPhase(worker.inductor_seconds, sizes, seconds);
    }
  }
  if (lines.sum) phases["compile_total"] = *lines.sum;
  const auto phase = [&](const char* name) -> std::optional<double> {
    const auto found = phases.find(name);
    return found == phases.end() ? std::nullopt : std::optional<double>(found->second);
  };
  worker.dynamo_seconds = phase("dynamo");
  worker.total_seconds = phase("compile_total");
  if (worker.graph_capture_seconds) phases["capture"] = *worker.graph_capture_seconds;
  worker.engine_init_seconds = EngineInitOf(start, lines.name);
  if (start.engine == ServerEngine::kSglang) AddTimings(start, lines, worker);
  // SGLang never says whether Inductor's cache was used.
  if (start.engine == ServerEngine::kVllm) worker.cache = CacheState(lines, start.is_cache_off);
  worker.capture_sizes = start.capture_sizes;
  // A progress bar without a mode, in older releases, counts sizes.
  if (const auto bar = worker.captured_graphs.find(""); bar != worker.captured_graphs.end()) {
    worker.capture_sizes = bar->second;
    worker.captured_graphs.erase(bar);
  }
  worker.mode = start.mode;
  if (!worker.captured_graphs.empty()) {
    worker.mode.clear();
    // In vLLM's capture order: mixed batches first.
    for (auto at = worker.captured_graphs.rbegin(); at != worker.captured_graphs.rend(); ++at) {
      worker.mode += (worker.mode.empty() ? "" : " ") + at->first;
    }
  }
}

/// What the lines of SGLang leave over of the start of its slowest scheduler.
std::optional<double> SglangRest(const ServerStart& start, std::span<const ServerWorker> workers) {
  const auto all = start.timings.find("scheduler_e2e");
  if (all == start.timings.end()) return std::nullopt;
  double accounted = CaptureSeconds(start);
  for (const char* part : {"load_weight", "kv_cache_allocation"}) {
    const auto found = start.timings.find(part);
    if (found != start.timings.end()) accounted += found->second;
  }
  double connecting = 0;
  for (const ServerWorker& worker : workers) {
    const auto found = worker.phases.find("distributed");
    if (found != worker.phases.end()) connecting = std::max(connecting, found->second);
  }
  return std::max(0.0, all->second - accounted - connecting);
}

/// The engine waits for the slowest worker: what its lines leave over of the start.
void FindUnaccounted(const ServerStart& start, std::vector<ServerWorker>& workers, size_t first) {
  if (const auto rest = SglangRest(start, std::span(workers).subspan(first))) {
    workers[first].unaccounted_seconds = std::round(*rest * 1e6) / 1e6;
    return;
  }
  ServerWorker* slowest = nullptr;
  for (size_t i = first; i < workers.size(); ++i) {
    const double total = workers[i].total_seconds.value_or(0);
    if (slowest == nullptr || total > slowest->total_seconds.value_or(0)) slowest = &workers[i];
  }
  if (slowest == nullptr || !slowest->engine_init_seconds) return;
  const auto sum_of = [slowest](std::initializer_list<const char*> names) {
    double sum = 0;
    for (const char* name : names) {
      const auto found = slowest->phases.find(name);
      if (found != slowest->phases.end()) sum += found->second;
    }
    return sum;
  };
  double accounted =
      sum_of({"compile_total", "profile", "capture", "capture_profile", "jit_warmup"});
  // vLLM up to 0.11.0 leaves loading from its total, which is then the sum of the other two.
  constexpr double kRounding = 0.02;
  if (sum_of({"compile_total"}) < sum_of({"dynamo", "compile"}) + kRounding) {
    accounted += sum_of({"cache_load"});
  }
  const double rest = std::max(0.0, *slowest->engine_init_seconds - accounted);
  slowest->unaccounted_seconds = std::round(rest * 1e6) / 1e6;
}

/// Sorts workers by number, whatever order they print in: "TP10" comes after "TP2".
std::pair<std::string_view, int64_t> OrderOf(const WorkerLines& lines) {
  const std::string_view name = lines.name;
  const size_t end = name.find_last_not_of("0123456789") + 1;
  std::string_view digits = name.substr(end);
  return {name.substr(0, end), ConsumeUint<int64_t>(digits).value_or(-1)};
}

}  // namespace

ServerAccount ReadServerLogs(const Session& session) {
  ServerAccount account;
  std::vector<ServerWorker>& workers = account.report.workers;
  std::deque<ServerStart> starts = SplitServerStarts(session);
  std::vector<size_t> first_of_start;
  for (ServerStart& start : starts) {
    first_of_start.push_back(workers.size());
    const auto number = static_cast<uint32_t>(first_of_start.size() - 1);
    std::ranges::stable_sort(start.workers, {}, &OrderOf);
    for (WorkerLines& lines : start.workers) {
      FinishWorker(start, number, lines);
      workers.push_back(lines.worker);
    }
    FindUnaccounted(start, workers, first_of_start.back());
  }
  account.causes = FindServerCauses(session, starts, account.report);
  return account;
}

}  // namespace shapewise
