// The timeline section of a page: its tables, and the data from which the script draws it, in
// columns instead of objects, with each text once, so that ten thousand compilations stay small.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/page_sections.h"
#include "report/run_text.h"
#include "report/text_finding.h"
#include "report/timeline_marks.h"

namespace shapewise {
namespace {

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
  Json lane = Json::array();
  Json at = Json::array();
  Json micros = Json::array();
  Json kind = Json::array();
  Json cause = Json::array();
  Json id = Json::array();
  Json note = Json::array();
  Json backend = Json::array();
  Json inductor = Json::array();
  Json cache = Json::array();
  for (const TimelineMark& mark : timeline.marks) {
    lane.push_back(mark.lane);
    at.push_back(std::llround(mark.at));
    micros.push_back(MicrosOf(mark.seconds));
    kind.push_back(static_cast<uint8_t>(mark.kind));
    cause.push_back(mark.cause ? static_cast<int64_t>(*mark.cause) : -1);
    id.push_back(texts.NumberOf(mark.id));
    note.push_back(texts.NumberOf(mark.note));
    backend.push_back(MicrosOf(mark.backend));
    inductor.push_back(MicrosOf(mark.inductor));
    cache.push_back(texts.NumberOf(std::string(CacheOutcomeName(mark.cache))));
  }
  return {{"lane", std::move(lane)},         {"at", std::move(at)},
          {"us", std::move(micros)},         {"kind", std::move(kind)},
          {"cause", std::move(cause)},       {"id", std::move(id)},
          {"note", std::move(note)},         {"backend", std::move(backend)},
          {"inductor", std::move(inductor)}, {"cache", std::move(cache)}};
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
  Json kinds = Json::array();
  for (size_t i = 0; i < kNumMarkKinds; ++i) {
    kinds.push_back(MarkKindName(static_cast<TimelineMarkKind>(i)));
  }
  Json clocks = ListJson(timeline.clocks, [](const TimelineClock& clock) -> Json {
    return {{"name", clock.name}, {"unit", clock.is_lines ? "line" : "s"}};
  });
  TextNumbers texts;
  Json marks = MarksJson(timeline, texts);
  return {{"kinds", std::move(kinds)},    {"clocks", std::move(clocks)},
          {"lanes", LanesJson(timeline)}, {"left_out", timeline.left_out},
          {"marks", std::move(marks)},    {"texts", texts.Texts()}};
}

}  // namespace shapewise
