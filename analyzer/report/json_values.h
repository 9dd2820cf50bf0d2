// What is not told is null in JSON.

#ifndef SHAPEWISE_REPORT_JSON_VALUES_H_
#define SHAPEWISE_REPORT_JSON_VALUES_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace shapewise {

inline nlohmann::ordered_json TextOrNull(std::string_view text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

template <typename Number>
nlohmann::ordered_json NumberOrNull(const std::optional<Number>& number) {
  return number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json();
}

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_JSON_VALUES_H_
