// From lines to starts: which lines belong to one start and one worker, and what their figures add
// up to. The rules stand in analyzer/docs/server-logs.md.

#include "shapewise/server/server_account.h"

#include <algorithm>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

using Kind = ServerLineKind;

/// What is printed once for the whole server, by whichever process.
bool IsOfEngine(Kind kind) {
  switch (kind) {
    case Kind::kStart:
    case Kind::kCaptureSizes:
    case Kind::kKvTokens:
    case Kind::kEngineInit:
    case Kind::kReady:
    case Kind::kCompileOff:
    case Kind::kGraphsChanged:
    case Kind::kSizesChanged:
    case Kind::kKernelJit:
    case Kind::kRunning:
    case Kind::kUncaptured:
    case Kind::kWaiting:
      return true;
    default:
      return false;
  }
}

/// "1-2730" of "compile range (1, 2730)", "8" of "shape 8" and of "compile range (8, 8)", else
/// "dynamic".
std::string SizesKey(std::string_view text) {
  const size_t open = text.find('(');
  if (open != kNotFound) {
    std::string_view rest = text.substr(open + 1);
    const auto from = ConsumeUint(rest);
    if (from && ConsumeFront(rest, ",")) {
      rest = TrimLeft(rest);
      const auto until = ConsumeUint(rest);
      if (until && *from == *until) return std::to_string(*from);
      if (until) return std::to_string(*from) + "-" + std::to_string(*until);
    }
  }
  if (ConsumeFront(text, "shape ")) {
    std::string_view rest = text;
    const auto size = ConsumeUint(rest);
    if (size && rest.empty()) return std::to_string(*size);
  }
  return "dynamic";
}

/// One part of a model that is compiled by itself.
struct CompiledModel {
  std::optional<double> dynamo;
  double range_seconds = 0;  ///< ranges share one clock: the largest
  double shape_seconds = 0;  ///< single shapes are compiled one after the other
  bool is_compiled = false;
  uint64_t hits = 0;
  uint64_t misses = 0;
  std::optional<double> load_seconds;
  std::optional<double> total;

  bool IsMiss() const { return misses > 0 || (is_compiled && hits == 0); }
};

/// A worker while its lines are read.
struct WorkerLines {
  std::string name;
  ServerWorker worker;
  std::map<StrId, CompiledModel> models;
  std::optional<double> sum;  ///< of all models so far, as the process itself adds up
  bool has_kv_memory = false;
  bool captured_behind_kv = false;
  bool bars_are_over = false;  ///< a capture ended: further bars are of another one
  LogTime load_begin;
  LogTime autotune_begin;
};

struct ServerStart {
  ServerEngine engine = ServerEngine::kVllm;
  std::deque<WorkerLines> workers;  // references stay valid
  std::map<StrId, size_t> index;
  std::set<StrId> processes;  ///< that said that they begin
  std::optional<double> engine_init;
  std::optional<int64_t> capture_sizes;
  std::string mode;
  bool is_cache_off = false;
  bool is_over = false;  ///< the server was ready, or its engine was
};

void Add(std::map<std::string, double>& phases, const std::string& phase,
         std::optional<double> seconds) {
  if (seconds) phases[phase] += *seconds;
}

