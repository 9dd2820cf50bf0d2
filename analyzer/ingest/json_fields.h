// Fields of JSON objects, as simdjson gives them; a field that is missing, null or of another type
// is absent.

#ifndef SHAPEWISE_INGEST_JSON_FIELDS_H_
#define SHAPEWISE_INGEST_JSON_FIELDS_H_

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace shapewise {

/// Parses texts one after the other; what it gave is valid until the next. Keeps its buffers.
class JsonParser {
 public:
  /// The value that `text` is; false if it is no JSON.
  bool Parse(std::string_view text, simdjson::dom::element& value) {
    buffer_.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    buffer_.assign(text);
    return parser_.parse(buffer_.data(), text.size(), /*realloc_if_needed=*/false).get(value) ==
           simdjson::SUCCESS;
  }

 private:
  simdjson::dom::parser parser_;
  std::string buffer_;
};

inline std::optional<simdjson::dom::element> JsonField(simdjson::dom::object object,
                                                       std::string_view key) {
  simdjson::dom::element value;
  if (object[key].get(value) != simdjson::SUCCESS || value.is_null()) return std::nullopt;
  return value;
}

inline std::optional<simdjson::dom::object> JsonObject(simdjson::dom::object object,
                                                       std::string_view key) {
  simdjson::dom::object value;
  if (object[key].get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

inline std::optional<simdjson::dom::array> JsonArray(simdjson::dom::object object,
                                                     std::string_view key) {
  simdjson::dom::array value;
  if (object[key].get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

inline std::optional<int64_t> JsonInt(simdjson::dom::object object, std::string_view key) {
  int64_t value = 0;
  if (object[key].get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

inline std::optional<double> JsonDouble(simdjson::dom::object object, std::string_view key) {
  double value = 0;
  if (object[key].get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

/// A line number; 0 if it is absent or none.
inline uint32_t JsonLine(simdjson::dom::object object, std::string_view key) {
  const auto line = JsonInt(object, key);
  return line && *line > 0 && std::in_range<uint32_t>(*line) ? static_cast<uint32_t>(*line) : 0;
}

/// Empty if it is absent.
inline std::string_view JsonText(simdjson::dom::object object, std::string_view key) {
  std::string_view value;
  if (object[key].get(value) != simdjson::SUCCESS) return {};
  return value;
}

inline bool JsonIsTrue(simdjson::dom::object object, std::string_view key) {
  bool value = false;
  return object[key].get(value) == simdjson::SUCCESS && value;
}

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_JSON_FIELDS_H_
