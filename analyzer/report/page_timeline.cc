// The timeline section of a page: its tables, and the data from which the script draws it, in
// columns instead of objects, with each text once, so that ten thousand compilations stay small.

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "model/compile_number.h"
#include "model/session.h"
#include "report/page_sections.h"
#include "report/run_clocks.h"
#include "report/run_text.h"
#include "report/text_finding.h"
#include "result/finding.h"

namespace shapewise {
namespace {

/// The kind of a mark.
enum class TimelineMarkKind : uint8_t {
  kCompile,     ///< "compile": the first compilation of a function
  kRecompile,   ///< "recompile": a later one
  kBackward,    ///< "backward": of a backward graph
  kFailed,      ///< "failed": it raised
  kEmpty,       ///< "empty": nothing to compile
  kUnfinished,  ///< "unfinished": its end is not in the log
  kMiss,        ///< "miss": a recompile known only from its record
  kLimit,       ///< "limit": a recompile limit was hit
  kBreak,       ///< "break"
  kSkipped,     ///< "skipped": a frame that is not compiled
  kError,       ///< "error"
  kProfile,     ///< "profile": a compilation, from a profile
  kPause,       ///< "pause": a CUDA graph was recorded, or garbage collected
  kStep,        ///< "step": one step, or several neighbouring ones
  kSlow,        ///< "slow": a slow step
  kStall,       ///< "stall": a periodic slow step
};

/// The unit of the marks in a lane.
struct TimelineClock {
  std::string name;       ///< ", by local time"; empty: only one clock, or Unix time
  bool is_lines = false;  ///< lines of an input, because no time is printed; else microseconds
  friend auto operator<=>(const TimelineClock&, const TimelineClock&) = default;
};

struct TimelineLane {
  size_t clock = 0;  ///< into TimelineMarks::clocks
  int32_t rank = kNoRank;
  std::string name;   ///< of a function; for steps, the input
  std::string place;  ///< "model.py:12"
  bool is_of_steps = false;
  double seconds = 0;  ///< total of its marks
};

struct TimelineMark {
  size_t lane = 0;
  double at = 0;                  ///< since the start of the clock
  std::optional<double> seconds;  ///< absent: a moment, or unknown
  TimelineMarkKind kind = TimelineMarkKind::kCompile;
  std::optional<size_t> cause;  ///< index of its finding
  std::string id;               ///< of the compilation
  std::string note;
  std::optional<double> backend;   ///< seconds
  std::optional<double> inductor;  ///< part of it
  CacheOutcome cache = CacheOutcome::kNone;
};

/// Lanes by clock and rank: steps first, then functions, most expensive first; marks by lane and
/// time.
struct TimelineMarks {
  std::vector<TimelineClock> clocks;
  std::vector<TimelineLane> lanes;
  std::vector<TimelineMark> marks;
  uint64_t left_out = 0;  ///< compilations and events beyond the limit
};

constexpr size_t kMaxCompilations = 50'000;
constexpr size_t kMaxEvents = 20'000;
constexpr size_t kMaxStepMarks = 2'000;  // per process

/// What identifies a lane: clock, rank, name, place.
using LaneKey = std::tuple<size_t, int32_t, std::string, std::string>;

/// One compilation: input, rank, "0/1".
using CompileKey = std::tuple<uint32_t, int32_t, std::string_view>;

TimelineMarkKind KindOf(const Compilation& compilation, std::string_view id) {
  switch (compilation.outcome) {
    case CompileOutcome::kFailed:
      return TimelineMarkKind::kFailed;
    case CompileOutcome::kEmptyGraph:
      return TimelineMarkKind::kEmpty;
    case CompileOutcome::kBackward:
      return TimelineMarkKind::kBackward;
    case CompileOutcome::kUnknown:
      return TimelineMarkKind::kUnfinished;
    case CompileOutcome::kGraph:
      break;
  }
  return IsRecompile(id) ? TimelineMarkKind::kRecompile : TimelineMarkKind::kCompile;
}

std::optional<TimelineMarkKind> KindOf(const EventDetail& detail) {
  switch (detail.kind()) {
    case EventKind::kRecompile:
    case EventKind::kImpliedRecompile:
      return TimelineMarkKind::kMiss;
    case EventKind::kRecompileLimit:
      return TimelineMarkKind::kLimit;
    case EventKind::kGraphBreak:
    case EventKind::kImpliedBreak:
      return TimelineMarkKind::kBreak;
    case EventKind::kSkippedFrame:
      return TimelineMarkKind::kSkipped;
    case EventKind::kCompileError:
    case EventKind::kConstraintViolation:
      return TimelineMarkKind::kError;
    case EventKind::kCompile:
      return TimelineMarkKind::kCompile;
    default:
      return std::nullopt;
  }
}

std::string PlaceOf(std::string_view file, uint32_t line) {
  std::string place(file);
  if (line != 0 && !place.empty()) place += ":" + std::to_string(line);
  return place;
}

/// Collects marks, then puts lanes and marks into a total order.
class Marks {
 public:
  Marks(const LintResult& result, const Session& session, const RunClocks& clocks)
      : result_(result), session_(session), clocks_(clocks) {
    for (size_t i = 0; i < result_.findings.size(); ++i) {
      for (const size_t event : result_.findings[i].events) {
        // Worst first: an event of several findings belongs to the worst.
        if (event < session_.events().size()) cause_of_event_.try_emplace(event, i);
      }
    }
    for (const auto& [event, cause] : cause_of_event_) {
      const Event& one = session_.events()[event];
      if (one.compile_id == StrId::kNone) continue;
      // A compilation is evidence for the cost of guards, but not caused by it.
      if (result_.findings[cause].identity.kind == "guard_cost") continue;
      cause_of_compile_.try_emplace(KeyOf(one.input, one.rank, one.compile_id), cause);
    }
    AddCompilations();
    AddEvents();
    AddSpans();
    AddSlowSteps();
  }

