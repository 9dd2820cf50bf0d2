// The passes from spans to a report of steps.

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "timeline/step_parts.h"
#include "timeline/timeline.h"

namespace shapewise {
namespace {

// An incident explains a step if it covers this share of the excess duration.
constexpr double kMinCovered = 0.5;

// Times in a log are rounded to milliseconds.
constexpr double kStepRounding = 0.002;

/// An incident in the clock of the steps.
struct PlacedIncident {
  double begin = 0;
  double end = 0;  ///< == begin: only the moment is known
  const Incident* incident = nullptr;
};

/// The start of `incident` in the clock of `series`; absent: not comparable.
std::optional<double> BeginBy(const StepSeries& series, const Incident& incident,
                              std::optional<double> epoch_minus_local) {
  return ByClock(incident.begin, incident.clock, incident.input, series.clock, series.input,
                 epoch_minus_local);
}

bool IsSameProcess(int32_t a, int32_t b) { return a == b || a == kNoRank || b == kNoRank; }

/// Total length of the union of [begin, end] intervals within [from, to]; `intervals` must be
/// sorted.
double Covered(const std::vector<PlacedIncident>& intervals, double from, double to) {
  double covered = 0;
  double reached = from;
  for (const PlacedIncident& interval : intervals) {
    const double begin = std::max(reached, interval.begin);
    const double end = std::min(to, interval.end);
    if (end <= begin) continue;
    covered += end - begin;
    reached = end;
  }
  return covered;
}

/// The result for one step.
struct Coincidence {
  SlowCause cause = SlowCause::kUnexplained;
  const Incident* main = nullptr;  ///< the one that covers most
  std::vector<size_t> events;
};

/// The cause of a step [from, to] that took `excess` too long, from the incidents that overlap it,
/// sorted by start.
Coincidence Weigh(const std::vector<PlacedIncident>& touching, double from, double to,
                  double excess) {
  constexpr SlowCause kCauses[] = {SlowCause::kRecompile, SlowCause::kCompile,
                                   SlowCause::kCudagraph, SlowCause::kGarbageCollection};
  const auto of_cause = [&](SlowCause cause) {
    std::vector<PlacedIncident> some;
    for (const PlacedIncident& placed : touching) {
      if (placed.incident->cause == cause) some.push_back(placed);
    }
    return some;
  };
  SlowCause best = SlowCause::kUnexplained;
  double most = 0;
  for (const SlowCause cause : kCauses) {
    const double covered = Covered(of_cause(cause), from, to);
    // A collection inside a compilation is part of the compilation.
    if (covered > most * 1.001) std::tie(best, most) = std::pair(cause, covered);
  }
  if (Covered(touching, from, to) < kMinCovered * excess) {
    best = SlowCause::kUnexplained;
    for (const SlowCause cause : kCauses) {
      const std::vector<PlacedIncident> some = of_cause(cause);
      const bool has_moment = std::ranges::any_of(
          some, [](const PlacedIncident& placed) { return !placed.incident->seconds.has_value(); });
      if (has_moment && best == SlowCause::kUnexplained) best = cause;
    }
  }
  Coincidence coincidence;
  coincidence.cause = best;
  double longest = -1;
  for (const PlacedIncident& placed : touching) {
    if (placed.incident->cause != best) continue;
    if (placed.incident->event) coincidence.events.push_back(*placed.incident->event);
    const double length = std::min(to, placed.end) - std::max(from, placed.begin);
    // Prefer an incident that names the function.
    const bool is_named = placed.incident->function != StrId::kNone;
    const bool main_is_named =
        coincidence.main != nullptr && coincidence.main->function != StrId::kNone;
    if (std::pair(is_named, length) > std::pair(main_is_named, longest)) {
      longest = length;
      coincidence.main = placed.incident;
    }
  }
  std::ranges::sort(coincidence.events);
  return coincidence;
}

/// The incidents of this process in the clock of its steps, sorted by start.
std::vector<PlacedIncident> PlaceByClock(const StepSeries& series,
                                         const std::vector<Incident>& incidents,
                                         std::optional<double> epoch_minus_local) {
  std::vector<PlacedIncident> placed;
  for (const Incident& incident : incidents) {
    if (!IsSameProcess(incident.rank, series.rank)) continue;
    const auto begin = BeginBy(series, incident, epoch_minus_local);
    if (begin) placed.push_back({*begin, *begin + incident.seconds.value_or(0), &incident});
  }
  std::ranges::stable_sort(placed, [](const PlacedIncident& a, const PlacedIncident& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  return placed;
}

/// Walks steps and incidents in parallel. Steps must be requested in order of their start.
class StepWalk {
 public:
  StepWalk(double median, std::vector<PlacedIncident> placed)
      : median_(median), placed_(std::move(placed)) {}

  Coincidence At(const TimedStep& step) {
    const double from = step.begin - kStepRounding;
    const double to = step.begin + step.seconds + kStepRounding;
    for (; next_ < placed_.size() && placed_[next_].begin <= to; ++next_) {
      // A real run never has this many at once.
      if (open_.size() < kMaxOpen) open_.push_back(placed_[next_]);
    }
    std::erase_if(open_, [&](const PlacedIncident& incident) { return incident.end < from; });
    std::vector<PlacedIncident> touching;
    for (const PlacedIncident& incident : open_) {
      if (incident.begin <= to) touching.push_back(incident);
    }
    return Weigh(touching, step.begin, step.begin + step.seconds, step.seconds - median_);
  }

 private:
  static constexpr size_t kMaxOpen = 1024;

  const double median_;
  std::vector<PlacedIncident> placed_;
  std::vector<PlacedIncident> open_;  ///< may overlap this step or a later one
  size_t next_ = 0;                   ///< first unvisited element of placed_
};

/// What is logged between the lines of a step and the previous one.
Coincidence ByLines(const TimedStep& step, double median,
                    const std::vector<const Incident*>& by_line) {
  auto at = std::lower_bound(
      by_line.begin(), by_line.end(), step.previous_line,
      [](const Incident* incident, uint64_t line) { return incident->line < line; });
  std::vector<PlacedIncident> touching;
  for (; at != by_line.end() && (*at)->line <= step.line; ++at) {
    // Its duration is known, but not its position; it is assumed to be within the step.
    touching.push_back({0, std::min(step.seconds, (*at)->seconds.value_or(0)), *at});
  }
  return Weigh(touching, 0, step.seconds, step.seconds - median);
}

/// Matches `incidents` with the slow steps of `series`, and says by which comparison.
///
/// An incident explains a step if it covers at least half of the step's excess over the median, or,
/// if only its moment is known, if it falls within the step. Without a common clock, incidents of
/// the same log between the lines of two steps belong to the second one, because steps are printed
/// when they end.
StepTrack ExplainSteps(const StepSeries& series, const std::vector<Incident>& incidents,
                       std::optional<double> epoch_minus_local, const Session& session) {
  StepTrack track;
  track.input = series.input;
  track.rank = series.rank;
  track.process = session.text(series.process);
  track.steps = series.steps.size();
  track.median = series.median;
  track.deviation = series.deviation;
  track.slow_from = series.slow_from.value_or(0);
  track.total = series.total;

  StepWalk walk(series.median, PlaceByClock(series, incidents, epoch_minus_local));
  std::vector<const Incident*> by_line;
  bool has_incident = false;
  bool has_clock = false;
  for (const Incident& incident : incidents) {
    if (!IsSameProcess(incident.rank, series.rank)) continue;
    has_incident = true;
    has_clock |= BeginBy(series, incident, epoch_minus_local).has_value();
    if (incident.input == series.input) by_line.push_back(&incident);
  }
  std::ranges::stable_sort(by_line,
                           [](const Incident* a, const Incident* b) { return a->line < b->line; });
  const std::string& format = session.inputs()[series.input].format;
  if (has_clock || (format == "chrome-trace" && series.clock != Clock::kUnknown)) {
    // A profile shows compilations itself, so their absence means that nothing was compiled.
    track.comparison = StepComparison::kClock;
  } else if (!by_line.empty() && format == "torch-log") {
    track.comparison = StepComparison::kLines;
  } else {
    track.comparison = has_incident ? StepComparison::kNoClock : StepComparison::kNothing;
  }

  for (size_t i = 0; i < series.steps.size(); ++i) {
    const TimedStep& step = series.steps[i];
    if (!series.IsSlow(step)) continue;
    Coincidence coincidence;
    if (track.comparison == StepComparison::kClock) coincidence = walk.At(step);
    if (track.comparison == StepComparison::kLines) {
      coincidence = ByLines(step, series.median, by_line);
    }
    SlowStep slow;
    slow.index = i;
    slow.number = step.number;
    slow.line = step.line;
    slow.begin = step.begin;
    slow.seconds = step.seconds;
    slow.cause = coincidence.cause;
    if (slow.cause == SlowCause::kUnexplained && i == 0) slow.cause = SlowCause::kFirstStep;
    if (coincidence.main != nullptr) {
      const Incident& main = *coincidence.main;
      slow.compile_id = session.text(main.compile_id);
      slow.function = {std::string(session.text(main.function)),
                       std::string(session.text(main.file)), main.function_line};
    }
    slow.events = std::move(coincidence.events);
    track.slow.push_back(std::move(slow));
  }
  return track;
}

}  // namespace

StepReport CompareSteps(const Session& session) {
  StepReport report;
  // Align the clocks of the inputs where two of them are known for the same event.
  report.epoch_minus_local = FindEpochMinusLocal(session);

  const std::vector<StepSeries> all_series = FindStepSeries(session);
  if (all_series.empty()) return report;
  const std::vector<Incident> incidents = FindIncidents(session);
  for (const StepSeries& series : all_series) {
    // Match slow steps with what may have caused them.
    StepTrack track = ExplainSteps(series, incidents, report.epoch_minus_local, session);

    // Look for a period in the rest, and for what else ran then.
    track.stall = FindStall(series, track);
    if (track.stall) FindCompany(series, track, report.epoch_minus_local, session, *track.stall);
    report.tracks.push_back(std::move(track));
  }
  return report;
}

}  // namespace shapewise
