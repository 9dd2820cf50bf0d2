#include "saved/json_fields.h"

#include <limits>

namespace shapewise {
namespace {

constexpr std::string_view kExpectedWhole = "expected a whole number";

/// Whether `json` is a whole number that fits `Number`; if so, sets `value`.
template <typename Number>
bool ToWhole(const nlohmann::json& json, Number& value) {
  if (json.is_number_unsigned()) {
    const auto number = json.get<uint64_t>();
    if (number > static_cast<uint64_t>(std::numeric_limits<Number>::max())) return false;
    value = static_cast<Number>(number);
    return true;
  }
  if (!json.is_number_integer()) return false;
  const auto number = json.get<int64_t>();  // negative
  if constexpr (std::numeric_limits<Number>::is_signed) {
    if (number < std::numeric_limits<Number>::min()) return false;
    value = static_cast<Number>(number);
    return true;
  }
  return false;
}

}  // namespace

const JsonFields::Json* JsonFields::Find(const char* key) const {
  if (!object_.is_object()) return nullptr;
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

const JsonFields::Json* JsonFields::FindList(const char* key) const {
  const Json* list = Find(key);
  if (list == nullptr || list->is_array()) return list;
  Fail(key, "expected a list");
  return nullptr;
}

std::string JsonFields::Path(std::string_view key) const {
  if (path_.empty() || key.empty()) return path_ + std::string(key);
  return path_ + "." + std::string(key);
}

void JsonFields::Fail(std::string_view key, std::string_view what) const {
  FailAt(Path(key), what);
}

void JsonFields::FailAt(const std::string& path, std::string_view what) const {
  if (!error_.empty()) return;
  error_ = path.empty() ? std::string(what) : path + ": " + std::string(what);
}

void JsonFields::Convert(const Json& json, const std::string& path, std::string& value) const {
  const auto* text = json.get_ptr<const std::string*>();
  if (text == nullptr) return FailAt(path, "expected a text");
  value = *text;
}

void JsonFields::Convert(const Json& json, const std::string& path, bool& value) const {
  if (!json.is_boolean()) return FailAt(path, "expected true or false");
  value = json.get<bool>();
}

void JsonFields::Convert(const Json& json, const std::string& path, double& value) const {
  if (!json.is_number()) return FailAt(path, "expected a number");
  value = json.get<double>();
}

void JsonFields::Convert(const Json& json, const std::string& path, uint64_t& value) const {
  if (!ToWhole(json, value)) FailAt(path, kExpectedWhole);
}

void JsonFields::Convert(const Json& json, const std::string& path, uint32_t& value) const {
  if (!ToWhole(json, value)) FailAt(path, kExpectedWhole);
}

void JsonFields::Convert(const Json& json, const std::string& path, int64_t& value) const {
  if (!ToWhole(json, value)) FailAt(path, kExpectedWhole);
}

void JsonFields::Convert(const Json& json, const std::string& path, int32_t& value) const {
  if (!ToWhole(json, value)) FailAt(path, kExpectedWhole);
}

}  // namespace shapewise
