// Profiles in the format of Chrome's trace viewer: from torch.profiler, PyTorch's chromium events,
// or converted from `perf script` and Nsight Systems. Events in, spans out.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/file_rank.h"
#include "ingest/formats/chrome_trace/trace_event.h"
#include "ingest/log_format.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kMaxStretches = size_t{1} << 20;
constexpr size_t kMaxTracedProcesses = 4096;
constexpr size_t kMaxThreads = size_t{1} << 16;
constexpr size_t kMaxOpenEvents = 256;  // of one thread
constexpr size_t kMaxNameBytes = 256;
constexpr size_t kMaxRegions = 4096;
constexpr size_t kMaxFunctions = size_t{1} << 16;
constexpr size_t kMaxOtherStretches = size_t{1} << 18;

// Larger times count from the Unix epoch: 2001 in microseconds. No machine runs for 30 years.
constexpr double kMinEpochMicros = 1e15;

/// Samples of other processes and the kernel. Joins the samples and spans of one function in one
/// process into stretches: a sampling profiler shows a call of 400 ms as hundreds of samples.
class OtherSamples {
 public:
  /// A function that ran in a process, without a pause of more than kMaxPauseUs.
  struct Stretch {
    uint32_t process = 0;
    std::string_view function;  // lives as long as this object
    double begin_us = 0;
    double end_us = 0;
    uint64_t line = 0;  // of its first sample
  };

  /// False if there is no room for another function or another stretch.
  bool Add(uint32_t process, std::string_view function, double begin_us, double end_us,
           uint64_t line) {
    const llvm::StringRef key(function);
    if (functions_.size() >= kMaxFunctions && functions_.count(key) == 0) return false;
    const auto known = functions_.try_emplace(key, static_cast<uint32_t>(functions_.size())).first;
    const auto [open, is_new] =
        open_.try_emplace({process, known->second}, static_cast<uint32_t>(stretches_.size()));
    if (!is_new) {
      Stretch& last = stretches_[open->second];
      // Samples of several threads or processors sometimes come out of order.
      if (begin_us <= last.end_us + kMaxPauseUs && end_us >= last.begin_us - kMaxPauseUs) {
        last.begin_us = std::min(last.begin_us, begin_us);
        last.end_us = std::max(last.end_us, end_us);
        return true;
      }
    }
    if (stretches_.size() >= kMaxOtherStretches) {
      if (is_new) open_.erase({process, known->second});
      return false;
    }
    open->second = static_cast<uint32_t>(stretches_.size());
    stretches_.push_back({process, known->first(), begin_us, end_us, line});
    return true;
  }

  /// All stretches, ordered by process, function and time.
  std::vector<Stretch>& Sorted() {
    llvm::sort(stretches_, [](const Stretch& a, const Stretch& b) {
      return std::tie(a.process, a.function, a.begin_us, a.end_us, a.line) <
             std::tie(b.process, b.function, b.begin_us, b.end_us, b.line);
    });
    return stretches_;
  }

 private:
  /// Two samples further apart are two stretches.
  static constexpr double kMaxPauseUs = 20'000;

  llvm::StringMap<uint32_t> functions_;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> open_;  // (process, function) -> index
  std::vector<Stretch> stretches_;
};

/// One pass over one profile. Keeps only a few kinds of events, so that memory grows only with
/// steps, compilations and stretches of samples; names of processes and the reference time may come
/// anywhere, so spans are added at the end.
class ChromeTraceReader final : public LogReader {
 public:
  ChromeTraceReader(Session& session, uint32_t input, const ReadOptions& options)
      : session_(session), input_(input), options_(options) {}

  void OnLines(std::string_view lines, uint64_t first_line) override {
    scanner_.Feed(lines, first_line, [&](TraceEvent* event, uint64_t line) {
      last_line_ = line;
      if (event == nullptr) return Count(Stat::profile_event_unreadable, line);
      ++num_events_;
      OnEvent(*event, line);
    });
  }

  size_t OnPiece(std::string_view piece, uint64_t line, bool, bool) override {
    OnLines(piece, line);
    return piece.size();
  }