  TimelineMarks Sorted() {
    SortLanes();
    return std::move(gathered_);
  }

 private:
  CompileKey KeyOf(uint32_t input, int32_t rank, StrId id) const {
    return {input, rank, WithoutAttempt(session_.text(id))};
  }

  size_t ClockOf(TimelineClock clock) {
    const auto [known, is_new] = clock_numbers_.try_emplace(clock, clock_numbers_.size());
    if (is_new) gathered_.clocks.push_back(std::move(clock));
    return known->second;
  }

  /// Adds `mark` at a moment, or without one at a line of its input. Returns its clock.
  size_t PutAt(const std::optional<Moment>& moment, uint32_t input, uint64_t line,
               TimelineMark& mark) {
    if (moment) {
      mark.at = std::round(clocks_.Micros(*moment));
      return ClockOf({clocks_.NameOf(moment->group), false});
    }
    mark.at = static_cast<double>(line);
    return ClockOf({", by lines of " + session_.inputs()[input].name, true});
  }

  size_t LaneOf(const LaneKey& key, bool is_of_steps) {
    const auto [known, is_new] = lane_numbers_.try_emplace(key, gathered_.lanes.size());
    if (is_new) {
      const auto& [clock, rank, name, place] = key;
      gathered_.lanes.push_back({clock, rank, name, place, is_of_steps, 0});
    }
    return known->second;
  }

  void Add(TimelineMark mark) {
    gathered_.lanes[mark.lane].seconds += mark.seconds.value_or(0);
    gathered_.marks.push_back(std::move(mark));
  }

