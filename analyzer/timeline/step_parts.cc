#include "timeline/step_parts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

#include "model/compile_number.h"
#include "support/median.h"

namespace shapewise {
namespace {

// Fewer steps have no meaningful baseline.
constexpr size_t kMinSteps = 8;

// A step is slow if it exceeds the median by all of these: a number of standard deviations
// (estimated from the median absolute deviation), a share of the median, and a time above the
// resolution of log clocks.
constexpr double kSlowDeviations = 6;
constexpr double kDeviationOfMad = 1.4826;  // for a normal distribution
constexpr double kSlowPart = 0.1;
constexpr double kMinSlowSeconds = 0.001;

void Measure(StepSeries& series) {
  std::vector<double> values;
  for (const TimedStep& step : series.steps) {
    values.push_back(step.seconds);
    series.total += step.seconds;
  }
  series.median = MedianOf(values);
  for (double& value : values) value = std::abs(value - series.median);
  series.deviation = MedianOf(values);
  if (series.steps.size() < kMinSteps || !(series.median > 0)) return;
  series.slow_from = series.median + std::max({kSlowDeviations * kDeviationOfMad * series.deviation,
                                               kSlowPart * series.median, kMinSlowSeconds});
}

// Time zones differ by quarters of an hour, years by whole days.
constexpr double kGrid = 900;

// A compilation is logged at its start or end: the two clocks may differ by its length, or by this
// much.
constexpr double kSlack = 2;

/// Collects the offsets that each compilation allows.
class Votes {
 public:
  /// Adds one compilation's bounds for the offset.
  void Add(double low, double high) {
    const double offset = std::round((low + high) / 2 / kGrid) * kGrid;
    // Compilations longer than the grid are useless: more than one offset would fit.
    if (high - low > kGrid / 4) return;
    ++num_;
    if (offset >= low - kSlack && offset <= high + kSlack) ++by_offset_[offset];
  }

  std::optional<double> Winner() const {
    std::optional<double> winner;
    uint64_t most = 0;
    for (const auto& [offset, count] : by_offset_) {
      if (count <= most) continue;
      most = count;
      winner = offset;
    }
    return most * 2 >= num_ ? winner : std::nullopt;
  }

 private:
  std::map<double, uint64_t> by_offset_;
  uint64_t num_ = 0;
};

/// The functions of compile ids, from any record that contains both.
class Functions {
 public:
  explicit Functions(const Session& session) : session_(session) {
    for (const Compilation& compilation : session.compilations()) {
      Add(compilation.rank, compilation.compile_id,
          {compilation.function, compilation.file, compilation.function_line});
    }
    for (const Event& event : session.events()) {
      const EventDetail& detail = session.detail(event);
      Add(event.rank, event.compile_id, {detail.function, detail.file, detail.function_line});
    }
  }

  /// Fills in the function of `incident` by its compile id, if missing.
  void Name(Incident& incident) const {
    if (incident.function != StrId::kNone || incident.compile_id == StrId::kNone) return;
    const std::string_view frame = FrameOf(session_.text(incident.compile_id));
    auto found = by_frame_.find({incident.rank, frame});
    if (found == by_frame_.end()) found = by_frame_.find({kNoRank, frame});
    if (found == by_frame_.end()) return;
    std::tie(incident.function, incident.file, incident.function_line) = found->second;
  }

 private:
  using Function = std::tuple<StrId, StrId, uint32_t>;

  void Add(int32_t rank, StrId compile_id, const Function& function) {
    if (compile_id == StrId::kNone || std::get<0>(function) == StrId::kNone) return;
    by_frame_.try_emplace({rank, FrameOf(session_.text(compile_id))}, function);
  }