  void Finish() override {
    if (scanner_.is_inside_event()) Count(Stat::profile_event_unreadable, last_line_);
    std::ranges::stable_sort(stretches_, [](const Stretch& a, const Stretch& b) {
      // The longer of two that start together encloses the other.
      return std::tie(a.begin_us, b.end_us) < std::tie(b.begin_us, a.end_us);
    });
    DropNamedSteps();
    JoinCompiles();
    const int32_t rank = scanner_.rank() ? static_cast<int32_t>(*scanner_.rank())
                                         : RankInFileName(session_.input(input_).name);
    AddSpans(rank);
    AddRegions(rank);
    for (const OtherSamples::Stretch& stretch : samples_.Sorted()) {
      const Process& process = processes_[stretch.process];
      if (process.is_torch || process.is_device) continue;
      Span span;
      span.kind = SpanKind::kOtherProcess;
      span.name = session_.strings().Intern(stretch.function);
      span.process = session_.strings().Intern(process.name);
      AddSpan(span, stretch.begin_us, stretch.end_us, stretch.line);
    }
  }

  uint64_t torch_lines() const override { return num_events_; }

 private:
  struct Process {
    std::string name;
    bool is_torch = false;   // torch's profiler wrote events about it
    bool is_device = false;  // a GPU, which Kineto shows as a process
  };

  /// Where an event ran.
  struct Place {
    uint32_t process = 0;
    uint64_t thread = 0;  // a hash, different in each process
  };

  /// An event with a duration, in microseconds of the trace.
  struct Stretch {
    Place place;
    double begin_us = 0;
    double end_us = 0;
    uint64_t line = 0;
    SpanKind kind = SpanKind::kStep;
    bool is_named_step = false;  // a step annotated by the program, not by torch.profiler
    int64_t number = -1;
    StrId name{};
  };

  /// "compile_id=0/1" was noted at this time.
  struct CompileNote {
    uint64_t thread = 0;
    double at_us = 0;
    StrId compile_id{};
  };

  /// A 'B' whose 'E' has not been read yet.
  struct OpenEvent {
    NamedEvent named;
    double begin_us = 0;
    uint64_t line = 0;
    std::string name;
  };

  void OnEvent(TraceEvent& event, uint64_t line) {
    event.name = event.name.substr(0, kMaxNameBytes);
    if (event.phase == 'E') return OnEnd(event);
    if (event.phase == 'M') {
      Process& process = processes_[PlaceOf(event).process];
      if (event.name == "process_name") process.name = event.arg_name.substr(0, kMaxNameBytes);
      if (event.name == "process_labels") process.is_device = event.arg_labels.starts_with("GPU");
      return;
    }
    const bool is_instant = HasText("iIPn", {&event.phase, 1});
    if (event.phase != 'B' && event.phase != 'X' && !is_instant) return;
    NamedEvent named = ReadTraceName(event.name, event.category);
    // An instant of another tool is a sample; of other instants only those with a duration matter.
    if (is_instant && named.name != TraceName::kOther) return;
    const Place place = PlaceOf(event);
    const bool is_open = event.phase == 'B';
    if (is_open && open_.size() >= kMaxThreads && !open_.contains(place.thread)) return;
    if (!event.arg_compile_id.empty() && named.name == TraceName::kCompile) {
      Note(place, event.begin_us, event.arg_compile_id);
    }
    if (!is_open) {
      return Take(named, event.name,
                  {place, event.begin_us, event.begin_us + event.duration_us, line});
    }
    std::vector<OpenEvent>& stack = open_[place.thread];
    if (stack.size() >= kMaxOpenEvents) stack.erase(stack.begin());
    named.compile_id = {};  // a view into the event
    stack.push_back({named, event.begin_us, line, std::string(event.name)});
  }

  void OnEnd(const TraceEvent& event) {
    const Place place = PlaceOf(event);
    const auto found = open_.find(place.thread);
    if (found == open_.end()) return;
    std::vector<OpenEvent>& stack = found->second;
    // PyTorch's chromium events name the event that ends; one that never ended is skipped.
    size_t at = stack.size();
    while (at > 0 && !event.name.empty() && stack[at - 1].name != event.name) --at;
    if (at == 0) return;
    const OpenEvent open = std::move(stack[at - 1]);
    stack.resize(at - 1);
    if (open.named.name == TraceName::kCompileNote || event.begin_us < open.begin_us) return;
    Take(open.named, open.name, {place, open.begin_us, event.begin_us, open.line});
  }

