// What the figures of a start add up to. The rules stand in analyzer/docs/server-logs.md.

#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>

#include "server/server_causes.h"
#include "server/server_starts.h"
#include "shapewise/server/server_account.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// Seconds of the engine that `worker` belongs to; where no name says which, of the slowest one.
std::optional<double> EngineInitOf(const ServerStart& start, std::string_view worker) {
  if (start.engine_init.empty()) return std::nullopt;
  const auto own = start.engine_init.find(DataParallelPart(worker));
  if (own != start.engine_init.end()) return own->second;
  return std::ranges::max(start.engine_init | std::views::values);
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
  // SGLang never says whether Inductor's cache was used.
  if (start.engine == ServerEngine::kVllm) worker.cache = CacheState(lines, start.is_cache_off);
  worker.capture_sizes = start.capture_sizes;
  // A bar without a mode, of older releases, counts sizes.
  if (const auto bar = worker.captured_graphs.find(""); bar != worker.captured_graphs.end()) {
    worker.capture_sizes = bar->second;
    worker.captured_graphs.erase(bar);
  }
  worker.mode = start.mode;
  if (!worker.captured_graphs.empty()) {
    worker.mode.clear();
    // As vLLM captures them: those for mixed batches first.
    for (auto at = worker.captured_graphs.rbegin(); at != worker.captured_graphs.rend(); ++at) {
      worker.mode += (worker.mode.empty() ? "" : " ") + at->first;
    }
  }
}

/// The engine waits for the slowest worker: what its lines leave over of the start.
void FindUnaccounted(std::vector<ServerWorker>& workers, size_t first) {
  ServerWorker* slowest = nullptr;
  for (size_t i = first; i < workers.size(); ++i) {
    const double total = workers[i].total_seconds.value_or(0);
    if (slowest == nullptr || total > slowest->total_seconds.value_or(0)) slowest = &workers[i];
  }
  if (slowest == nullptr || !slowest->engine_init_seconds) return;
  double accounted = 0;
  for (const char* name :
       {"compile_total", "profile", "capture", "capture_profile", "jit_warmup"}) {
    const auto found = slowest->phases.find(name);
    if (found != slowest->phases.end()) accounted += found->second;
  }
  const double rest = std::max(0.0, *slowest->engine_init_seconds - accounted);
  slowest->unaccounted_seconds = std::round(rest * 1e6) / 1e6;
}

/// Workers by their number, whatever order they print in: "TP10" comes after "TP2".
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
    FindUnaccounted(workers, first_of_start.back());
  }
  account.causes = FindServerCauses(session, starts, account.report);
  return account;
}

}  // namespace shapewise
