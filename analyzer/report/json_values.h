// Values shared by several parts of a result. Unknown values are null.

#ifndef SHAPEWISE_REPORT_JSON_VALUES_H_
#define SHAPEWISE_REPORT_JSON_VALUES_H_

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "report/report_writer.h"
#include "result/place.h"

namespace shapewise {

/// The program that wrote the result.
inline nlohmann::ordered_json ToolJson(const ReportOptions& options) {
  return {{"name", "shapewise"}, {"version", options.tool_version}};
}

inline nlohmann::ordered_json TextOrNull(std::string_view text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

template <typename Number>
nlohmann::ordered_json NumberOrNull(const std::optional<Number>& number) {
  return number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json();
}

inline nlohmann::ordered_json DimOrNull(int32_t dim) {
  return dim < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(dim);
}

inline nlohmann::ordered_json PlaceJson(const Place& place) {
  return {
      {"function", TextOrNull(place.function)},
      {"file", TextOrNull(place.file)},
      {"line", place.line == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(place.line)}};
}

/// Seconds to the microsecond: logs are not more precise, and further digits are rounding noise.
inline nlohmann::ordered_json SecondsJson(double seconds) {
  return std::round(seconds * 1e6) / 1e6;
}
inline nlohmann::ordered_json SecondsJson(const std::optional<double>& seconds) {
  return seconds ? SecondsJson(*seconds) : nlohmann::ordered_json();
}

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_JSON_VALUES_H_