  void Take(const NamedEvent& named, std::string_view name, Stretch stretch) {
    const Place place = stretch.place;
    if (named.name != TraceName::kOther && named.name != TraceName::kNamedStep) {
      processes_[place.process].is_torch = true;
    }
    switch (named.name) {
      case TraceName::kProfilerStep:
      case TraceName::kNamedStep:
        stretch.number = named.number;
        stretch.is_named_step = named.name == TraceName::kNamedStep;
        break;
      case TraceName::kCompile:
        stretch.kind = SpanKind::kCompile;
        break;
      case TraceName::kCompilePhase:
        if (!options_.keep_phases) return;
        stretch.kind = SpanKind::kCompilePhase;
        break;
      case TraceName::kCompileNote:
        return Note(place, stretch.begin_us, named.compile_id);
      case TraceName::kCompiledRegion:
        // Parse again: at the end of an open event only its name is left.
        return AddRun(ReadTraceName(name, {}).compile_id, stretch);
      case TraceName::kCudagraphRecord:
        stretch.kind = SpanKind::kCudagraphRecord;
        break;
      case TraceName::kCaptureBegin:
        if (captures_.size() < kMaxThreads || captures_.contains(place.thread)) {
          captures_[place.thread] = stretch;
        }
        return;
      case TraceName::kCaptureEnd: {
        const auto begun = captures_.find(place.thread);
        if (begun == captures_.end()) return;
        const double end_us = stretch.end_us;
        stretch = begun->second;
        stretch.end_us = std::max(stretch.begin_us, end_us);
        stretch.kind = SpanKind::kCudagraphRecord;
        captures_.erase(begun);
        name = "capture";
        break;
      }
      case TraceName::kGarbageCollection:
        stretch.kind = SpanKind::kGarbageCollection;
        break;
      case TraceName::kTorch:
        return;
      case TraceName::kOther:
        if (!samples_.Add(place.process, name, stretch.begin_us, stretch.end_us, stretch.line)) {
          Count(Stat::spans_too_many, stretch.line);
        }
        return;
    }
    stretch.name = session_.strings().Intern(name);
    if (stretches_.size() >= kMaxStretches) return Count(Stat::spans_too_many, stretch.line);
    stretches_.push_back(stretch);
  }

  void Count(Stat stat, uint64_t line) { session_.stats().Bump(stat, input_, line); }
  /// Beyond kMaxTracedProcesses all share the last one.
  Place PlaceOf(const TraceEvent& event) {
    const llvm::StringRef id = llvm::StringRef(event.process).take_front(kMaxNameBytes);
    const auto known = process_ids_.find(id);
    auto process = static_cast<uint32_t>(processes_.size());
    if (known != process_ids_.end()) {
      process = known->second;
    } else if (process == kMaxTracedProcesses) {
      --process;
    } else {
      process_ids_[id] = process;
      processes_.push_back({id.empty() ? "" : "process " + id.str()});
    }
    return {process, llvm::hash_combine(process, llvm::StringRef(event.thread))};
  }

  void Note(Place place, double at_us, std::string_view compile_id) {
    if (notes_.size() >= kMaxStretches || compile_id.size() > 32 || compile_id == "None") return;
    notes_.push_back({place.thread, at_us, session_.strings().Intern(compile_id)});
  }

  void AddRun(std::string_view compile_id, const Stretch& stretch) {
    auto found = regions_.find(compile_id);
    if (found == regions_.end()) {
      if (regions_.size() >= kMaxRegions) return;
      found = regions_.try_emplace(std::string(compile_id)).first;
      found->second.line = stretch.line;
      found->second.first = stretch.begin_us;
      found->second.last = stretch.end_us;
    }
    RegionRuns& region = found->second;
    ++region.runs;
    region.first = std::min(region.first, stretch.begin_us);
    region.last = std::max(region.last, stretch.end_us);
  }

  /// A program that annotates its steps while the profiler does so too contains each step twice.
  void DropNamedSteps() {
    const auto is_step = [](const Stretch& stretch) { return stretch.kind == SpanKind::kStep; };
    const bool has_profiler_steps = llvm::any_of(stretches_, [&](const Stretch& stretch) {
      return is_step(stretch) && !stretch.is_named_step;
    });
    if (!has_profiler_steps) return;
    std::erase_if(stretches_, [&](const Stretch& stretch) {
      return is_step(stretch) && stretch.is_named_step;
    });
  }

  /// One compilation shows as several nested spans: keeps the outermost.
  void JoinCompiles() {
    std::unordered_map<uint64_t, double> end_of_thread;
    std::erase_if(stretches_, [&](const Stretch& stretch) {
      if (stretch.kind != SpanKind::kCompile) return false;
      const auto [end, is_new] = end_of_thread.try_emplace(stretch.place.thread, stretch.end_us);
      if (!is_new && stretch.begin_us < end->second) return true;
      end->second = stretch.end_us;
      return false;
    });
  }

