// Thresholds are documented in analyzer/docs/server-logs.md, section "Findings".

#include "server/server_starts.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "llvm/Support/FormatVariadic.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using Kind = ServerLineKind;

constexpr double kSkew = 1.2;           // times the median
constexpr double kSkewSeconds = 5;      // and at least this much longer
constexpr double kGapSeconds = 10;      // seconds that no line explains
constexpr double kGapShare = 0.2;       // of the engine's start
constexpr double kMoreMemory = 1.1;     // relative to the estimate
constexpr double kLongCapture = 60;     // seconds
constexpr int64_t kSizeStep = 16;       // step of vLLM's sizes beyond 256
constexpr int64_t kSglangSizeStep = 8;  // step of SGLang's sizes

std::string Seconds(double seconds) { return llvm::formatv("{0:F2} s", seconds).str(); }

std::string Gib(double gib) { return llvm::formatv("{0:F2} GiB", gib).str(); }

int64_t RoundUp(int64_t number, int64_t step) { return (number + step - 1) / step * step; }

/// "0.10.2" as numbers; missing parts are 0.
std::array<int64_t, 3> ReleaseNumbers(std::string_view release) {
  std::array<int64_t, 3> numbers{};
  for (int64_t& number : numbers) {
    number = ConsumeUint<int64_t>(release).value_or(0);
    if (!ConsumeFront(release, ".")) break;
  }
  return numbers;
}

/// The flag that makes vLLM capture a batch of `size` tokens. Source: vllm/engine/arg_utils.py.
std::string VllmSizeFlag(const std::string& release, int64_t size) {
  const std::string number = std::to_string(size);
  const std::array<int64_t, 3> numbers = ReleaseNumbers(release);
  constexpr std::array<int64_t, 3> kMaxSize = {0, 11, 1};
  constexpr std::array<int64_t, 3> kSizes = {0, 9, 0};
  if (release.empty() || numbers >= kMaxSize) return "--max-cudagraph-capture-size " + number;
  if (numbers >= kSizes) return "--cuda-graph-sizes " + number;
  return "--max-seq-len-to-capture " + number;
}

/// "3fbdd5227b" for ".../torch_compile_cache/3fbdd5227b/rank_0_0/backbone".
std::string_view KeyOf(std::string_view cache_dir) {
  constexpr std::string_view kFolder = "torch_compile_cache/";
  const size_t at = FindText(cache_dir, kFolder);
  if (at == kNotFound) return {};
  const std::string_view rest = cache_dir.substr(at + kFolder.size());
  return rest.substr(0, rest.find('/'));
}

/// The path before the folder of compiled graphs: "/root/.cache/vllm".
std::string_view RootOf(std::string_view cache_dir) {
  const size_t at = FindText(cache_dir, "/torch_compile_cache/");
  return at == kNotFound ? cache_dir : cache_dir.substr(0, at);
}

/// "env" for "env=0cfa cfg=84b7 ..." and "env=4e34 cfg=84b7 ..."; empty: no difference.
std::string DifferentFactors(std::string_view before, std::string_view after) {
  std::string names;
  while (!before.empty() && !after.empty()) {
    const std::string_view a = before.substr(0, before.find(' '));
    const std::string_view b = after.substr(0, after.find(' '));
    const std::string_view name = a.substr(0, a.find('='));
    // The folder is derived from the others.
    if (a != b && name != "dir") names += (names.empty() ? "" : ", ") + std::string(name);
    before.remove_prefix(std::min(a.size() + 1, before.size()));
    after.remove_prefix(std::min(b.size() + 1, after.size()));
  }
  return names;
}

