#include "report/stat_json.h"

#include <nlohmann/json.hpp>

namespace shapewise {
namespace {

using Json = nlohmann::ordered_json;

Json StatJson(const StatInfo& info, const Stats::Count& count) {
  return {{"name", info.name},
          {"grade", info.grade == StatGrade::kDataLoss ? "data_loss" : "info"},
          {"count", count.times},
          {"input", count.first_input},
          {"line", count.first_line == 0 ? Json() : Json(count.first_line)},
          {"text", info.sentence}};
}

}  // namespace

void AddStats(const Stats& stats, JsonStream& object) {
  object.BeginList("stats");
  for (size_t stat = 0; stat < kNumStats; ++stat) {
    const Stats::Count& count = stats.count(stat);
    if (count.times != 0) object.Element(StatJson(kStatInfos[stat], count));
  }
  object.EndList();
}

}  // namespace shapewise