  void AddCompilations() {
    size_t count = 0;
    for (const Compilation& compilation : session_.compilations()) {
      has_compilation_.insert(KeyOf(compilation.input, compilation.rank, compilation.compile_id));
      if (++count > kMaxCompilations) {
        ++gathered_.left_out;
        continue;
      }
      TimelineMark mark;
      const size_t clock =
          PutAt(clocks_.At(compilation), compilation.input, compilation.line, mark);
      mark.lane = LaneOf({clock, compilation.rank, std::string(session_.text(compilation.function)),
                          PlaceOf(session_.text(compilation.file), compilation.function_line)},
                         false);
      mark.seconds = compilation.seconds.total;
      mark.id = session_.text(compilation.compile_id);
      mark.kind = KindOf(compilation, mark.id);
      const auto cause = cause_of_compile_.find(
          KeyOf(compilation.input, compilation.rank, compilation.compile_id));
      if (cause != cause_of_compile_.end()) mark.cause = cause->second;
      mark.note = session_.text(compilation.fail_type);
      mark.backend = compilation.seconds.backend;
      mark.inductor = compilation.seconds.inductor;
      mark.cache = compilation.cache;
      Add(std::move(mark));
    }
  }

  void AddEvents() {
    size_t count = 0;
    for (size_t index = 0; index < session_.events().size(); ++index) {
      const Event& event = session_.events()[index];
      const EventDetail& detail = session_.detail(event);
      const std::optional<TimelineMarkKind> kind = KindOf(detail);
      if (!kind) continue;
      // Events of a compilation are drawn with it.
      const bool is_of_compile =
          *kind == TimelineMarkKind::kMiss || *kind == TimelineMarkKind::kCompile;
      if (is_of_compile && event.compile_id != StrId::kNone &&
          has_compilation_.contains(KeyOf(event.input, event.rank, event.compile_id))) {
        continue;
      }
      if (++count > kMaxEvents) {
        ++gathered_.left_out;
        continue;
      }
      TimelineMark mark;
      mark.kind = *kind;
      const size_t clock = PutAt(clocks_.At(event), event.input, event.line, mark);
      mark.lane = LaneOf({clock, event.rank, std::string(session_.text(detail.function)),
                          PlaceOf(session_.text(detail.file), detail.function_line)},
                         false);
      mark.id = session_.text(event.compile_id);
      if (const auto* const compile = detail.As<CompileFact>()) {
        mark.seconds = compile->seconds;
        if (IsRecompile(mark.id)) mark.kind = TimelineMarkKind::kRecompile;
      }
      const auto cause = cause_of_event_.find(index);
      if (cause != cause_of_event_.end()) mark.cause = cause->second;
      mark.note = session_.text(detail.type());
      Add(std::move(mark));
    }
  }

  /// Steps of one process in one input.
  struct Steps {
    size_t lane = 0;
    double end = 0;  // end of the previous step, if only durations are known
    std::vector<std::pair<double, double>> steps;  // microseconds, seconds
  };

  void AddSpans() {
    std::map<std::tuple<uint32_t, int32_t, StrId>, Steps> by_process;
    for (const Span& span : session_.spans()) {
      std::optional<Moment> moment = clocks_.At(span);
      if (span.kind == SpanKind::kStep) {
        Steps& steps = by_process[{span.input, span.rank, span.process}];
        if (!moment && span.clock == Clock::kUnknown) {
          moment = clocks_.At(Clock::kRelative, span.input, steps.end);
          steps.end += span.seconds;
        }
        if (!moment) continue;
        if (steps.steps.empty()) {
          steps.lane = LaneOf({ClockOf({clocks_.NameOf(moment->group), false}), span.rank,
                               "steps of " + session_.inputs()[span.input].name,
                               std::string(session_.text(span.process))},
                              true);
        }
        steps.steps.emplace_back(std::round(clocks_.Micros(*moment)), span.seconds);
        continue;
      }
      const bool is_pause =
          span.kind == SpanKind::kCudagraphRecord || span.kind == SpanKind::kGarbageCollection;
      if (!moment || (!is_pause && span.kind != SpanKind::kCompile)) continue;
      if (++num_pauses_ > kMaxEvents) {
        ++gathered_.left_out;
        continue;
      }
      TimelineMark mark;
      mark.kind = is_pause ? TimelineMarkKind::kPause : TimelineMarkKind::kProfile;
      const size_t clock = PutAt(moment, span.input, span.line, mark);
      const char* name = is_pause ? "CUDA graphs and garbage" : "compilations in a profile";
      mark.lane = LaneOf({clock, span.rank, name, session_.inputs()[span.input].name}, true);
      mark.seconds = span.seconds;
      mark.id = session_.text(span.compile_id);
      mark.note = session_.text(span.name);
      Add(std::move(mark));
    }
    for (const auto& [process, steps] : by_process) AddSteps(steps);
  }

