// Prints the run as a timeline: Chrome's Trace Event Format in JSON, which ui.perfetto.dev opens.
// Ranks are processes; their compilations, steps, slow steps and findings are tracks.
//
// Events are written one by one, in the order of the session. Inputs whose clocks cannot be
// compared are separate processes that start at zero.

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "llvm/Support/Format.h"
#include "report/formats.h"
#include "report/result_json.h"
#include "report/run_clocks.h"

namespace shapewise {
namespace {

/// Tracks of a process, in display order. Steps of each input have their own track, because two
/// inputs may contain the same steps.
enum Track : uint32_t {
  kCompilations = 1,
  kPhases = 2,  // separate: their clock differs, so they do not nest to the microsecond
  kPauses = 3,
  kFindings = 4,
  kOtherProcesses = 5,
  kSlowSteps = 100,  // plus the index of the input
  kSteps = 1'000'000,
};

/// Writes the events of one trace.
class TraceStream {
 public:
  TraceStream(llvm::raw_ostream& out, const RunClocks& clocks) : out_(out), clocks_(clocks) {}

  /// Adds a time span, or a moment if `seconds` is absent.
  void Add(const Moment& moment, int32_t rank, uint32_t track, std::string_view track_name,
           std::string_view name, std::optional<double> seconds, const Json& args) {
    const uint32_t process = ProcessOf(moment.group, rank);
    NameTrack(process, track, track_name);
    Begin();
    out_ << "{\"name\":" << JsonText(name) << ",\"ph\":\"" << (seconds ? 'X' : 'i')
         << "\",\"pid\":" << process << ",\"tid\":" << track
         << llvm::format(",\"ts\":%.3f", clocks_.Micros(moment));
    if (seconds) {
      out_ << llvm::format(",\"dur\":%.3f", std::max(0.0, *seconds) * 1e6);
    } else {
      out_ << ",\"s\":\"p\"";
    }
    if (!args.empty()) out_ << ",\"args\":" << JsonText(args);
    out_ << "}";
  }

  void BeginList() { out_ << "\"traceEvents\": ["; }
  void EndList() { out_ << "\n]"; }

 private:
  void Begin() {
    out_ << (is_first_ ? "\n" : ",\n");
    is_first_ = false;
  }

  void Metadata(uint32_t process, std::string_view what, uint32_t track, const Json& args) {
    Begin();
    out_ << "{\"name\":\"" << std::string(what) << "\",\"ph\":\"M\",\"pid\":" << process
         << ",\"tid\":" << track << ",\"args\":" << JsonText(args) << "}";
  }

  uint32_t ProcessOf(const ClockGroup& group, int32_t rank) {
    const auto [known, is_new] =
        processes_.try_emplace({group, rank}, static_cast<uint32_t>(processes_.size() + 1));
    if (is_new) {
      const std::string name =
          (rank == kNoRank ? "run" : "rank " + std::to_string(rank)) + clocks_.NameOf(group);
      Metadata(known->second, "process_name", 0, {{"name", name}});
      Metadata(known->second, "process_sort_index", 0, {{"sort_index", rank}});
    }
    return known->second;
  }

  void NameTrack(uint32_t process, uint32_t track, std::string_view name) {
    if (!tracks_.emplace(std::pair(process, track), true).second) return;
    Metadata(process, "thread_name", track, {{"name", name}});
    Metadata(process, "thread_sort_index", track, {{"sort_index", track}});
  }

  llvm::raw_ostream& out_;
  const RunClocks& clocks_;
  std::map<std::pair<ClockGroup, int32_t>, uint32_t> processes_;
  std::map<std::pair<uint32_t, uint32_t>, bool> tracks_;
  bool is_first_ = true;
};

/// Writes a session and its result as a trace.
class Timeline {
 public:
  Timeline(const LintResult& result, const Session& session)
      : result_(result), session_(session), clocks_(result, session) {}

  void Write(const ReportOptions& options, llvm::raw_ostream& out) const {
    out << "{\"displayTimeUnit\": \"ms\",\n";
    TraceStream trace(out, clocks_);
    trace.BeginList();
    AddCompilations(trace);
    AddSpans(trace);
    AddSlowSteps(trace);
    const uint64_t num_untimed = AddFindings(trace);
    trace.EndList();
    Json other = {{"tool", "shapewise " + options.tool_version},
                  {"events_without_time", num_untimed}};
    const auto epoch = clocks_.first().find({Clock::kEpoch, 0});
    if (epoch != clocks_.first().end()) other["begins_at_unix_seconds"] = epoch->second;
    out << ",\n\"otherData\": " << JsonText(other) << "\n}\n";
  }

