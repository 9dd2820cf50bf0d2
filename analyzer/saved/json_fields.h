// Reads members of JSON objects that a user may have edited: typed, with errors that contain the
// path.

#ifndef SHAPEWISE_SAVED_JSON_FIELDS_H_
#define SHAPEWISE_SAVED_JSON_FIELDS_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shapewise {

/// One object of a document. A missing or null member leaves the value unchanged; the first member
/// of a wrong type is reported in `error`, as "findings[3].count: expected a whole number".
class JsonFields {
 public:
  using Json = nlohmann::json;

  /// All arguments must outlive this. `path`: of the object; empty for the document.
  JsonFields(const Json& object, std::string path, std::string& error)
      : object_(object), path_(std::move(path)), error_(error) {
    if (!object.is_object()) Fail("", "expected an object");
  }

  /// Reads a text, a truth value or a number; a number must fit its type.
  template <typename T>
  void Read(const char* key, T& value) const {
    const Json* json = Find(key);
    if (json != nullptr) Convert(*json, Path(key), value);
  }

  /// Absent if the member is.
  template <typename T>
  void Read(const char* key, std::optional<T>& value) const {
    if (Find(key) == nullptr) return;
    T present{};
    Read(key, present);
    value = std::move(present);
  }

  /// Reads a list of texts or numbers.
  template <typename T>
  void ReadList(const char* key, std::vector<T>& values) const {
    const Json* list = FindList(key);
    for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
      T value{};
      Convert((*list)[i], Path(key) + "[" + std::to_string(i) + "]", value);
      values.push_back(std::move(value));
    }
  }

  /// Calls `read` with the fields of the object `key`, if present.
  template <typename F>
  void ReadObject(const char* key, const F& read) const {
    const Json* object = Find(key);
    if (object != nullptr) read(JsonFields(*object, Path(key), error_));
  }

  /// Calls `read` with the fields of each object in the list `key`.
  template <typename F>
  void ReadObjects(const char* key, const F& read) const {
    const Json* list = FindList(key);
    for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
      read(JsonFields((*list)[i], Path(key) + "[" + std::to_string(i) + "]", error_));
    }
  }

  /// Requires a member.
  void Require(const char* key) const {
    if (Find(key) == nullptr) Fail(key, "missing");
  }

  /// Reports that the member `key` is invalid.
  void Fail(std::string_view key, std::string_view what) const { FailAt(Path(key), what); }

 private:
  const Json* Find(const char* key) const {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(key);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }

  const Json* FindList(const char* key) const {
    const Json* list = Find(key);
    if (list == nullptr || list->is_array()) return list;
    Fail(key, "expected a list");
    return nullptr;
  }

  std::string Path(std::string_view key) const {
    if (path_.empty() || key.empty()) return path_ + std::string(key);
    return path_ + "." + std::string(key);
  }

  void FailAt(const std::string& path, std::string_view what) const {
    if (!error_.empty()) return;
    error_ = path.empty() ? std::string(what) : path + ": " + std::string(what);
  }

  void Convert(const Json& json, const std::string& path, std::string& value) const {
    const auto* text = json.get_ptr<const std::string*>();
    if (text == nullptr) return FailAt(path, "expected a text");
    value = *text;
  }

  void Convert(const Json& json, const std::string& path, bool& value) const {
    if (!json.is_boolean()) return FailAt(path, "expected true or false");
    value = json.get<bool>();
  }

  void Convert(const Json& json, const std::string& path, double& value) const {
    if (!json.is_number()) return FailAt(path, "expected a number");
    value = json.get<double>();
  }

  template <std::integral Number>
  void Convert(const Json& json, const std::string& path, Number& value) const {
    const bool fits = json.is_number_unsigned()
                          ? std::in_range<Number>(json.get<uint64_t>())
                          : json.is_number_integer() && std::in_range<Number>(json.get<int64_t>());
    if (!fits) return FailAt(path, "expected a whole number");
    value = json.get<Number>();
  }

  const Json& object_;
  std::string path_;
  std::string& error_;
};
}  // namespace shapewise

#endif  // SHAPEWISE_SAVED_JSON_FIELDS_H_
