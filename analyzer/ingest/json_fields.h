// Fields of JSON objects parsed by simdjson. A field that is missing, null or of another type is
// absent.

#ifndef SHAPEWISE_INGEST_JSON_FIELDS_H_
#define SHAPEWISE_INGEST_JSON_FIELDS_H_

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shapewise {

/// Parses texts one after the other; a value is valid until the next call. Reuses its buffers.
class JsonParser {
 public:
  /// Parses `text` as an element of any type, an object or an array; false if it is no such JSON.
  template <typename T>
  bool Parse(std::string_view text, T& value) {
    buffer_.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    buffer_.assign(text);
    return parser_.parse(buffer_.data(), text.size(), /*realloc_if_needed=*/false).get(value) ==
           simdjson::SUCCESS;
  }

 private:
  simdjson::dom::parser parser_;
  std::string buffer_;
};

/// `json`, an element or the result of a lookup, as a T; absent if it has another type.
template <typename T, typename Json>
std::optional<T> JsonAs(const Json& json) {
  T value{};
  if (json.get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

inline std::optional<simdjson::dom::element> JsonField(simdjson::dom::object object,
                                                       std::string_view key) {
  const auto value = JsonAs<simdjson::dom::element>(object[key]);
  return value && !value->is_null() ? value : std::nullopt;
}

inline std::optional<simdjson::dom::object> JsonObject(simdjson::dom::object object,
                                                       std::string_view key) {
  return JsonAs<simdjson::dom::object>(object[key]);
}

inline std::optional<simdjson::dom::array> JsonArray(simdjson::dom::object object,
                                                     std::string_view key) {
  return JsonAs<simdjson::dom::array>(object[key]);
}

inline std::optional<int64_t> JsonInt(simdjson::dom::object object, std::string_view key) {
  return JsonAs<int64_t>(object[key]);
}

inline std::optional<double> JsonDouble(simdjson::dom::object object, std::string_view key) {
  return JsonAs<double>(object[key]);
}

/// A line number; 0 if absent or invalid.
inline uint32_t JsonLine(simdjson::dom::object object, std::string_view key) {
  const auto line = JsonInt(object, key);
  return line && *line > 0 && std::in_range<uint32_t>(*line) ? static_cast<uint32_t>(*line) : 0;
}

/// Empty if it is absent.
inline std::string_view JsonText(simdjson::dom::object object, std::string_view key) {
  return JsonAs<std::string_view>(object[key]).value_or(std::string_view());
}

inline bool JsonIsTrue(simdjson::dom::object object, std::string_view key) {
  return JsonAs<bool>(object[key]).value_or(false);
}

/// Calls `each` for every object in the list `key` of `object`; other items are skipped.
template <typename Each>
void ForEachObject(simdjson::dom::object object, std::string_view key, const Each& each) {
  const auto items = JsonArray(object, key);
  if (!items) return;
  for (const simdjson::dom::element item : *items) {
    if (const auto json = JsonAs<simdjson::dom::object>(item)) each(*json);
  }
}

/// The texts in a list; other items are skipped.
inline std::vector<std::string_view> JsonTextsIn(simdjson::dom::array items) {
  std::vector<std::string_view> texts;
  for (const simdjson::dom::element item : items) {
    if (const auto text = JsonAs<std::string_view>(item)) texts.push_back(*text);
  }
  return texts;
}

/// The texts in the list `key`; empty if there is no such list.
inline std::vector<std::string_view> JsonTexts(simdjson::dom::object object, std::string_view key) {
  const auto items = JsonArray(object, key);
  return items ? JsonTextsIn(*items) : std::vector<std::string_view>();
}

/// The same for a list of such lists.
inline std::vector<std::vector<std::string_view>> JsonTextRows(simdjson::dom::object object,
                                                               std::string_view key) {
  std::vector<std::vector<std::string_view>> rows;
  const auto items = JsonArray(object, key);
  if (!items) return rows;
  for (const simdjson::dom::element item : *items) {
    if (const auto row = JsonAs<simdjson::dom::array>(item)) rows.push_back(JsonTextsIn(*row));
  }
  return rows;
}

/// The items of a list of integers; absent if `json` is anything else.
inline std::optional<std::vector<int64_t>> JsonInts(simdjson::dom::element json) {
  const auto items = JsonAs<simdjson::dom::array>(json);
  if (!items) return std::nullopt;
  std::vector<int64_t> numbers;
  for (const simdjson::dom::element item : *items) {
    const auto number = JsonAs<int64_t>(item);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_JSON_FIELDS_H_
