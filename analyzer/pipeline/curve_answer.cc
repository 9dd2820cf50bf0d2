#include "pipeline/curve_answer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pipeline/json_members.h"
#include "pipeline/measure_curve.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

using Json = nlohmann::json;

// Maximum length of a quoted invalid answer.
constexpr size_t kShownBytes = 400;

std::string Shown(const std::string& line) {
  return line.size() <= kShownBytes ? MakePrintable(line)
                                    : MakePrintable(line.substr(0, kShownBytes)) + " ...";
}

/// A positive number.
std::optional<double> PositiveOf(const Json& json, const char* key) {
  const std::optional<double> number = NumberMember(json, key);
  return number && *number > 0 ? number : std::nullopt;
}

/// The median called `value`, with half of the interquartile range called `range` on both sides.
std::optional<MeasuredRange> RangeOf(const Json& json, const char* value, const char* range) {
  const std::optional<double> median = PositiveOf(json, value);
  if (!median) return std::nullopt;
  const double spread = PositiveOf(json, range).value_or(0) / 2;
  return MeasuredRange{
      .value = *median, .low = std::max(0.0, *median - spread), .high = *median + spread};
}

/// The relative error of a point: the largest of all given errors.
std::optional<double> SpreadOf(const Json& json) {
  std::optional<double> most;
  for (const char* key : {"spread", "dynamic_spread", "eager_spread"}) {
    const std::optional<double> spread = NumberMember(json, key);
    if (spread && *spread >= 0) most = std::clamp(*spread, most.value_or(0), 1.0);
  }
  return most;
}

}  // namespace

Expected<CurveAnswer> ReadCurveAnswer(const std::string& line, const std::string& key,
                                      int64_t size) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return MakeError("what times the sizes answered no JSON: " + Shown(line));
  if (const Json* asked = FindMember(json, "time")) {
    const Json* echo = FindMember(*asked, key.c_str());
    if (echo == nullptr || *echo != Json(size)) {
      return MakeError("asked for size " + std::to_string(size) +
                       ", what times the sizes answered of another: " + Shown(line));
    }
  }
  CurveAnswer answer;
  answer.why = TextMember(json, "error");
  const std::optional<MeasuredRange> seconds = RangeOf(json, "seconds", "iqr");
  if (!answer.why.empty()) return answer;
  if (!seconds) return MakeError("what times the sizes answered no time: " + Shown(line));
  CurveReport::Point& point = answer.point.emplace();
  point.size = size;
  point.seconds = *seconds;
  constexpr double kMostBytes = 9e15;
  if (const auto bytes = PositiveOf(json, "peak_bytes"); bytes && *bytes <= kMostBytes) {
    point.peak_bytes = static_cast<uint64_t>(*bytes);
  }
  point.compile_seconds = PositiveOf(json, "compile_seconds");
  point.dynamic = RangeOf(json, "dynamic", "dynamic_iqr");
  point.dynamic_compile_seconds = PositiveOf(json, "dynamic_compile_seconds");
  point.eager = PositiveOf(json, "eager");
  point.spread = SpreadOf(json);
  if (const Json* reference = FindMember(json, "reference")) {
    answer.drift = NumberMember(*reference, "drift");
  }
  if (!point.dynamic) answer.dynamic_why = TextMember(json, "dynamic_error");
  return answer;
}

Error ReadReadiness(const std::string& line, CurveReport& report) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (const std::string why = TextMember(json, "fatal"); !why.empty()) {
    return MakeError("no size can be timed: " + MakePrintable(why));
  }
  const Json* ready = FindMember(json, "ready");
  if (ready == nullptr) {
    return MakeError("what times the sizes does not say that it is ready: " + Shown(line));
  }
  report.device = TextMember(*ready, "device");
  report.torch = TextMember(*ready, "torch");
  return Error::success();
}

}  // namespace shapewise
