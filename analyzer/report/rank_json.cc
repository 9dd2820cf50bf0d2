#include "report/rank_json.h"

#include <utility>

#include "report/json_values.h"

namespace shapewise {
namespace {

using Json = nlohmann::ordered_json;

Json ActionJson(const RankAction& action) {
  Json cause;
  if (action.culprit) {
    cause = {{"class", GuardClassName(action.culprit->guard_class)},
             {"source", TextOrNull(action.culprit->source)},
             {"dim", DimOrNull(action.culprit->dim)}};
  }
  return {{"what", action.what},
          {"where", PlaceJson(action.where)},
          {"user", PlaceJson(action.user)},
          {"compile_id", TextOrNull(action.compile_id)},
          {"cause", std::move(cause)},
          {"guard", TextOrNull(action.guard)},
          {"expected", TextOrNull(action.expected)},
          {"actual", TextOrNull(action.actual)},
          {"time", TextOrNull(FormatLogTime(action.time))},
          {"seconds", SecondsJson(action.seconds)},
          {"event", action.event ? Json(*action.event) : Json()}};
}

Json DivergenceJson(const RankDivergence& divergence) {
  Json values = Json::array();
  for (const RankValue& value : divergence.values) {
    values.push_back({{"value", value.value}, {"ranks", value.ranks}});
  }
  return {{"kind", DivergenceKindName(divergence.kind)},
          {"ranks", divergence.ranks},
          {"actors", divergence.actors},
          {"others", divergence.others},
          {"action", ActionJson(divergence.action)},
          {"instead", divergence.instead ? ActionJson(*divergence.instead) : Json()},
          {"later_seconds", SecondsJson(divergence.later_seconds)},
          {"wait_seconds_estimated", SecondsJson(divergence.wait_seconds)},
          {"agreed", divergence.agreed},
          {"values", std::move(values)},
          {"count", divergence.count},
          {"events", divergence.events}};
}

Json SkewJson(const RankSkew& skew) {
  return {{"seconds", SecondsJson(skew.seconds)},
          {"between", skew.of_ends ? "ends" : "begins"},
          {"action", ActionJson(skew.action)},
          {"first", skew.first},
          {"last", skew.last}};
}

}  // namespace

Json RanksJson(const RankComparison& comparison) {
  Json divergences = Json::array();
  for (const RankDivergence& divergence : comparison.divergences) {
    divergences.push_back(DivergenceJson(divergence));
  }
  Json offsets = Json::array();
  for (const ClockOffset& offset : comparison.offsets) {
    offsets.push_back({{"rank", offset.rank}, {"seconds", SecondsJson(offset.seconds)}});
  }
  return {{"compared", comparison.ranks},
          {"structured", comparison.is_structured},
          {"agreed", comparison.agreed},
          {"divergences", std::move(divergences)},
          {"skew", comparison.skew ? SkewJson(*comparison.skew) : Json()},
          {"clock_offsets", std::move(offsets)}};
}

}  // namespace shapewise
