#include "report/text_server.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

constexpr size_t kMaxWorkers = 8;

/// "10.52 s": as the server itself prints seconds.
std::string TwoDigits(double seconds) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.2f s", seconds);
  return text;
}

/// "Dynamo 10.52 s", where it is known.
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
  AddPart("load", Phase(worker, "load_weights_by_stamps"), text);
  AddPart("Dynamo", worker.dynamo_seconds, text);
  for (const auto& [sizes, seconds] : worker.inductor_seconds) {
    AddPart("Inductor (" + sizes + ")", seconds, text);
  }
  AddPart("cache load", Phase(worker, "cache_load"), text);
  AddPart("torch.compile in all", worker.total_seconds, text);
  AddPart("profile run", Phase(worker, "profile"), text);
  AddPart("kernel warm-up", Phase(worker, "jit_warmup"), text);
  AddPart("graph capture", worker.graph_capture_seconds, text);
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
  return text.empty() ? text : "; CUDA graphs: " + text;
}

void PrintWorker(const ServerWorker& worker, PrintedText& page) {
  page.Begin(2, 4).Add(TextStyle::kLabel, worker.worker.empty() ? "worker" : worker.worker);
  const std::string seconds = SecondsOf(worker);
  page.Add(seconds.empty() ? " " : ": " + seconds);
  if (!worker.cache.empty()) {
    page.Add("; cache " + worker.cache);
    if (!worker.cache_dir.empty()) page.Add(" (" + worker.cache_dir + ")");
  }
  page.Add(GraphsOf(worker)).End();
}

}  // namespace

void PrintServer(const ServerReport& report, bool all, PrintedText& page) {
  size_t shown = 0;
  for (size_t i = 0; i < report.workers.size(); ++i) {
    const ServerWorker& worker = report.workers[i];
    if (i == 0 || worker.start != report.workers[i - 1].start) {
      shown = 0;
      page.Begin(0, 2).Add(TextStyle::kStrong, worker.engine == "vllm" ? "vLLM" : "SGLang");
      page.Add(TextStyle::kStrong, " start " + std::to_string(worker.start + 1));
      if (worker.engine_init_seconds) {
        page.Add(": the engine took " + TwoDigits(*worker.engine_init_seconds));
      }
      for (size_t j = i; j < report.workers.size() && report.workers[j].start == worker.start;
           ++j) {
        const std::optional<double>& rest = report.workers[j].unaccounted_seconds;
        if (rest) page.Add(", of which no line accounts for " + TwoDigits(*rest));
      }
      page.End();
    }
    if (all || shown < kMaxWorkers) PrintWorker(worker, page);
    if (++shown == kMaxWorkers + 1 && !all) page.Begin(2).Add("and more workers: --all").End();
  }
}

}  // namespace shapewise
