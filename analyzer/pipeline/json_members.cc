#include "pipeline/json_members.h"

#include <cmath>

namespace shapewise {

using Json = nlohmann::json;

const Json* FindMember(const Json& json, const char* key) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(key);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

std::string TextMember(const Json& json, const char* key) {
  const Json* found = FindMember(json, key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

const Json& ListMember(const Json& json, const char* key) {
  static const Json none = Json::array();
  const Json* found = FindMember(json, key);
  return found != nullptr && found->is_array() ? *found : none;
}

std::vector<std::string> TextsMember(const Json& json, const char* key) {
  std::vector<std::string> texts;
  for (const Json& entry : ListMember(json, key)) {
    if (entry.is_string()) texts.push_back(entry.get<std::string>());
  }
  return texts;
}

std::vector<int64_t> IntsMember(const Json& json, const char* key) {
  std::vector<int64_t> numbers;
  for (const Json& entry : ListMember(json, key)) {
    if (entry.is_number_integer()) numbers.push_back(entry.get<int64_t>());
  }
  return numbers;
}

std::optional<int64_t> IntMember(const Json& json, const char* key) {
  const Json* found = FindMember(json, key);
  if (found == nullptr || !found->is_number_integer()) return std::nullopt;
  return found->get<int64_t>();
}

std::optional<double> NumberMember(const Json& json, const char* key) {
  const Json* found = FindMember(json, key);
  if (found == nullptr || !found->is_number()) return std::nullopt;
  const double number = found->get<double>();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

}  // namespace shapewise
