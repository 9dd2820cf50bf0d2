#include "report/step_json.h"

#include <string>
#include <utility>

#include "report/json_values.h"

namespace shapewise {
namespace {

using Json = nlohmann::ordered_json;

Json SlowStepJson(const SlowStep& slow) {
  return {{"step", slow.number < 0 ? Json() : Json(slow.number)},
          {"index", slow.index},
          {"line", slow.line},
          {"begin", SecondsJson(slow.begin)},
          {"seconds", SecondsJson(slow.seconds)},
          {"cause", SlowCauseName(slow.cause)},
          {"compile_id", TextOrNull(slow.compile_id)},
          {"function", TextOrNull(slow.function.function)},
          {"events", slow.events}};
}

Json CompanyJson(const StallCompanion& company) {
  return {{"process", company.process},         {"function", company.function},
          {"what", TextOrNull(company.what)},   {"stalls_with", company.stalls_with},
          {"others_with", company.others_with}, {"others", company.others}};
}

Json StallJson(const Stall& stall) {
  return {{"period_seconds", SecondsJson(stall.period)},
          {"jitter_seconds", SecondsJson(stall.jitter)},
          {"period_steps", stall.is_by_steps ? Json(stall.period_steps) : Json()},
          {"seconds", SecondsJson(stall.seconds)},
          {"total_seconds", SecondsJson(stall.total_seconds)},
          {"count", stall.count},
          {"distances", stall.distances},
          {"regular", stall.regular},
          {"company", stall.company ? CompanyJson(*stall.company) : Json()}};
}

Json TrackJson(const StepTrack& track) {
  Json slow = Json::array();
  for (const SlowStep& step : track.slow) slow.push_back(SlowStepJson(step));
  return {{"input", track.input},
          {"rank", track.rank < 0 ? Json() : Json(track.rank)},
          {"process", TextOrNull(track.process)},
          {"steps", track.steps},
          {"seconds", SecondsJson(track.total)},
          {"median_seconds", SecondsJson(track.median)},
          {"deviation_seconds", SecondsJson(track.deviation)},
          {"slow_from_seconds", track.slow_from > 0 ? SecondsJson(track.slow_from) : Json()},
          {"compared", StepComparisonName(track.comparison)},
          {"slow", std::move(slow)},
          {"stall", track.stall ? StallJson(*track.stall) : Json()}};
}

}  // namespace

Json StepsJson(const StepReport& report) {
  if (report.tracks.empty()) return nullptr;
  Json tracks = Json::array();
  for (const StepTrack& track : report.tracks) tracks.push_back(TrackJson(track));
  return {{"tracks", std::move(tracks)},
          {"epoch_minus_local_seconds",
           report.epoch_minus_local ? Json(*report.epoch_minus_local) : Json()}};
}

}  // namespace shapewise
