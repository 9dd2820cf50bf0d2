// Assigns lines to starts and workers.

#include "server/server_starts.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "support/text_scan.h"

namespace shapewise {
namespace {

using Kind = ServerLineKind;

/// Kinds that are printed once for the whole server, by any process.
bool IsOfEngine(Kind kind) {
  switch (kind) {
    case Kind::kStart:
    case Kind::kEnvironment:
    case Kind::kCaptureSizes:
    case Kind::kLargestSize:
    case Kind::kDraftTokens:
    case Kind::kServingRecompile:
    case Kind::kKvTokens:
    case Kind::kEngineInit:
    case Kind::kStartTiming:
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

/// Kinds that a server prints only before it starts an engine: after the first lines of a start,
/// they begin another one.
bool OpensStart(Kind kind) {
  return kind == Kind::kLoadBegin || kind == Kind::kModelLoad || kind == Kind::kSizesChanged ||
         kind == Kind::kCompileOff;
}

/// Whether rules use lines of this kind directly.
bool IsRemark(Kind kind) {
  switch (kind) {
    case Kind::kCacheOff:
    case Kind::kCacheFailure:
    case Kind::kGraphMemory:
    case Kind::kCompileOff:
    case Kind::kGraphsChanged:
    case Kind::kSizesChanged:
    case Kind::kKernelJit:
    case Kind::kUncaptured:
    case Kind::kServingRecompile:
      return true;
    default:
      return false;
  }
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
    switch (line.kind) {
      case Kind::kDistributed:
        AddPhase(worker.phases, "distributed", line.seconds);
        return;
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
      case Kind::kModelLoad:
        AddPhase(worker.phases, "model_load", line.seconds);
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
      case Kind::kProfile:
        AddPhase(worker.phases, "profile", line.seconds);
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
        AddPhase(worker.phases, "jit_warmup", line.seconds);
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

}  // namespace

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

std::string_view DataParallelPart(std::string_view process) {
  const size_t at = process.find("_DP");
  if (at == kNotFound) return {};
  process.remove_prefix(at + 1);
  return process.substr(0, process.find('_'));
}

void AddPhase(std::map<std::string, double>& phases, const std::string& phase,
              std::optional<double> seconds) {
  // Printed with at most six digits, so sums have no more.
  if (seconds) phases[phase] = std::round((phases[phase] + *seconds) * 1e6) / 1e6;
}

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

}  // namespace shapewise
