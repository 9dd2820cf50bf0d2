#include "report/text_server.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

constexpr size_t kMaxWorkers = 8;

/// "10.52 s": with the precision of the server's own log.
std::string TwoDigits(double seconds) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.2f s", seconds);
  return text;
}

/// Adds "Dynamo 10.52 s", if known.
void AddPart(std::string_view name, std::optional<double> seconds, std::string& text) {
  if (!seconds) return;
  if (!text.empty()) text += ", ";
  text += std::string(name) + " " + TwoDigits(*seconds);
}

std::optional<double> Phase(const ServerWorker& worker, const char* name) {
  const auto found = worker.phases.find(name);
  return found == worker.phases.end() ? std::nullopt : std::optional<double>(found->second);
}

std::string SecondsOf(const ServerWorker& worker) {
  std::string text;
  AddPart("model load", Phase(worker, "model_load"), text);
  // vLLM's model load includes that of the weights.
  const bool has_load = Phase(worker, "model_load") || Phase(worker, "load_weights_by_stamps");
  if (!has_load) AddPart("load", Phase(worker, "load_weights"), text);
  AddPart("load", Phase(worker, "load_weights_by_stamps"), text);
  AddPart("Dynamo", worker.dynamo_seconds, text);
  for (const auto& [sizes, seconds] : worker.inductor_seconds) {
    AddPart("Inductor (" + sizes + ")", seconds, text);
  }
  AddPart("cache load", Phase(worker, "cache_load"), text);
  AddPart("torch.compile in total", worker.total_seconds, text);
  AddPart("profile run", Phase(worker, "profile"), text);
  AddPart("kernel warm-up", Phase(worker, "jit_warmup"), text);
  const std::optional<double> all_captures = Phase(worker, "capture_all");
  AddPart("graph capture", all_captures ? all_captures : worker.graph_capture_seconds, text);
  return text;
}

std::string GraphsOf(const ServerWorker& worker) {
  std::string text;
  for (const auto& [mode, graphs] : worker.captured_graphs) {
    text += (text.empty() ? "" : ", ") + std::to_string(graphs) + " " + mode;
  }
  if (text.empty() && worker.capture_sizes) {
    text = Counted(static_cast<uint64_t>(*worker.capture_sizes), "size");
    if (!worker.mode.empty()) text += ", " + worker.mode;
  }
  return text.empty() ? text : "CUDA graphs: " + text;
}

/// "cache cold (/root/.cache/vllm/torch_compile_cache/3fbdd5227b)": the path up to its key.
std::string CacheOf(const ServerWorker& worker) {
  if (worker.cache.empty()) return {};
  const std::string_view dir = worker.cache_dir;
  if (dir.empty()) return "cache " + worker.cache;
  return "cache " + worker.cache + " (" + std::string(dir.substr(0, dir.find("/rank_"))) + ")";
}

/// In several releases, only the first worker prints its phases.
bool IsSilent(const ServerWorker& worker) {
  return SecondsOf(worker).empty() && worker.cache.empty() && worker.captured_graphs.empty();
}

void AddWorker(const ServerWorker& worker, Document& page) {
  page.Begin(2, 4).Add(TextStyle::kLabel, worker.worker.empty() ? "worker" : worker.worker);
  std::string_view separator = ": ";
  for (const std::string& part : {SecondsOf(worker), CacheOf(worker), GraphsOf(worker)}) {
    if (part.empty()) continue;
    page.Add(separator).Add(part);
    separator = "; ";
  }
}

/// Adds the workers of one start.
void AddStart(std::span<const ServerWorker> workers, Document& page) {
  const ServerWorker& first = workers.front();
  page.Begin(0, 2).Add(TextStyle::kStrong, first.engine == "vllm" ? "vLLM" : "SGLang");
  page.Add(TextStyle::kStrong, " start " + std::to_string(first.start + 1));
  if (first.engine_init_seconds) {
    page.Add(": the engine took " + TwoDigits(*first.engine_init_seconds));
  } else if (const std::optional<double> scheduler = Phase(first, "scheduler")) {
    page.Add(": the scheduler took " + TwoDigits(*scheduler));
  }
  for (const ServerWorker& worker : workers) {
    if (!worker.unaccounted_seconds) continue;
    page.Add(", " + TwoDigits(*worker.unaccounted_seconds) + " of it not accounted for in the log");
  }
  size_t shown = 0;
  uint64_t silent = 0;
  const bool has_silent = !std::ranges::all_of(workers, IsSilent);
  for (const ServerWorker& worker : workers) {
    if (has_silent && IsSilent(worker)) {
      ++silent;
    } else if (page.all() || shown < kMaxWorkers) {
      AddWorker(worker, page);
      ++shown;
    }
  }
  page.AddRest(shown, workers.size() - silent, "worker", 2);
  if (silent > 0) page.Begin(2).Add(Counted(silent, "more worker") + " without times");
}

}  // namespace

void AddServer(const ServerReport& report, Document& page) {
  const std::span<const ServerWorker> workers = report.workers;
  for (size_t first = 0; first < workers.size();) {
    size_t last = first;
    while (last < workers.size() && workers[last].start == workers[first].start) ++last;
    AddStart(workers.subspan(first, last - first), page);
    first = last;
  }
}

}  // namespace shapewise