  void AddSpans(int32_t rank) {
    const auto key_of = [](const CompileNote& note) { return std::pair(note.thread, note.at_us); };
    std::ranges::stable_sort(notes_, {}, key_of);
    const auto id_of = [&](const Stretch& stretch) {
      const std::pair key(stretch.place.thread, stretch.begin_us);
      const auto note = std::ranges::lower_bound(notes_, key, {}, key_of);
      const bool is_inside = note != notes_.end() && note->thread == stretch.place.thread &&
                             note->at_us <= stretch.end_us;
      return is_inside ? note->compile_id : StrId::kNone;
    };
    // A profile may be merged from several programs: the process distinguishes their steps.
    std::set<uint32_t> with_steps;
    for (const Stretch& stretch : stretches_) {
      if (stretch.kind == SpanKind::kStep) with_steps.insert(stretch.place.process);
    }
    for (const Stretch& stretch : stretches_) {
      Span span;
      if (stretch.kind == SpanKind::kStep && with_steps.size() > 1) {
        const uint32_t process = stretch.place.process;
        span.process = session_.strings().Intern(processes_[process].name + " #" +
                                                 std::to_string(process + 1));
      }
      span.kind = stretch.kind;
      span.rank = rank;
      span.number = stretch.number;
      span.name = stretch.name;
      if (stretch.kind == SpanKind::kCompile || stretch.kind == SpanKind::kCompilePhase) {
        span.compile_id = id_of(stretch);
      }
      AddSpan(span, stretch.begin_us, stretch.end_us, stretch.line);
    }
  }

  void AddSpan(Span& span, double begin_us, double end_us, uint64_t line) {
    span.clock = ClockOf(begin_us);
    span.input = input_;
    span.line = line;
    span.begin = Seconds(begin_us);
    span.seconds = (end_us - begin_us) * 1e-6;
    session_.AddSpan(span);
  }

  void AddRegions(int32_t rank) {
    for (auto& [compile_id, runs] : regions_) {
      runs.input = input_;
      runs.rank = rank;
      runs.compile_id = session_.strings().Intern(compile_id);
      runs.clock = ClockOf(runs.first);
      runs.first = Seconds(runs.first);
      runs.last = Seconds(runs.last);
      session_.AddRegionRuns(runs);
    }
  }

  double Seconds(double micros) const {
    return static_cast<double>(scanner_.base_time_ns().value_or(0)) * 1e-9 + micros * 1e-6;
  }
  Clock ClockOf(double micros) const {
    const bool has_base = scanner_.base_time_ns().value_or(0) > 0;
    return has_base || micros >= kMinEpochMicros ? Clock::kEpoch : Clock::kRelative;
  }

  Session& session_;
  const uint32_t input_;
  const ReadOptions options_;
  TraceEventScanner scanner_;
  llvm::StringMap<uint32_t> process_ids_;
  std::vector<Process> processes_;
  std::unordered_map<uint64_t, std::vector<OpenEvent>> open_;  // by thread
  std::unordered_map<uint64_t, Stretch> captures_;             // by thread
  std::vector<Stretch> stretches_;
  std::vector<CompileNote> notes_;
  std::map<std::string, RegionRuns, std::less<>> regions_;  // by compile id; in microseconds
  OtherSamples samples_;
  uint64_t num_events_ = 0;
  uint64_t last_line_ = 0;
};

/// An object with one of the trace format's own keys, or an array of objects with a phase. A
/// training log may begin with a printed dictionary, so braces alone are not enough.
bool SniffChromeTrace(std::string_view head) {
  head = TrimLeft(head);
  const auto has = [&](std::string_view key) { return HasText(head, key); };
  if (ConsumeFront(head, "{")) {
    return has("\"traceEvents\"") || has("\"schemaVersion\"") || has("\"baseTimeNanoseconds\"") ||
           has("\"displayTimeUnit\"");
  }
  return ConsumeFront(head, "[") && TrimLeft(head).starts_with('{') && has("\"ph\"") &&
         (has("\"ts\"") || has("\"pid\""));
}
}  // namespace

const LogFormat kChromeTraceFormat{"chrome-trace", SniffChromeTrace,
                                   NewLogReader<ChromeTraceReader>};
}  // namespace shapewise
