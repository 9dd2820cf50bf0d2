#include "saved/json_fields.h"

namespace shapewise {

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

}  // namespace shapewise