/// "VLLM_HOST_IP, VLLM_PORT": variables with different values in the two starts.
std::string DifferentVariables(const ServerStart& before, const ServerStart& after) {
  std::string names;
  for (const auto& [name, value] : before.environment) {
    const auto now = after.environment.find(name);
    if (now == after.environment.end() || now->second == value) continue;
    names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

struct Recompile {
  uint32_t input = 0;
  uint64_t line = 0;
  uint64_t times = 0;

  friend auto operator<=>(const Recompile&, const Recompile&) = default;
};

class CauseFinder {
 public:
  explicit CauseFinder(const Session& session) : session_(session) {
    for (const Event& event : session.events()) {
      if (session.detail(event).kind() != EventKind::kRecompile) continue;
      recompiles_.push_back({event.input, event.line, event.times()});
    }
    std::ranges::sort(recompiles_);
  }

  /// `workers` are those of `start`; the next start begins at `end_line`.
  void Look(const ServerStart& start, std::span<const ServerWorker> workers, uint64_t end_line) {
    const bool has_before = start_ != nullptr && start_->input == start.input;
    before_ = has_before ? start_ : nullptr;
    workers_before_ = has_before ? workers_ : std::span<const ServerWorker>();
    start_ = &start;
    workers_ = workers;
    CheckCompiling();
    CheckCache();
    LookAtGraphs();
    LookAtBatches();
    LookAtWorkers();
    LookAtServing(end_line);
  }

  std::vector<Cause> Take() { return std::move(causes_); }

 private:
  std::string_view Text(const ServerRemark& remark) const {
    return session_.text(remark.line->text);
  }

  const ServerRemark* Find(Kind kind) const {
    const auto found = start_->remarks.find(kind);
    return found == start_->remarks.end() ? nullptr : &found->second;
  }

  /// Adds the cause `why` and returns it so that facts can be set; null if an earlier start already
  /// has it.
  Cause* AddCause(std::string_view why, uint64_t line, uint64_t count = 1) {
    const auto known = std::ranges::find(causes_, why, &Cause::why);
    if (known != causes_.end()) {
      known->count += count;
      return nullptr;
    }
    Cause& cause = causes_.emplace_back();
    cause.kind = CauseKind::kServer;
    cause.why = why;
    cause.type = ServerEngineName(start_->engine);
    cause.where.file = session_.inputs()[start_->input].name;
    cause.where.line = static_cast<uint32_t>(std::min<uint64_t>(line, UINT32_MAX));
    cause.count = count;
    return &cause;
  }

  Cause* AddCause(std::string_view why, const ServerRemark& remark) {
    Cause* cause = AddCause(why, remark.line->line, remark.count);
    if (cause != nullptr) cause->message = Text(remark);
    return cause;
  }

  static void AddFact(std::string name, std::string_view text, Cause& cause) {
    if (!text.empty()) cause.facts.emplace_back(std::move(name), text);
  }

  void CheckCompiling() {
    if (const ServerRemark* off = Find(Kind::kCompileOff)) {
      const bool is_asked = !HasText(Text(*off), "does not support");
      AddCause(is_asked ? "compile-disabled" : "compile-off", *off);
    }
  }

  void CheckCache() {
    if (const ServerRemark* off = Find(Kind::kCacheOff)) AddCause("cache-off", *off);
    if (const ServerRemark* failure = Find(Kind::kCacheFailure))
      AddCause("cache-unusable", *failure);
    const auto cold = std::ranges::find_if(workers_, [](const ServerWorker& worker) {
      return worker.cache == "cold" && !worker.cache_dir.empty();
    });
    if (cold == workers_.end()) return;
    const auto total =
        std::ranges::max(workers_, {}, [](const ServerWorker& w) { return w.total_seconds; });
    const std::string_view key = KeyOf(cold->cache_dir);
    std::string_view key_before;
    for (const ServerWorker& worker : workers_before_) {
      if (worker.worker == cold->worker && worker.cache == "cold") {
        key_before = KeyOf(worker.cache_dir);
      }
    }
    const std::string_view why = key_before.empty()  ? "cold-start"
                                 : key == key_before ? "cold-again"
                                                     : "key-changed";
    Cause* cause = AddCause(why, start_->first_line);
    if (cause == nullptr) return;
    AddFact("cache_root", RootOf(cold->cache_dir), *cause);
    if (total.total_seconds) AddFact("total", Seconds(*total.total_seconds), *cause);
    if (why != "key-changed") return;
    AddFact("keys", std::string(key_before) + ", then " + std::string(key), *cause);
    AddFact("factors", DifferentFactors(before_->cache_factors, start_->cache_factors), *cause);
    AddFact("variables", DifferentVariables(*before_, *start_), *cause);
  }

  void LookAtGraphs() {
    if (const ServerRemark* changed = Find(Kind::kGraphsChanged)) {
      const bool is_off =
          Text(*changed).starts_with("NONE") || start_->engine == ServerEngine::kSglang;
      Cause* cause = AddCause(is_off ? "graphs-off" : "graphs-downgraded", *changed);
      // The word NONE adds nothing to the finding.
      if (cause != nullptr && cause->message == "NONE") cause->message.clear();
    }
    if (const ServerRemark* changed = Find(Kind::kSizesChanged)) {
      Cause* cause = AddCause("sizes-changed", *changed);
      if (cause != nullptr) cause->amount = changed->line->count;
    }
    const ServerRemark* memory = Find(Kind::kGraphMemory);
    if (memory == nullptr) return;
    const std::optional<double>& taken = memory->line->gib;
    const std::optional<double>& expected = memory->line->expected_gib;
    if (!taken || !expected || *taken <= *expected * kMoreMemory) return;
    Cause* cause = AddCause("graph-memory", memory->line->line, memory->count);
    if (cause == nullptr) return;
    AddFact("taken", Gib(*taken), *cause);
    AddFact("expected", Gib(*expected), *cause);
    AddFact("excess", Gib(*taken - *expected), *cause);
  }

  void LookAtBatches() {
    if (const ServerRemark* batch = Find(Kind::kUncaptured)) {
      const int64_t requests = batch->line->count.value_or(0);
      if (start_->largest_size && requests <= *start_->largest_size) return;
      AddUncapturedCause(
          batch->line->line, std::to_string(requests) + " requests",
          "--cuda-graph-max-bs " + std::to_string(RoundUp(requests, kSglangSizeStep)));
    }
    const ServerLine* running = start_->most_running;
    if (running == nullptr || !start_->largest_size) return;
    const int64_t requests = running->count.value_or(0);
    const int64_t each = 1 + start_->draft_tokens.value_or(0);
    const int64_t tokens = requests * each;
    if (tokens <= *start_->largest_size) return;
    std::string batch = std::to_string(requests) + " requests";
    if (each > 1) {
      batch += " of " + std::to_string(each) + " tokens (" +
               std::to_string(start_->draft_tokens.value_or(0)) + " drafted), " +
               std::to_string(tokens) + " in all,";
    }
    AddUncapturedCause(running->line, batch,
                       VllmSizeFlag(start_->release, RoundUp(tokens, kSizeStep * each)));
  }

  void AddUncapturedCause(uint64_t line, const std::string& batch, const std::string& flag) {
    Cause* cause = AddCause("batch-not-captured", line, 0);
    if (cause == nullptr) return;
    AddFact("batch", batch, *cause);
    AddFact("flag", flag, *cause);
    if (start_->largest_size) AddFact("largest", std::to_string(*start_->largest_size), *cause);
  }

  void LookAtWorkers() {
    std::vector<double> totals;
    const ServerWorker* slowest = nullptr;
    for (const ServerWorker& worker : workers_) {
      if (worker.unaccounted_seconds) AddGapCause(worker);
      if (!worker.total_seconds) continue;
      totals.push_back(*worker.total_seconds);
      if (slowest == nullptr || *worker.total_seconds > *slowest->total_seconds) slowest = &worker;
    }
    LookAtCapture();
    if (totals.size() < 3) return;
    std::ranges::sort(totals);
    const size_t middle = totals.size() / 2;
    const double median =
        totals.size() % 2 == 1 ? totals[middle] : (totals[middle - 1] + totals[middle]) / 2;
    const double most = totals.back();
    if (most <= median * kSkew || most - median < kSkewSeconds) return;
    Cause* cause = AddCause("worker-skew", start_->first_line);
    if (cause == nullptr) return;
    AddFact("worker", slowest->worker, *cause);
    AddFact("seconds", Seconds(most), *cause);
    AddFact("median", Seconds(median), *cause);
    AddFact("wait", Seconds(most - median), *cause);
  }

  void AddGapCause(const ServerWorker& worker) {
    const double gap = *worker.unaccounted_seconds;
    const auto scheduler = worker.phases.find("scheduler");
    const double engine = worker.engine_init_seconds.value_or(
        scheduler == worker.phases.end() ? 0 : scheduler->second);
    if (gap < kGapSeconds || gap < kGapShare * engine) return;
    Cause* cause = AddCause("gap", start_->first_line);
    if (cause == nullptr) return;
    AddFact("seconds", Seconds(gap), *cause);
    AddFact("total", Seconds(engine), *cause);
    const auto autotune = worker.phases.find("autotune");
    if (autotune != worker.phases.end()) AddFact("tuned", Seconds(autotune->second), *cause);
  }

  void LookAtCapture() {
    if (!start_->compiles_in_capture) return;
    double slowest = 0;
    for (const WorkerLines& lines : start_->workers) {
      slowest = std::max(slowest, lines.capture_seconds);
    }
    if (slowest < kLongCapture) return;
    Cause* cause = AddCause("compile-in-capture", start_->first_line);
    if (cause != nullptr) AddFact("seconds", Seconds(slowest), *cause);
  }

  void LookAtServing(uint64_t end_line) {
    if (const ServerRemark* jit = Find(Kind::kKernelJit)) AddCause("kernel-jit", *jit);
    if (const ServerRemark* again = Find(Kind::kServingRecompile)) {
      AddCause("recompile-while-serving", *again);
    }
    if (start_->ready_line == 0) return;
    uint64_t count = 0;
    uint64_t first = 0;
    const Recompile ready = {start_->input, start_->ready_line + 1, 0};
    for (auto again = std::ranges::lower_bound(recompiles_, ready);
         again != recompiles_.end() && again->input == start_->input && again->line < end_line;
         ++again) {
      if (count == 0) first = again->line;
      count += again->times;
    }
    if (count > 0) AddCause("recompile-while-serving", first, count);
  }

  const Session& session_;
  std::vector<Recompile> recompiles_;  ///< by input and line
  const ServerStart* start_ = nullptr;
  const ServerStart* before_ = nullptr;
  std::span<const ServerWorker> workers_;
  std::span<const ServerWorker> workers_before_;
  std::vector<Cause> causes_;
};

}  // namespace

std::vector<Cause> FindServerCauses(const Session& session, const std::deque<ServerStart>& starts,
                                    const ServerReport& report) {
  CauseFinder finder(session);
  const std::span<const ServerWorker> all = report.workers;
  size_t first = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    size_t last = first;
    while (last < all.size() && all[last].start == i) ++last;
    const bool has_next = i + 1 < starts.size() && starts[i + 1].input == starts[i].input;
    const uint64_t end_line = has_next ? starts[i + 1].first_line : UINT64_MAX;
    finder.Look(starts[i], all.subspan(first, last - first), end_line);
    first = last;
  }
  return finder.Take();
}

}  // namespace shapewise
