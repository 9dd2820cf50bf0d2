#include "ingest/formats/chrome_trace/chrome_trace_reader.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "ingest/file_rank.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringExtras.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kMaxStretches = size_t{1} << 20;
constexpr size_t kMaxTracedProcesses = 4096;
constexpr size_t kMaxThreads = size_t{1} << 16;
constexpr size_t kMaxOpenEvents = 256;  // of one thread
constexpr size_t kMaxNameBytes = 256;
constexpr size_t kMaxRegions = 4096;

// Larger times count from the Unix epoch: 2001 in microseconds. No machine runs for 30 years.
constexpr double kMinEpochMicros = 1e15;

uint64_t ThreadKey(uint32_t process, std::string_view thread) {
  return llvm::hash_combine(process, llvm::StringRef(thread.data(), thread.size()));
}

}  // namespace

ChromeTraceReader::ChromeTraceReader(Session& session, uint32_t input, const ReadOptions& options)
    : session_(session), input_(input), options_(options) {}

void ChromeTraceReader::OnLines(std::string_view lines, uint64_t first_line) {
  scanner_.Feed(lines, first_line, [&](const ScannedEvent& scanned) { OnEvent(scanned); });
}

size_t ChromeTraceReader::OnPiece(std::string_view piece, uint64_t line, bool, bool) {
  OnLines(piece, line);
  return piece.size();
}

void ChromeTraceReader::OnEvent(const ScannedEvent& scanned) {
  last_line_ = scanned.line;
  if (!scanned.is_whole || !parser_.Parse(scanned.json, event_)) {
    session_.stats().Bump(Stat::profile_event_unreadable, input_, scanned.line);
    return;
  }
  ++num_events_;
  event_.name = event_.name.substr(0, kMaxNameBytes);
  if (event_.phase == 'M') {
    OnMetadata(event_);
    return;
  }
  if (event_.phase == 'E') {
    OnEnd(event_);
    return;
  }
  const bool has_duration = event_.phase == 'X';
  const bool is_instant =
      event_.phase == 'i' || event_.phase == 'I' || event_.phase == 'P' || event_.phase == 'n';
  if (event_.phase != 'B' && !has_duration && !is_instant) return;

  const NamedEvent named = ReadTraceName(event_.name, event_.category);
  if (event_.phase == 'B') {
    OnBegin(event_, named, scanned.line);
    return;
  }
  // An instant of another tool is a sample; of anything else only what takes time matters.
  if (is_instant && named.name != TraceName::kOther) return;
  const uint32_t process = ProcessOf(event_.process);
  const uint64_t thread = ThreadKey(process, event_.thread);
  if (!event_.arg_compile_id.empty() && named.name == TraceName::kCompile) {
    Note(process, thread, event_.begin_us, event_.arg_compile_id);
  }
  Take(named, event_.name, process, thread, event_.begin_us, event_.begin_us + event_.duration_us,
       scanned.line);
}

void ChromeTraceReader::OnMetadata(const TraceEvent& event) {
  Process& process = processes_[ProcessOf(event.process)];
  if (event.name == "process_name") {
    process.name = event.arg_name.substr(0, kMaxNameBytes);
  } else if (event.name == "process_labels") {
    process.is_device = event.arg_labels.starts_with("GPU");
  }
}

void ChromeTraceReader::OnBegin(const TraceEvent& event, const NamedEvent& named, uint64_t line) {
  const uint32_t process = ProcessOf(event.process);
  const uint64_t thread = ThreadKey(process, event.thread);
  if (open_.size() >= kMaxThreads && !open_.contains(thread)) return;
  std::vector<OpenEvent>& stack = open_[thread];
  if (stack.size() >= kMaxOpenEvents) stack.erase(stack.begin());
  if (named.name == TraceName::kCompile && !event.arg_compile_id.empty()) {
    Note(process, thread, event.begin_us, event.arg_compile_id);
  }
  OpenEvent open{named, event.begin_us, line, std::string(event.name), {}};
  open.named.compile_id = {};  // a view into the event
  stack.push_back(std::move(open));
}