  /// Merges neighbouring steps so that at most kMaxStepMarks are left.
  void AddSteps(const Steps& steps) {
    const size_t count = steps.steps.size();
    const size_t together = (count + kMaxStepMarks - 1) / kMaxStepMarks;
    for (size_t begin = 0; begin < count; begin += together) {
      const size_t end = std::min(begin + together, count);
      double slowest = 0;
      for (size_t i = begin; i < end; ++i) slowest = std::max(slowest, steps.steps[i].second);
      TimelineMark mark;
      mark.lane = steps.lane;
      mark.kind = TimelineMarkKind::kStep;
      mark.at = steps.steps[begin].first;
      const auto& [last_at, last_seconds] = steps.steps[end - 1];
      mark.seconds = (last_at - mark.at) / 1e6 + last_seconds;
      if (end - begin > 1) {
        mark.note = std::to_string(end - begin) + " steps, the slowest " +
                    std::to_string(std::llround(slowest * 1e3)) + " ms";
      }
      Add(std::move(mark));
    }
  }

  void AddSlowSteps() {
    for (const StepTrack& track : result_.steps.tracks) {
      const Clock clock = clocks_.ClockOf(track);
      for (const SlowStep& slow : track.slow) {
        const std::optional<Moment> moment = clocks_.At(clock, track.input, slow.begin);
        if (!moment) continue;
        const bool is_stall = slow.cause == SlowCause::kUnexplained && track.stall;
        TimelineMark mark;
        mark.kind = is_stall ? TimelineMarkKind::kStall : TimelineMarkKind::kSlow;
        const size_t group = PutAt(moment, track.input, slow.line, mark);
        mark.lane = LaneOf({group, track.rank,
                            "slow steps of " + session_.inputs()[track.input].name, track.process},
                           true);
        mark.seconds = slow.seconds;
        mark.id = slow.compile_id;
        mark.note = SlowCauseName(slow.cause);
        if (!slow.function.function.empty()) mark.note += ": " + slow.function.function;
        if (slow.number >= 0) mark.note += ", step " + std::to_string(slow.number);
        Add(std::move(mark));
      }
    }
  }

  void SortLanes() {
    std::vector<TimelineLane>& lanes = gathered_.lanes;
    std::vector<size_t> order(lanes.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&lanes](size_t i) {
      const TimelineLane& lane = lanes[i];
      return std::make_tuple(lane.clock, lane.rank, !lane.is_of_steps, -lane.seconds,
                             std::string_view(lane.name), std::string_view(lane.place));
    });
    std::vector<size_t> number(order.size());
    std::vector<TimelineLane> sorted;
    for (size_t i = 0; i < order.size(); ++i) number[order[i]] = i;
    for (const size_t i : order) sorted.push_back(std::move(lanes[i]));
    lanes = std::move(sorted);
    for (TimelineMark& mark : gathered_.marks) mark.lane = number[mark.lane];
    std::ranges::stable_sort(gathered_.marks, {}, [](const TimelineMark& mark) {
      return std::make_pair(mark.lane, mark.at);
    });
  }