  const Session& session_;
  std::map<std::pair<int32_t, std::string_view>, Function> by_frame_;
};

/// What records of all kinds show of an incident: an event, a compilation or a span.
template <typename Record>
Incident FromRecord(const Record& record, SlowCause cause) {
  Incident incident;
  incident.cause = cause;
  incident.input = record.input;
  incident.line = record.line;
  incident.rank = record.rank;
  incident.compile_id = record.compile_id;
  return incident;
}

/// The cause of a compilation with this id.
SlowCause CauseOf(const Session& session, StrId compile_id) {
  return IsRecompile(session.text(compile_id)) ? SlowCause::kRecompile : SlowCause::kCompile;
}

Incident FromEvent(const Session& session, size_t index, SlowCause cause) {
  const Event& event = session.events()[index];
  const EventDetail& detail = session.detail(event);
  Incident incident = FromRecord(event, cause);
  if (const std::optional<double> local = LocalSeconds(event.time)) {
    incident.clock = Clock::kLocal;
    incident.begin = *local;
  }
  if (const auto* const compile = detail.As<CompileFact>();
      compile != nullptr && compile->seconds) {
    incident.seconds = compile->seconds;
    incident.begin -= *compile->seconds;  // logged at its end
  }
  incident.function = detail.function;
  incident.file = detail.file;
  incident.function_line = detail.function_line;
  incident.event = index;
  return incident;
}

Incident FromCompilation(const Session& session, const Compilation& compilation) {
  Incident incident = FromRecord(compilation, CauseOf(session, compilation.compile_id));
  incident.seconds = compilation.seconds.total;
  if (compilation.start > 0) {
    incident.clock = Clock::kEpoch;
    incident.begin = compilation.start;
  } else if (const std::optional<double> local = LocalSeconds(compilation.time)) {
    incident.clock = Clock::kLocal;
    incident.begin = *local - incident.seconds.value_or(0);
  }
  incident.function = compilation.function;
  incident.file = compilation.file;
  incident.function_line = compilation.function_line;
  return incident;
}

Incident FromSpan(const Span& span, SlowCause cause) {
  Incident incident = FromRecord(span, cause);
  incident.clock = span.clock;
  incident.begin = span.begin;
  incident.seconds = span.seconds;
  return incident;
}

}  // namespace

std::vector<StepSeries> FindStepSeries(const Session& session) {
  std::map<std::tuple<uint32_t, int32_t, std::string_view>, StepSeries> by_process;
  for (const Span& span : session.spans()) {
    if (span.kind != SpanKind::kStep) continue;
    StepSeries& series = by_process[{span.input, span.rank, session.text(span.process)}];
    if (series.steps.empty()) {
      series.input = span.input;
      series.rank = span.rank;
      series.process = span.process;
      series.clock = span.clock;
    }
    // One clock per series: an input that stops printing times cannot be compared with anything.
    if (span.clock != series.clock) series.clock = Clock::kUnknown;
    const uint64_t previous = series.steps.empty() ? 0 : series.steps.back().line;
    series.steps.push_back({span.begin, span.seconds, span.number, span.line, previous});
  }

  std::vector<StepSeries> all;
  for (auto& [key, series] : by_process) {
    if (series.clock == Clock::kUnknown) {
      double begin = 0;
      for (TimedStep& step : series.steps) {
        step.begin = begin;
        begin += step.seconds;
      }
    } else {
      std::ranges::stable_sort(
          series.steps, [](const TimedStep& a, const TimedStep& b) { return a.begin < b.begin; });
    }
    Measure(series);
    all.push_back(std::move(series));
  }
  return all;
}

std::optional<double> FindEpochMinusLocal(const Session& session) {
  Votes votes;
  for (const Compilation& compilation : session.compilations()) {
    const std::optional<double> local = LocalSeconds(compilation.time);
    if (!local || compilation.start <= 0 || !compilation.is_finished) continue;
    const double seconds = compilation.seconds.total.value_or(0);
    votes.Add(compilation.start - *local, compilation.start + seconds - *local);
  }
  if (const std::optional<double> offset = votes.Winner()) return offset;

  const bool has_profile = std::ranges::any_of(session.spans(), [](const Span& span) {
    return span.kind == SpanKind::kCompile && span.clock == Clock::kEpoch;
  });
  if (!has_profile) return std::nullopt;

  // The first time at which a log prints a compile id, to compare with its span in the profile.
  std::map<std::pair<int32_t, std::string_view>, double> printed;
  for (const Event& event : session.events()) {
    const std::optional<double> local = LocalSeconds(event.time);
    if (!local || event.compile_id == StrId::kNone) continue;
    printed.try_emplace({event.rank, WithoutAttempt(session.text(event.compile_id))}, *local);
  }
  Votes matches;
  for (const Span& span : session.spans()) {
    if (span.kind != SpanKind::kCompile || span.clock != Clock::kEpoch) continue;
    const std::string_view id = WithoutAttempt(session.text(span.compile_id));
    auto found = printed.find({span.rank, id});
    if (found == printed.end()) found = printed.find({kNoRank, id});
    if (id.empty() || found == printed.end()) continue;
    matches.Add(span.begin - found->second, span.begin + span.seconds - found->second);
  }
  return matches.Winner();
}

std::optional<double> ByClock(double seconds, Clock clock, uint32_t input, Clock wanted_clock,
                              uint32_t wanted_input, std::optional<double> epoch_minus_local) {
  if (clock == Clock::kUnknown || wanted_clock == Clock::kUnknown) return std::nullopt;
  if (clock == Clock::kRelative || wanted_clock == Clock::kRelative) {
    const bool is_same = clock == wanted_clock && input == wanted_input;
    return is_same ? std::optional(seconds) : std::nullopt;
  }
  if (clock == wanted_clock) return seconds;
  if (!epoch_minus_local) return std::nullopt;
  return wanted_clock == Clock::kEpoch ? seconds + *epoch_minus_local
                                       : seconds - *epoch_minus_local;
}

std::vector<Incident> FindIncidents(const Session& session) {
  std::vector<Incident> incidents;
  for (const Compilation& compilation : session.compilations()) {
    incidents.push_back(FromCompilation(session, compilation));
  }
  for (size_t i = 0; i < session.events().size(); ++i) {
    const EventDetail& detail = session.detail(session.events()[i]);
    switch (detail.kind()) {
      case EventKind::kRecompile:
      case EventKind::kImpliedRecompile:
        incidents.push_back(FromEvent(session, i, SlowCause::kRecompile));
        break;
      case EventKind::kCompile:
        incidents.push_back(
            FromEvent(session, i, CauseOf(session, session.events()[i].compile_id)));
        break;
      case EventKind::kCudagraph:
        if (detail.As<CudagraphFact>()->action == CudagraphAction::kRecord) {
          incidents.push_back(FromEvent(session, i, SlowCause::kCudagraph));
        }
        break;
      default:
        break;
    }
  }
  for (const Span& span : session.spans()) {
    switch (span.kind) {
      case SpanKind::kCompile:
        incidents.push_back(FromSpan(span, CauseOf(session, span.compile_id)));
        break;
      case SpanKind::kCudagraphRecord:
        incidents.push_back(FromSpan(span, SlowCause::kCudagraph));
        break;
      case SpanKind::kGarbageCollection:
        incidents.push_back(FromSpan(span, SlowCause::kGarbageCollection));
        break;
      default:
        break;
    }
  }
  const Functions functions(session);
  for (Incident& incident : incidents) functions.Name(incident);
  return incidents;
}

}  // namespace shapewise