void ChromeTraceReader::OnEnd(const TraceEvent& event) {
  const uint32_t process = ProcessOf(event.process);
  const uint64_t thread = ThreadKey(process, event.thread);
  const auto found = open_.find(thread);
  if (found == open_.end()) return;
  std::vector<OpenEvent>& stack = found->second;
  // PyTorch's chromium events name what ends; one that never ended is passed over.
  size_t at = stack.size();
  while (at > 0 && !event.name.empty() && stack[at - 1].name != event.name) --at;
  if (at == 0) return;
  const OpenEvent open = std::move(stack[at - 1]);
  stack.resize(at - 1);
  if (open.named.name == TraceName::kCompileNote || event.begin_us < open.begin_us) return;
  Take(open.named, open.name, process, thread, open.begin_us, event.begin_us, open.line);
}

void ChromeTraceReader::Take(const NamedEvent& named, std::string_view name, uint32_t process,
                             uint64_t thread, double begin_us, double end_us, uint64_t line) {
  Stretch stretch{SpanKind::kStep, false, process, thread, begin_us, end_us, line, -1, {}};
  if (named.name != TraceName::kOther && named.name != TraceName::kNamedStep) {
    processes_[process].is_torch = true;
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
      Note(process, thread, begin_us, named.compile_id);
      return;
    case TraceName::kCompiledRegion:
      // Read again: at the end of an open event its name alone is left.
      AddRun(ReadTraceName(name, {}).compile_id, begin_us, end_us, line);
      return;
    case TraceName::kCudagraphRecord:
      stretch.kind = SpanKind::kCudagraphRecord;
      break;
    case TraceName::kCaptureBegin:
      if (captures_.size() < kMaxThreads || captures_.contains(thread)) captures_[thread] = stretch;
      return;
    case TraceName::kCaptureEnd: {
      const auto begun = captures_.find(thread);
      if (begun == captures_.end()) return;
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
      if (!samples_.Add(process, name, begin_us, end_us, line)) {
        session_.stats().Bump(Stat::spans_too_many, input_, line);
      }
      return;
  }
  stretch.name = session_.strings().Intern(name);
  Keep(stretch);
}

void ChromeTraceReader::Note(uint32_t process, uint64_t thread, double at_us,
                             std::string_view compile_id) {
  if (notes_.size() >= kMaxStretches || compile_id.size() > 32 || compile_id == "None") return;
  notes_.push_back({process, thread, at_us, session_.strings().Intern(compile_id)});
}

void ChromeTraceReader::AddRun(std::string_view compile_id, double begin_us, double end_us,
                               uint64_t line) {
  auto found = regions_.find(compile_id);
  if (found == regions_.end()) {
    if (regions_.size() >= kMaxRegions) return;
    found = regions_.emplace(compile_id, Region{begin_us, end_us, 0, line}).first;
  }
  Region& region = found->second;
  ++region.runs;
  region.first_us = std::min(region.first_us, begin_us);
  region.last_us = std::max(region.last_us, end_us);
}

void ChromeTraceReader::Keep(const Stretch& stretch) {
  if (stretches_.size() < kMaxStretches) {
    stretches_.push_back(stretch);
  } else {
    session_.stats().Bump(Stat::spans_too_many, input_, stretch.line);
  }
}

/// Index into processes_; beyond kMaxTracedProcesses all share the last.
uint32_t ChromeTraceReader::ProcessOf(std::string_view id) {
  id = id.substr(0, kMaxNameBytes);
  const llvm::StringRef key(id.data(), id.size());
  const auto known = process_ids_.find(key);
  if (known != process_ids_.end()) return known->second;
  if (processes_.size() >= kMaxTracedProcesses) return static_cast<uint32_t>(processes_.size() - 1);
  const auto index = static_cast<uint32_t>(processes_.size());
  process_ids_[key] = index;
  processes_.push_back({id.empty() ? "" : "process " + key.str(), false, false});
  return index;
}

void ChromeTraceReader::Finish() {
  if (scanner_.is_inside_event()) {
    session_.stats().Bump(Stat::profile_event_unreadable, input_, last_line_);
  }
  std::stable_sort(stretches_.begin(), stretches_.end(), [](const Stretch& a, const Stretch& b) {
    // The longer of two that begin together encloses the other.
    return std::tie(a.begin_us, b.end_us) < std::tie(b.begin_us, a.end_us);
  });
  DropNamedSteps();
  JoinCompiles();
  AddSpans();
}

/// A program that annotates its steps while the profiler does so too has them twice.
void ChromeTraceReader::DropNamedSteps() {
  const bool has_profiler_steps =
      std::any_of(stretches_.begin(), stretches_.end(), [](const Stretch& stretch) {
        return stretch.kind == SpanKind::kStep && !stretch.is_named_step;
      });
  if (!has_profiler_steps) return;
  std::erase_if(stretches_, [](const Stretch& stretch) {
    return stretch.kind == SpanKind::kStep && stretch.is_named_step;
  });
}

/// One compilation shows as several nested spans: keeps the outermost.
void ChromeTraceReader::JoinCompiles() {
  std::unordered_map<uint64_t, double> end_of_thread;
  std::erase_if(stretches_, [&](const Stretch& stretch) {
    if (stretch.kind != SpanKind::kCompile) return false;
    const auto [end, is_new] = end_of_thread.try_emplace(stretch.thread, stretch.end_us);
    if (!is_new && stretch.begin_us < end->second) return true;
    end->second = stretch.end_us;
    return false;
  });
}

void ChromeTraceReader::AddSpans() {
  std::stable_sort(notes_.begin(), notes_.end(), [](const CompileNote& a, const CompileNote& b) {
    return std::tie(a.thread, a.at_us) < std::tie(b.thread, b.at_us);
  });
  const auto id_of = [&](const Stretch& stretch) {
    const auto note = std::lower_bound(
        notes_.begin(), notes_.end(), stretch, [](const CompileNote& a, const Stretch& b) {
          return std::tie(a.thread, a.at_us) < std::tie(b.thread, b.begin_us);
        });
    const bool is_inside =
        note != notes_.end() && note->thread == stretch.thread && note->at_us <= stretch.end_us;
    return is_inside ? note->compile_id : StrId::kNone;
  };

  const std::optional<int64_t> base_ns = scanner_.base_time_ns();
  const int32_t rank = scanner_.rank() ? static_cast<int32_t>(*scanner_.rank())
                                       : RankInFileName(session_.input(input_).name);
  const auto add = [&](Span span, double begin_us, double end_us, uint64_t line) {
    const bool is_epoch = base_ns.value_or(0) > 0 || begin_us >= kMinEpochMicros;
    span.clock = is_epoch ? Clock::kEpoch : Clock::kRelative;
    span.input = input_;
    span.line = line;
    span.begin = static_cast<double>(base_ns.value_or(0)) * 1e-9 + begin_us * 1e-6;
    span.seconds = (end_us - begin_us) * 1e-6;
    session_.AddSpan(span);
  };
  // A profile that was merged of several programs tells their steps apart by the process.
  std::set<uint32_t> with_steps;
  for (const Stretch& stretch : stretches_) {
    if (stretch.kind == SpanKind::kStep) with_steps.insert(stretch.process);
  }
  for (const Stretch& stretch : stretches_) {
    Span span;
    if (stretch.kind == SpanKind::kStep && with_steps.size() > 1) {
      const std::string process =
          processes_[stretch.process].name + " #" + std::to_string(stretch.process + 1);
      span.process = session_.strings().Intern(process);
    }
    span.kind = stretch.kind;
    span.rank = rank;
    span.number = stretch.number;
    span.name = stretch.name;
    if (stretch.kind == SpanKind::kCompile || stretch.kind == SpanKind::kCompilePhase) {
      span.compile_id = id_of(stretch);
    }
    add(span, stretch.begin_us, stretch.end_us, stretch.line);
  }
  AddRegions(base_ns.value_or(0), rank);
  for (const OtherSamples::Stretch& stretch : samples_.Take()) {
    const Process& process = processes_[stretch.process];
    if (process.is_torch || process.is_device) continue;
    Span span;
    span.kind = SpanKind::kOtherProcess;
    span.name = session_.strings().Intern(stretch.function);
    span.process = session_.strings().Intern(process.name);
    add(span, stretch.begin_us, stretch.end_us, stretch.line);
  }
}

void ChromeTraceReader::AddRegions(int64_t base_ns, int32_t rank) {
  const double base = static_cast<double>(base_ns) * 1e-9;
  for (const auto& [compile_id, region] : regions_) {
    RegionRuns runs;
    runs.input = input_;
    runs.line = region.line;
    runs.rank = rank;
    runs.compile_id = session_.strings().Intern(compile_id);
    const bool is_epoch = base_ns > 0 || region.first_us >= kMinEpochMicros;
    runs.clock = is_epoch ? Clock::kEpoch : Clock::kRelative;
    runs.first = base + region.first_us * 1e-6;
    runs.last = base + region.last_us * 1e-6;
    runs.runs = region.runs;
    session_.AddRegionRuns(runs);
  }
}

}  // namespace shapewise
