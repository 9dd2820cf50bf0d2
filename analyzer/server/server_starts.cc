// Assigns lines to starts and workers, and computes the durations of a start. Rules:
// analyzer/docs/server-logs.md.

#include "server/server_starts.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using Kind = ServerLineKind;

/// "DP1" for "EngineCore_DP1" and "Worker_DP1_TP0"; empty: only one engine.
std::string_view DataParallelPart(std::string_view process) {
  const size_t at = process.find("_DP");
  if (at == kNotFound) return {};
  process.remove_prefix(at + 1);
  return process.substr(0, process.find('_'));
}

/// Adds `seconds`, if known, to `phase`.
void AddPhase(std::map<std::string, double>& phases, const std::string& phase,
              std::optional<double> seconds) {
  // Printed with at most six digits, so sums have no more.
  if (seconds) phases[phase] = std::round((phases[phase] + *seconds) * 1e6) / 1e6;
}

/// "cold", "warm", "mixed", "off"; empty: unknown.
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

/// Kinds that are printed once for the whole server, by any process.
bool IsOfEngine(Kind kind) {
  constexpr Kind kKinds[] = {Kind::kStart,        Kind::kEnvironment, Kind::kCaptureSizes,
                             Kind::kLargestSize,  Kind::kDraftTokens, Kind::kServingRecompile,
                             Kind::kKvTokens,     Kind::kEngineInit,  Kind::kStartTiming,
                             Kind::kReady,        Kind::kCompileOff,  Kind::kGraphsChanged,
                             Kind::kSizesChanged, Kind::kKernelJit,   Kind::kRunning,
                             Kind::kUncaptured,   Kind::kWaiting};
  return llvm::is_contained(kKinds, kind);
}

/// Kinds that a server prints only before it starts an engine: after the first lines of a start,
/// they begin another one.
bool OpensStart(Kind kind) {
  return kind == Kind::kLoadBegin || kind == Kind::kModelLoad || kind == Kind::kSizesChanged ||
         kind == Kind::kCompileOff;
}

/// Whether rules use lines of this kind directly.
bool IsRemark(Kind kind) {
  constexpr Kind kKinds[] = {Kind::kCacheOff,   Kind::kCacheFailure,  Kind::kGraphMemory,
                             Kind::kCompileOff, Kind::kGraphsChanged, Kind::kSizesChanged,
                             Kind::kKernelJit,  Kind::kUncaptured,    Kind::kServingRecompile};
  return llvm::is_contained(kKinds, kind);
}

/// "1-2730" for "compile range (1, 2730)", "8" for "shape 8" and "compile range (8, 8)", else
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