/// Seconds from `begin` to `end`, over midnight as well.
std::optional<double> SecondsBetween(const LogTime& begin, const LogTime& end) {
  if (!begin.known() || !end.known()) return std::nullopt;
  constexpr int64_t kDay = int64_t{86'400} * 1'000'000;
  const int64_t micros = (end.micros - begin.micros + kDay) % kDay;
  return static_cast<double>(micros) / 1e6;
}

bool IsFirstRank(std::string_view name) {
  return name.ends_with("rank=0") || name.ends_with("TP0") || name.starts_with("EngineCore");
}

class StartReader {
 public:
  explicit StartReader(const Session& session) : session_(session) {}

  void Read(const ServerLine& line) {
    if (BeginsStart(line)) starts_.emplace_back().engine = line.engine;
    ServerStart& start = starts_.back();
    if (line.kind == Kind::kStart) start.processes.insert(line.worker);
    if (IsOfEngine(line.kind)) {
      ReadOfEngine(line, start);
    } else {
      ReadOfWorker(line, start);
    }
  }

  std::deque<ServerStart> Take() { return std::move(starts_); }

 private:
  bool BeginsStart(const ServerLine& line) const {
    if (starts_.empty()) return true;
    const ServerStart& start = starts_.back();
    if (line.kind == Kind::kStart) {
      const bool has_work = !start.workers.empty();
      return has_work && (start.is_over || start.processes.contains(line.worker));
    }
    // A piece of a log may begin behind the lines that say so.
    return start.is_over && (line.kind == Kind::kLoadBegin || line.kind == Kind::kModelLoad);
  }

  void ReadOfEngine(const ServerLine& line, ServerStart& start) {
    switch (line.kind) {
      case Kind::kCaptureSizes:
        if (line.count) start.capture_sizes = line.count;
        if (line.engine == ServerEngine::kVllm && line.text != StrId::kNone) {
          start.mode = session_.text(line.text);
        }
        return;
      case Kind::kEngineInit:
        start.engine_init = std::max(start.engine_init.value_or(0), line.seconds.value_or(0));
        start.is_over = true;
        return;
      case Kind::kReady:
        start.is_over = true;
        return;
      default:
        return;
    }
  }

  WorkerLines& WorkerOf(const ServerLine& line, ServerStart& start) {
    StrId name = line.worker;
    // Progress bars have no prefix in some releases; only the first rank draws them.
    if (line.kind == Kind::kCaptureProgress && name == StrId::kNone) {
      for (WorkerLines& worker : start.workers) {
        if (start.workers.size() == 1 || IsFirstRank(worker.name)) return worker;
      }
    }
    const auto [at, is_new] = start.index.try_emplace(name, start.workers.size());
    if (is_new) start.workers.emplace_back().name = session_.text(name);
    return start.workers[at->second];
  }

  void ReadOfWorker(const ServerLine& line, ServerStart& start) {
    WorkerLines& lines = WorkerOf(line, start);
    ServerWorker& worker = lines.worker;
    CompiledModel& model = lines.models[line.model];
    const std::string_view text = session_.text(line.text);
    switch (line.kind) {
      case Kind::kLoadBegin:
        lines.load_begin = line.time;
        return;
      case Kind::kLoadWeights:
        if (line.seconds) {
          Add(worker.phases, "load_weights", line.seconds);
        } else {
          Add(worker.phases, "load_weights_by_stamps", SecondsBetween(lines.load_begin, line.time));
        }
        return;
      case Kind::kModelLoad:
        Add(worker.phases, "model_load", line.seconds);
        return;
      case Kind::kCacheDir:
        worker.cache_dir = text;
        return;
      case Kind::kCacheOff:
        start.is_cache_off = true;
        return;
      case Kind::kDynamo:
        model.dynamo = line.seconds;
        return;
      case Kind::kCacheMiss:
        ++model.misses;
        return;
      case Kind::kCompile:
        ReadCompile(line, text, worker, model);
        return;
      case Kind::kCacheHit:
        ++model.hits;
        if (line.seconds) {
          model.load_seconds = std::max(model.load_seconds.value_or(0), *line.seconds);
        }
        return;
      case Kind::kCompileTotal:
        model.total = line.seconds;
        return;
      case Kind::kCompileSum:
        lines.sum = line.seconds;
        return;
      case Kind::kProfile:
        Add(worker.phases, "profile", line.seconds);
        return;
      case Kind::kKvMemory:
        lines.has_kv_memory = true;
        return;
      case Kind::kCaptureProgress:
        ReadBar(line, text, lines);
        return;
      case Kind::kCapture:
        ReadCapture(line, lines);
        return;
      case Kind::kJitWarmup:
        Add(worker.phases, "jit_warmup", line.seconds);
        return;
      case Kind::kAutotuneBegin:
        lines.autotune_begin = line.time;
        return;
      case Kind::kAutotuneEnd:
        Add(worker.phases, "autotune", SecondsBetween(lines.autotune_begin, line.time));
        return;
      default:
        return;
    }
  }

  static void ReadCompile(const ServerLine& line, std::string_view text, ServerWorker& worker,
                          CompiledModel& model) {
    if (!line.seconds) return;
    model.is_compiled = true;
    double& seconds = worker.inductor_seconds[SizesKey(text)];
    seconds = std::max(seconds, *line.seconds);
    if (HasText(text, "range")) {
      model.range_seconds = std::max(model.range_seconds, *line.seconds);
    } else {
      model.shape_seconds += *line.seconds;
    }
  }

  static void ReadBar(const ServerLine& line, std::string_view text, WorkerLines& lines) {
    if (lines.bars_are_over) lines.worker.captured_graphs.clear();
    lines.bars_are_over = false;
    int64_t& graphs = lines.worker.captured_graphs[std::string(text)];
    graphs = std::max(graphs, line.count.value_or(0));
  }

  /// A capture before memory is shared out only measures what graphs take.
  static void ReadCapture(const ServerLine& line, WorkerLines& lines) {
    lines.bars_are_over = true;
    ServerWorker& worker = lines.worker;
    if (worker.graph_capture_seconds && !lines.captured_behind_kv) {
      worker.phases["capture_profile"] = *worker.graph_capture_seconds;
    }
    worker.graph_capture_seconds = line.seconds;
    lines.captured_behind_kv = lines.has_kv_memory;
  }

  const Session& session_;
  std::deque<ServerStart> starts_;
};

std::string CacheState(const WorkerLines& lines, bool is_off) {
  if (is_off) return "off";
  bool has_hit = false;
  bool has_miss = false;
  for (const auto& [name, model] : lines.models) {
    has_hit |= model.hits > 0;
    has_miss |= model.IsMiss();
  }
  if (has_hit && has_miss) return "mixed";
  if (has_miss) return "cold";
  return has_hit ? "warm" : "";
}

void FinishWorker(const ServerStart& start, uint32_t number, WorkerLines& lines) {
  ServerWorker& worker = lines.worker;
  worker.start = number;
  worker.engine = ServerEngineName(start.engine);
  worker.worker = lines.name;
  std::map<std::string, double>& phases = worker.phases;
  for (const auto& [name, model] : lines.models) {
    Add(phases, "dynamo", model.dynamo);
    if (model.is_compiled) phases["compile"] += model.range_seconds + model.shape_seconds;
    Add(phases, "cache_load", model.load_seconds);
    Add(phases, "compile_total", model.total);
  }
  if (lines.sum) phases["compile_total"] = *lines.sum;
  const auto phase = [&](const char* name) -> std::optional<double> {
    const auto found = phases.find(name);
    return found == phases.end() ? std::nullopt : std::optional<double>(found->second);
  };
  worker.dynamo_seconds = phase("dynamo");
  worker.total_seconds = phase("compile_total");
  if (worker.graph_capture_seconds) phases["capture"] = *worker.graph_capture_seconds;
  worker.engine_init_seconds = start.engine_init;
  worker.cache = CacheState(lines, start.is_cache_off);
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
  slowest->unaccounted_seconds = std::max(0.0, *slowest->engine_init_seconds - accounted);
}

}  // namespace

ServerReport ReadServerStarts(const Session& session) {
  ServerReport report;
  uint32_t number = 0;
  auto line = session.server_lines().begin();
  while (line != session.server_lines().end()) {
    StartReader reader(session);
    const uint32_t input = line->input;
    for (; line != session.server_lines().end() && line->input == input; ++line) reader.Read(*line);
    for (ServerStart& start : reader.Take()) {
      if (start.workers.empty()) continue;
      // With one process vLLM prints no name in some releases: it is the engine's.
      if (start.engine == ServerEngine::kVllm && start.workers.size() == 1 &&
          start.workers.front().name.empty()) {
        start.workers.front().name = "EngineCore";
      }
      const size_t first = report.workers.size();
      for (WorkerLines& lines : start.workers) {
        FinishWorker(start, number, lines);
        report.workers.push_back(std::move(lines.worker));
      }
      FindUnaccounted(report.workers, first);
      ++number;
    }
  }
  return report;
}

}  // namespace shapewise