  const LintResult& result_;
  const Session& session_;
  const RunClocks& clocks_;
  TimelineMarks gathered_;
  std::map<size_t, size_t> cause_of_event_;
  std::map<CompileKey, size_t> cause_of_compile_;
  std::set<CompileKey> has_compilation_;
  std::map<TimelineClock, size_t> clock_numbers_;
  std::map<LaneKey, size_t> lane_numbers_;
  uint64_t num_pauses_ = 0;
};

// Indexed by TimelineMarkKind.
constexpr std::string_view kMarkKindNames[] = {
    "compile", "recompile", "backward", "failed",  "empty", "unfinished", "miss", "limit",
    "break",   "skipped",   "error",    "profile", "pause", "step",       "slow", "stall",
};
static_assert(std::size(kMarkKindNames) == static_cast<size_t>(TimelineMarkKind::kStall) + 1);

TimelineMarks GatherMarks(const LintResult& result, const Session& session,
                          const RunClocks& clocks) {
  return Marks(result, session, clocks).Sorted();
}

constexpr size_t kMaxFunctions = 100;
constexpr size_t kMaxSlowSteps = 100;

std::string OrUnknown(const std::optional<double>& seconds) {
  return seconds ? SecondsText(*seconds) : "unknown";
}

using Align = Document::Table::Align;

void AddFunctionTable(const std::vector<FunctionCost>& functions, Document& page) {
  if (functions.empty()) {
    return AddNothing(
        "The compile time of each function is unknown; a run with TORCH_TRACE=DIR records it.",
        page);
  }
  page.AddTitle("Seconds by function", Document::TitleKind::kFolded);
  Document::Table table({{"Function", Align::kLeft, TextStyle::kCode},
                         {"Compiles"},
                         {"Recompiles"},
                         {"Failed"},
                         {"Seconds"},
                         {"Of it recompiles"},
                         {"Phases", Align::kLeft}});
  table.caption = "Compile time of each function, over all processes, most expensive first";
  const size_t shown = std::min(functions.size(), kMaxFunctions);
  for (size_t i = 0; i < shown; ++i) {
    const FunctionCost& function = functions[i];
    table.Row({PlaceText(function.where), std::to_string(function.compiles),
               std::to_string(function.recompiles), std::to_string(function.failed),
               OrUnknown(function.seconds), OrUnknown(function.recompile_seconds),
               PhasesText(function.phases)});
  }
  page.AddTable(std::move(table));
  AddMore(shown, functions.size(), "function", page);
}

/// "every 30.1 s, 12 times, 0.42 s each; smap_gather_stats ran during 11 of them"
std::string StallText(const Stall& stall) {
  std::string text = "A stall with no compilation comes back every ";
  text += stall.is_by_steps ? Counted(static_cast<uint64_t>(stall.period_steps), "step")
                            : SecondsText(stall.period);
  text += ": " + Counted(stall.count, "time") + ", " + StepText(stall.seconds) + " each, " +
          SecondsText(stall.total_seconds) + " in all";
  if (!stall.company) return text + ".";
  const StallCompanion& company = *stall.company;
  text += "; " + company.function + " of " + company.process + " ran during " +
          std::to_string(company.stalls_with) + " of them and during " +
          std::to_string(company.others_with) + " of " + std::to_string(company.others) +
          " other steps";
  return text + ".";
}

void AddSlowSteps(const PageInput& input, Document& page) {
  size_t count = 0;
  for (const StepTrack& track : input.result.steps.tracks) {
    count += track.slow.size();
    if (track.stall) page.Begin(0).Add(StallText(*track.stall));
  }
  if (count == 0) return;
  page.AddTitle("Slow steps (" + std::to_string(count) + ")", Document::TitleKind::kFolded);
  Document::Table table({{"Input", Align::kLeft},
                         {"Rank"},
                         {"Step"},
                         {"Took"},
                         {"Others"},
                         {"With", Align::kLeft},
                         {"Function", Align::kLeft, TextStyle::kCode}});
  table.caption = "Steps that took longer than others, in order of time";
  for (const StepTrack& track : input.result.steps.tracks) {
    for (const SlowStep& slow : track.slow) {
      if (table.rows.size() == kMaxSlowSteps) break;
      const bool is_stall = slow.cause == SlowCause::kUnexplained && track.stall;
      table.Row({input.session.inputs()[track.input].name,
                 track.rank < 0 ? "" : std::to_string(track.rank),
                 slow.number < 0 ? std::to_string(slow.index) : std::to_string(slow.number),
                 StepText(slow.seconds), StepText(track.median),
                 is_stall ? "stall" : std::string(SlowCauseName(slow.cause)),
                 PlaceText(slow.function)});
    }
  }
  page.AddTable(std::move(table));
  AddMore(std::min(count, kMaxSlowSteps), count, "slow step", page);
}

/// Numbers texts in order of first occurrence.
class TextNumbers {
 public:
  size_t NumberOf(const std::string& text) {
    const auto [known, is_new] = numbers_.try_emplace(text, numbers_.size());
    if (is_new) texts_.push_back(text);
    return known->second;
  }
  Json Texts() { return std::move(texts_); }