/// Seconds from `begin` to `end`, also across midnight.
std::optional<double> SecondsBetween(const LogTime& begin, const LogTime& end) {
  if (!begin.known() || !end.known()) return std::nullopt;
  constexpr int64_t kDay = int64_t{86'400} * 1'000'000;
  const int64_t micros = (end.micros - begin.micros + kDay) % kDay;
  return static_cast<double>(micros) / 1e6;
}

bool IsFirstRank(std::string_view name) {
  return name.ends_with("rank=0") || HasText(name, "TP0") || name.starts_with("EngineCore");
}

/// "0.8.5" for "0.8.5.post1".
std::string_view ReleaseOf(std::string_view text) {
  size_t end = 0;
  for (int dots = 0; end < text.size(); ++end) {
    if (text[end] == '.' && ++dots == 3) break;
    if (text[end] != '.' && !IsDigit(text[end])) break;
  }
  text = text.substr(0, end);
  return text.ends_with('.') ? text.substr(0, end - 1) : text;
}

/// "eagle_head" for ".../3fbdd5227b/rank_0_0/eagle_head"; empty: the cache is of one model.
std::string_view ModelOfCache(std::string_view cache_dir) {
  const std::string_view last = cache_dir.substr(cache_dir.rfind('/') + 1);
  return last.starts_with("rank_") ? std::string_view() : last;
}

void Add(std::optional<double> seconds, std::optional<double>& sum) {
  if (seconds) sum = sum.value_or(0) + *seconds;
}

class StartReader {
 public:
  explicit StartReader(const Session& session) : session_(session) {}

  void Read(const ServerLine& line) {
    if (BeginsStart(line)) {
      ServerStart& begun = starts_.emplace_back();
      begun.engine = line.engine;
      begun.input = line.input;
      begun.first_line = line.line;
    }
    ServerStart& start = starts_.back();
    if (line.kind == Kind::kStart) {
      start.processes.insert(line.worker);
      if (start.release.empty()) start.release = ReleaseOf(session_.text(line.text));
    }
    if (IsRemark(line.kind)) AddRemark(line, start.remarks[line.kind]);
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
    // The parts are printed once, together.
    if (line.kind == Kind::kStartTiming) return start.timings.contains(session_.text(line.text));
    // A piece of a log may begin behind the lines that say so. The engine repeats what a setting
    // turned off.
    if (start.is_over) {
      if (OpensStart(line.kind)) return !start.remarks.contains(line.kind);
      // Lines without a process are a person's extract, in which nothing runs in parallel.
      return line.worker == StrId::kNone && line.kind == Kind::kDynamo;
    }
    // Parts of several logs may stand one behind the other.
    const auto known = start.index.find(line.worker);
    return line.kind == Kind::kModelLoad && known != start.index.end() &&
           start.workers[known->second].has_kv_memory;
  }

  /// Whether Ray printed `line` before, for another process that passes it on.
  static bool IsRepeat(const ServerLine& line, WorkerLines& lines) {
    if (!line.seconds || !line.time.known()) return false;
    const auto [last, is_first] = lines.last.try_emplace(line.kind, line);
    const bool is_repeat = !is_first && last->second.time == line.time &&
                           last->second.seconds == line.seconds && last->second.text == line.text;
    last->second = line;
    return is_repeat;
  }

  /// Of lines with a count, keeps the one with the largest.
  static void AddRemark(const ServerLine& line, ServerRemark& remark) {
    ++remark.count;
    if (remark.line == nullptr || line.count > remark.line->count) remark.line = &line;
  }

  /// Reads a variable as printed after "'VLLM_": "HOST_IP': '10.0.0.1',".
  static void ReadVariable(std::string_view text, ServerStart& start) {
    const size_t end = text.find('\'');
    if (end == kNotFound || !text.substr(end).starts_with("': ")) return;
    std::string_view value = text.substr(end + 3);
    while (value.ends_with(',') || value.ends_with('}')) value.remove_suffix(1);
    start.environment["VLLM_" + std::string(text.substr(0, end))] = value;
  }

  void ReadEngineInit(const ServerLine& line, ServerStart& start) {
    double& seconds = start.engine_init[std::string(DataParallelPart(session_.text(line.worker)))];
    seconds = std::max(seconds, line.seconds.value_or(0));
    start.is_over = true;
  }

  void ReadOfEngine(const ServerLine& line, ServerStart& start) {
    switch (line.kind) {
      case Kind::kCaptureSizes:
        if (line.count) start.capture_sizes = line.count;
        if (line.engine == ServerEngine::kVllm) {
          if (line.text != StrId::kNone) start.mode = session_.text(line.text);
        } else if (line.text != StrId::kNone) {
          start.compiles_in_capture = true;
        }
        return;
      case Kind::kLargestSize:
        start.largest_size = line.count;
        return;
      case Kind::kDraftTokens:
        start.draft_tokens = line.count;
        return;
      case Kind::kEnvironment:
        ReadVariable(session_.text(line.text), start);
        return;
      case Kind::kRunning:
        if (start.most_running == nullptr || line.count > start.most_running->count) {
          start.most_running = &line;
        }
        return;
      case Kind::kEngineInit:
        ReadEngineInit(line, start);
        return;
      case Kind::kStartTiming:
        start.timings[std::string(session_.text(line.text))] = line.seconds.value_or(0);
        return;
      case Kind::kReady:
        start.is_over = true;
        start.ready_line = line.line;
        return;
      default:
        return;
    }
  }

  WorkerLines& WorkerOf(const ServerLine& line, ServerStart& start) {
    StrId name = line.worker;
    // In some releases, progress bars have no prefix, or only a launcher's; the first rank draws
    // them.
    if (line.kind == Kind::kCaptureProgress && !start.workers.empty() &&
        !start.index.contains(name)) {
      const auto first = std::ranges::find_if(start.workers, IsFirstRank, &WorkerLines::name);
      return first == start.workers.end() ? start.workers.front() : *first;
    }
    const auto [at, is_new] = start.index.try_emplace(name, start.workers.size());
    if (is_new) start.workers.emplace_back().name = session_.text(name);
    return start.workers[at->second];
  }

  void ReadOfWorker(const ServerLine& line, ServerStart& start) {
    WorkerLines& lines = WorkerOf(line, start);
    if (IsRepeat(line, lines)) return;
    ServerWorker& worker = lines.worker;
    const std::string_view text = session_.text(line.text);
    if (line.kind == Kind::kCacheDir) lines.model = ModelOfCache(text);
    CompiledModel& model =
        lines.models[line.model == StrId::kNone ? lines.model
                                                : std::string(session_.text(line.model))];
    static constexpr std::pair<Kind, const char*> kPhases[] = {{Kind::kDistributed, "distributed"},
                                                               {Kind::kModelLoad, "model_load"},
                                                               {Kind::kProfile, "profile"},
                                                               {Kind::kJitWarmup, "jit_warmup"}};
    for (const auto& [kind, phase] : kPhases) {
      if (line.kind == kind) AddPhase(worker.phases, phase, line.seconds);
    }
    switch (line.kind) {
      case Kind::kLoadBegin:
        lines.load_begin = line.time;
        return;
      case Kind::kLoadWeights:
        if (line.seconds) {
          AddPhase(worker.phases, "load_weights", line.seconds);
        } else {
          AddPhase(worker.phases, "load_weights_by_stamps",
                   SecondsBetween(lines.load_begin, line.time));
        }
        return;
      case Kind::kCacheDir:
        if (worker.cache_dir.empty()) worker.cache_dir = text;
        return;
      case Kind::kCacheOff:
        start.is_cache_off = true;
        return;
      case Kind::kCacheFactors:
        if (start.cache_factors.empty()) start.cache_factors = text;
        return;
      case Kind::kDynamo:
        Add(line.seconds, model.dynamo);
        return;
      case Kind::kCacheMiss:
        ++model.misses;
        return;
      case Kind::kCompile:
        ReadCompile(line, text, model);
        return;
      case Kind::kCacheHit:
        ++model.hits;
        if (line.seconds) {
          model.load_seconds = std::max(model.load_seconds.value_or(0), *line.seconds);
        }
        return;
      case Kind::kCompileTotal:
        Add(line.seconds, model.total);
        return;
      case Kind::kCompileSum:
        lines.sum = line.seconds;
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
      case Kind::kAutotuneBegin:
        lines.autotune_begin = line.time;
        return;
      case Kind::kAutotuneEnd:
        AddPhase(worker.phases, "autotune", SecondsBetween(lines.autotune_begin, line.time));
        lines.autotune_begin = {};  // SGLang prints start and end messages around FlashInfer's own
        return;
      default:
        return;
    }
  }

  static void ReadCompile(const ServerLine& line, std::string_view text, CompiledModel& model) {
    if (!line.seconds) return;
    model.is_compiled = true;
    double& seconds = model.by_sizes[SizesKey(text)];
    seconds = std::max(seconds, *line.seconds);
    if (HasText(text, "range")) {
      model.range_seconds = std::max(model.range_seconds, *line.seconds);
    } else {
      model.shape_seconds += *line.seconds;
    }
  }

  static void ReadBar(const ServerLine& line, std::string_view text, WorkerLines& lines) {
    // vLLM's first capture may be a measurement; SGLang continues with graphs of other kinds.
    if (lines.bars_are_over && line.engine == ServerEngine::kVllm) {
      lines.worker.captured_graphs.clear();
    }
    lines.bars_are_over = false;
    int64_t& graphs = lines.worker.captured_graphs[std::string(text)];
    graphs = std::max(graphs, line.count.value_or(0));
  }

  /// A capture by vLLM before memory is allocated only measures the memory of graphs.
  static void ReadCapture(const ServerLine& line, WorkerLines& lines) {
    lines.bars_are_over = true;
    ServerWorker& worker = lines.worker;
    const bool is_vllm = line.engine == ServerEngine::kVllm;
    if (is_vllm && worker.graph_capture_seconds && !lines.captured_behind_kv) {
      worker.phases["capture_profile"] = *worker.graph_capture_seconds;
    }
    worker.graph_capture_seconds = line.seconds;
    ++lines.num_captures;
    lines.capture_seconds += line.seconds.value_or(0);
    lines.captured_behind_kv = lines.has_kv_memory;
  }

  const Session& session_;
  std::deque<ServerStart> starts_;
};

/// The starts in the sorted `session`. They refer to its lines.
std::deque<ServerStart> SplitServerStarts(const Session& session) {
  std::deque<ServerStart> starts;
  auto line = session.server_lines().begin();
  while (line != session.server_lines().end()) {
    StartReader reader(session);
    const uint32_t input = line->input;
    for (; line != session.server_lines().end() && line->input == input; ++line) reader.Read(*line);
    for (ServerStart& start : reader.Take()) {
      // Without the lines of its workers, what SGLang sums up is that of the slowest one.
      if (start.workers.empty() && !start.timings.empty()) start.workers.emplace_back();
      if (start.workers.empty() && start.remarks.empty()) continue;
      // With one process, some vLLM releases print no name: it is the engine's.
      if (start.engine == ServerEngine::kVllm && start.workers.size() == 1 &&
          start.workers.front().name.empty()) {
        start.workers.front().name = "EngineCore";
      }
      starts.push_back(std::move(start));
    }
  }
  return starts;
}

/// Seconds of the engine of `worker`; if no name identifies it, of the slowest engine.
std::optional<double> EngineInitOf(const ServerStart& start, std::string_view worker) {
  if (start.engine_init.empty()) return std::nullopt;
  const auto own = start.engine_init.find(DataParallelPart(worker));
  if (own != start.engine_init.end()) return own->second;
  return std::ranges::max(start.engine_init | std::views::values);
}

/// The value of `name` in `values`; absent: none.
template <typename Values>
std::optional<double> Find(const Values& values, const char* name) {
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional<double>(found->second);
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
  const auto add = [&](const char* phase, const char* name) {
    if (const auto seconds = Find(start.timings, name)) phases.emplace(phase, *seconds);
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
  worker.dynamo_seconds = Find(phases, "dynamo");
  worker.total_seconds = Find(phases, "compile_total");
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
  const std::optional<double> all = Find(start.timings, "scheduler_e2e");
  if (!all) return std::nullopt;
  double accounted = CaptureSeconds(start);
  for (const char* part : {"load_weight", "kv_cache_allocation"}) {
    accounted += Find(start.timings, part).value_or(0);
  }
  double connecting = 0;
  for (const ServerWorker& worker : workers) {
    connecting = std::max(connecting, Find(worker.phases, "distributed").value_or(0));
  }
  return std::max(0.0, *all - accounted - connecting);
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
    for (const char* name : names) sum += Find(slowest->phases, name).value_or(0);
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
