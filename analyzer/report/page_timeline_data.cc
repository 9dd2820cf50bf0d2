// The timeline as data for the script: in columns instead of objects, with each text once, so that
// ten thousand compilations stay small.

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "report/page_sections.h"
#include "report/timeline_marks.h"

namespace shapewise {
namespace {

using Json = nlohmann::ordered_json;

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
  Json lanes = Json::array();
  for (const TimelineLane& lane : timeline.lanes) {
    lanes.push_back({{"clock", lane.clock},
                     {"rank", lane.rank == kNoRank ? Json() : Json(lane.rank)},
                     {"name", lane.name},
                     {"place", lane.place}});
  }
  return lanes;
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

Json TimelineJson(const PageInput& input) {
  const TimelineMarks timeline = GatherMarks(input.result, input.session, input.clocks);
  Json kinds = Json::array();
  for (size_t i = 0; i < kNumMarkKinds; ++i) {
    kinds.push_back(MarkKindName(static_cast<TimelineMarkKind>(i)));
  }
  Json clocks = Json::array();
  for (const TimelineClock& clock : timeline.clocks) {
    clocks.push_back({{"name", clock.name}, {"unit", clock.is_lines ? "line" : "s"}});
  }
  TextNumbers texts;
  Json marks = MarksJson(timeline, texts);
  return {{"kinds", std::move(kinds)},    {"clocks", std::move(clocks)},
          {"lanes", LanesJson(timeline)}, {"left_out", timeline.left_out},
          {"marks", std::move(marks)},    {"texts", texts.Texts()}};
}

}  // namespace shapewise
