// Writes one JSON object member by member, with list elements one per line, so that memory stays
// constant and results can be searched and compared by line.

#ifndef SHAPEWISE_REPORT_JSON_STREAM_H_
#define SHAPEWISE_REPORT_JSON_STREAM_H_

#include <nlohmann/json.hpp>
#include <string>

#include "llvm/Support/raw_ostream.h"

namespace shapewise {

/// `value` on one line. Invalid UTF-8 is replaced by U+FFFD, and the control characters U+007F to
/// U+009F, which JSON allows but terminals interpret, are escaped.
std::string JsonText(const nlohmann::ordered_json& value);

/// Writes the members of one JSON object, each on its own line.
class JsonStream {
 public:
  using Json = nlohmann::ordered_json;

  explicit JsonStream(llvm::raw_ostream& out) : out_(out) { out_ << "{\n"; }

  void Member(const char* key, const Json& value) {
    Key(key);
    Value(value);
  }

  void BeginList(const char* key) {
    Key(key);
    out_ << "[";
    is_first_element_ = true;
  }
  void Element(const Json& value) {
    out_ << (is_first_element_ ? "\n  " : ",\n  ");
    is_first_element_ = false;
    Value(value);
  }
  void EndList() { out_ << (is_first_element_ ? "]" : "\n ]"); }

  template <typename Items, typename ToJson>
  void List(const char* key, const Items& items, const ToJson& to_json) {
    BeginList(key);
    for (const auto& item : items) Element(to_json(item));
    EndList();
  }

  void End() { out_ << "\n}\n"; }

 private:
  void Key(const char* key) {
    out_ << (is_first_member_ ? " \"" : ",\n \"") << key << "\": ";
    is_first_member_ = false;
  }
  void Value(const Json& value) { out_ << JsonText(value); }

  llvm::raw_ostream& out_;
  bool is_first_member_ = true;
  bool is_first_element_ = true;
};

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_JSON_STREAM_H_