 private:
  void AddCompilations(TraceStream& trace) const {
    for (const Compilation& compilation : session_.compilations()) {
      const std::optional<Moment> moment = clocks_.At(compilation);
      if (!moment) continue;
      const std::string_view function = session_.text(compilation.function);
      const std::string_view id = session_.text(compilation.compile_id);
      std::string name(function.empty() ? "compile" : function);
      if (!id.empty()) name.append(" [").append(id).append("]");
      Json args = {{"compile_id", id}, {"outcome", CompileOutcomeName(compilation.outcome)}};
      if (compilation.file != StrId::kNone) {
        args["function"] = std::string(session_.text(compilation.file)) + ":" +
                           std::to_string(compilation.function_line);
      }
      const auto add_seconds = [&](const char* key, const std::optional<double>& seconds) {
        if (seconds) args[key] = *seconds;
      };
      add_seconds("backend_seconds", compilation.seconds.backend);
      add_seconds("inductor_seconds", compilation.seconds.inductor);
      add_seconds("code_gen_seconds", compilation.seconds.code_gen);
      add_seconds("before_restart_seconds", compilation.seconds.before_restart);
      if (compilation.cache != CacheOutcome::kNone) {
        args["cache"] = CacheOutcomeName(compilation.cache);
      }
      trace.Add(*moment, compilation.rank, kCompilations, "compilations", name,
                compilation.seconds.total, args);
    }
  }

  void AddSpans(TraceStream& trace) const {
    std::map<std::tuple<uint32_t, int32_t, StrId>, double> ends;
    for (const Span& span : session_.spans()) {
      std::optional<Moment> moment = clocks_.At(span);
      std::string name(session_.text(span.name));
      const std::string_view id = session_.text(span.compile_id);
      Json args = Json::object();
      if (!id.empty()) args["compile_id"] = id;
      switch (span.kind) {
        case SpanKind::kStep: {
          if (!moment && span.clock == Clock::kUnknown) {
            double& end = ends[{span.input, span.rank, span.process}];
            moment = clocks_.At(Clock::kRelative, span.input, end);
            end += span.seconds;
          }
          if (!moment) break;
          name = span.number < 0 ? "step" : "step " + std::to_string(span.number);
          trace.Add(*moment, span.rank, kSteps + span.input,
                    "steps of " + session_.inputs()[span.input].name, name, span.seconds, args);
          break;
        }
        case SpanKind::kCompile:
        case SpanKind::kCompilePhase:
          if (!moment) break;
          if (span.kind == SpanKind::kCompile && !id.empty()) name.append(" [").append(id) += "]";
          trace.Add(*moment, span.rank, kPhases, "phases of compilation", name, span.seconds, args);
          break;
        case SpanKind::kCudagraphRecord:
        case SpanKind::kGarbageCollection:
          if (!moment) break;
          trace.Add(*moment, span.rank, kPauses, "CUDA graphs and garbage", name, span.seconds,
                    args);
          break;
        case SpanKind::kOtherProcess:
          if (!moment) break;
          args["process"] = session_.text(span.process);
          // Functions of several threads overlap: moments on a track may overlap, spans may not.
          args["seconds"] = span.seconds;
          trace.Add(*moment, span.rank, kOtherProcesses, "other processes", name, std::nullopt,
                    args);
          break;
      }
    }
  }

  /// The slow steps again, by what each coincides with.
  void AddSlowSteps(TraceStream& trace) const {
    for (const StepTrack& track : result_.steps.tracks) {
      const Clock clock = clocks_.ClockOf(track);
      for (const SlowStep& slow : track.slow) {
        const bool is_stall = slow.cause == SlowCause::kUnexplained && track.stall;
        std::string name(is_stall ? std::string_view("stall") : SlowCauseName(slow.cause));
        if (!slow.function.function.empty()) name += " " + slow.function.function;
        const std::optional<Moment> moment = clocks_.At(clock, track.input, slow.begin);
        if (!moment) continue;
        Json args = {{"beyond_median_seconds", slow.seconds - track.median},
                     {"compared", StepComparisonName(track.comparison)}};
        if (!slow.compile_id.empty()) args["compile_id"] = slow.compile_id;
        trace.Add(*moment, track.rank, kSlowSteps + track.input,
                  "slow steps of " + session_.inputs()[track.input].name, name, slow.seconds, args);
      }
    }
  }

  /// Adds each finding at each of its events. Returns the number of events without a time.
  uint64_t AddFindings(TraceStream& trace) const {
    uint64_t num_untimed = 0;
    for (const Finding& finding : result_.findings) {
      const std::string name = finding.rule + " " + finding.name;
      const Json args = {{"message", finding.message},
                         {"severity", SeverityName(finding.severity)},
                         {"fingerprint", finding.fingerprint}};
      for (const size_t index : finding.events) {
        const Event& event = session_.events()[index];
        if (const std::optional<Moment> moment = clocks_.At(event)) {
          trace.Add(*moment, event.rank, kFindings, "findings", name, std::nullopt, args);
        } else {
          ++num_untimed;
        }
      }
    }
    return num_untimed;
  }

  const LintResult& result_;
  const Session& session_;
  RunClocks clocks_;
};

}  // namespace

void WriteLintPerfetto(const LintResult& result, const Session& session,
                       const ReportOptions& options, llvm::raw_ostream& out) {
  Timeline(result, session).Write(options, out);
}

}  // namespace shapewise
