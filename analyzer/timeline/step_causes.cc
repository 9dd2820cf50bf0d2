// Selects what to report about steps, as causes with facts.

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "support/enum_name.h"
#include "timeline/timeline.h"

namespace shapewise {
namespace {

// Unexplained slow steps are reported if there are this many, or if they take this share of the
// run: every machine has an occasional slow step.
constexpr uint64_t kMinUnexplained = 3;
constexpr double kMinUnexplainedPart = 0.02;

/// "0.42 s", "12.5 ms", "3 min 20 s".
std::string DurationText(double seconds) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (seconds < 0.0995) {
    out << llvm::format("%.3g ms", seconds * 1e3);
  } else if (seconds < 9.995) {
    out << llvm::format("%.2f s", seconds);
  } else if (seconds < 119.95) {
    out << llvm::format("%.1f s", seconds);
  } else {
    const auto whole = static_cast<uint64_t>(std::llround(seconds));
    out << whole / 60 << " min " << whole % 60 << " s";
  }
  out.flush();
  return text;
}

std::string_view ComparedText(StepComparison comparison) {
  return EnumName<StepComparison::kNothing>(
      comparison,
      {"by the clock", "by the order of the lines", "not compared: the inputs have no common clock",
       "not compared: no input contains compilations"});
}

bool IsCompared(const StepTrack& track) {
  return track.comparison == StepComparison::kClock || track.comparison == StepComparison::kLines;
}

Cause NewCause(CauseKind kind, const StepTrack& track, const Session& session) {
  Cause cause;
  cause.kind = kind;
  if (track.rank >= 0) cause.ranks = {track.rank};
  cause.message = session.inputs()[track.input].name;
  cause.facts = {{"baseline", DurationText(track.median)},
                 {"compared", std::string(ComparedText(track.comparison))},
                 {"steps", std::to_string(track.steps)}};
  return cause;
}

/// Slow steps that coincide with one kind of incident and, for compilations, one function.
struct Group {
  uint64_t count = 0;
  double excess = 0;
  Place function;
  std::vector<size_t> events;
  std::vector<std::string> numbers;  ///< of the steps
};

std::string StepText(const SlowStep& slow) {
  return slow.number >= 0 ? std::to_string(slow.number) : "#" + std::to_string(slow.index + 1);
}

void AddSlowSteps(const StepTrack& track, const Session& session, std::vector<Cause>& causes) {
  std::map<std::tuple<SlowCause, std::string, std::string, uint32_t>, Group> groups;
  for (const SlowStep& slow : track.slow) {
    // The first step of a run is always slow; a stall is reported by itself.
    if (slow.cause == SlowCause::kFirstStep) continue;
    if (slow.cause == SlowCause::kUnexplained && track.stall) continue;
    Group& group =
        groups[{slow.cause, slow.function.file, slow.function.function, slow.function.line}];
    ++group.count;
    group.excess += slow.seconds - track.median;
    group.function = slow.function;
    group.events.insert(group.events.end(), slow.events.begin(), slow.events.end());
    if (group.numbers.size() < 32) group.numbers.push_back(StepText(slow));
  }
  for (auto& [key, group] : groups) {
    const SlowCause slow_cause = std::get<0>(key);
    if (slow_cause == SlowCause::kUnexplained && group.count < kMinUnexplained &&
        group.excess < kMinUnexplainedPart * track.total) {
      continue;
    }
    Cause cause = NewCause(CauseKind::kSlowSteps, track, session);
    const bool is_compared = slow_cause != SlowCause::kUnexplained || IsCompared(track);
    cause.why = is_compared ? SlowCauseName(slow_cause) : "not-compared";
    cause.where = group.function;
    cause.display_function = group.function.function;
    cause.count = group.count;
    cause.values = std::move(group.numbers);
    cause.distinct_values = group.count;
    cause.cost_seconds = group.excess;
    std::ranges::sort(group.events);
    group.events.erase(std::unique(group.events.begin(), group.events.end()), group.events.end());
    cause.events = std::move(group.events);
    cause.facts.emplace_back("excess", DurationText(group.excess));
    const std::string& function = group.function.function;
    cause.facts.emplace_back("compiled", function.empty() ? "a function" : function);
    cause.facts.emplace_back("slow", std::to_string(group.count) + " of " +
                                         std::to_string(track.steps) + " steps " +
                                         (group.count == 1 ? "is" : "are") + " slow");
    causes.push_back(std::move(cause));
  }
}

void AddStall(const StepTrack& track, const Session& session, std::vector<Cause>& causes) {
  if (!track.stall) return;
  const Stall& stall = *track.stall;
  Cause cause = NewCause(CauseKind::kStall, track, session);
  cause.count = stall.count;
  cause.cost_seconds = stall.total_seconds;
  cause.why = "period";
  if (!IsCompared(track)) cause.why = "not-compared";
  if (stall.is_by_steps) cause.why = "steps";
  if (stall.company) cause.why = stall.company->reads_maps ? "memory-maps" : "other-process";
  const auto fact = [&](std::string_view name, std::string text) {
    cause.facts.emplace_back(name, std::move(text));
  };
  fact("excess", DurationText(stall.total_seconds));
  fact("pause", DurationText(stall.seconds));
  fact("period", DurationText(stall.period));
  fact("jitter", DurationText(stall.jitter));
  fact("regular", std::to_string(stall.regular));
  fact("distances", std::to_string(stall.distances));
  if (stall.is_by_steps) fact("period_steps", std::to_string(stall.period_steps));
  fact("beside", IsCompared(track) ? "no compilation coincides with them"
                                   : "whether compilations coincide with them is not known");
  if (stall.company) {
    fact("process", stall.company->process);
    fact("kernel_function", stall.company->function);
    fact("stalls_with", std::to_string(stall.company->stalls_with));
    fact("others_with", std::to_string(stall.company->others_with));
    fact("others", std::to_string(stall.company->others));
    if (!stall.company->what.empty()) fact("what", stall.company->what);
  }
  causes.push_back(std::move(cause));
}

}  // namespace

std::vector<Cause> StepCauses(const StepReport& report, const Session& session) {
  std::vector<Cause> causes;
  for (const StepTrack& track : report.tracks) {
    AddSlowSteps(track, session, causes);
    AddStall(track, session, causes);
  }
  return causes;
}

}  // namespace shapewise