 private:
  std::map<std::string, size_t> numbers_;
  Json texts_ = Json::array();
};

Json MicrosOf(const std::optional<double>& seconds) {
  return seconds && std::isfinite(*seconds) ? Json(std::llround(*seconds * 1e6)) : Json();
}

Json LanesJson(const TimelineMarks& timeline) {
  return ListJson(timeline.lanes, [](const TimelineLane& lane) -> Json {
    return {{"clock", lane.clock},
            {"rank", lane.rank == kNoRank ? Json() : Json(lane.rank)},
            {"name", lane.name},
            {"place", lane.place}};
  });
}

Json MarksJson(const TimelineMarks& timeline, TextNumbers& texts) {
  Json columns;
  for (const char* name :
       {"lane", "at", "us", "kind", "cause", "id", "note", "backend", "inductor", "cache"}) {
    columns[name] = Json::array();
  }
  for (const TimelineMark& mark : timeline.marks) {
    columns["lane"].push_back(mark.lane);
    columns["at"].push_back(std::llround(mark.at));
    columns["us"].push_back(MicrosOf(mark.seconds));
    columns["kind"].push_back(static_cast<uint8_t>(mark.kind));
    columns["cause"].push_back(mark.cause ? static_cast<int64_t>(*mark.cause) : -1);
    columns["id"].push_back(texts.NumberOf(mark.id));
    columns["note"].push_back(texts.NumberOf(mark.note));
    columns["backend"].push_back(MicrosOf(mark.backend));
    columns["inductor"].push_back(MicrosOf(mark.inductor));
    columns["cache"].push_back(texts.NumberOf(std::string(CacheOutcomeName(mark.cache))));
  }
  return columns;
}

}  // namespace

void AddTimeline(const PageInput& input, Document& page) {
  page.AddTitle("Timeline", Document::TitleKind::kSection, "timeline");
  const Session& session = input.session;
  if (session.compilations().empty() && session.events().empty() && session.spans().empty()) {
    AddNothing("No compilation, event or step is in the input: TORCH_TRACE=DIR records them.",
               page);
  } else {
    page.Anchor("timeline-view").Begin(0);
    page.Add("The drawing needs JavaScript; the tables below do not.");
  }
  if (input.result.steps.tracks.empty()) {
    AddNothing(
        "The steps are unknown: add a profile of torch.profiler or a table time,seconds to the "
        "log, or --steps to read the program's own prints.",
        page);
  }
  AddSlowSteps(input, page);
  AddFunctionTable(input.result.functions, page);
}

Json TimelineJson(const PageInput& input) {
  const TimelineMarks timeline = GatherMarks(input.result, input.session, input.clocks);
  Json clocks = ListJson(timeline.clocks, [](const TimelineClock& clock) -> Json {
    return {{"name", clock.name}, {"unit", clock.is_lines ? "line" : "s"}};
  });
  TextNumbers texts;
  Json marks = MarksJson(timeline, texts);
  return {{"kinds", kMarkKindNames},      {"clocks", std::move(clocks)},
          {"lanes", LanesJson(timeline)}, {"left_out", timeline.left_out},
          {"marks", std::move(marks)},    {"texts", texts.Texts()}};
}

}  // namespace shapewise
