// Any struct of the model as text, field by field, with texts instead of ids.

#ifndef SHAPEWISE_TESTS_SUPPORT_DUMP_FIELDS_H_
#define SHAPEWISE_TESTS_SUPPORT_DUMP_FIELDS_H_

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/fields.h"

namespace shapewise {

/// Appends fields to a text. Ids are followed, so that sessions with other ids dump alike.
class FieldDump {
 public:
  explicit FieldDump(const Session& session) : session_(session) {}

  template <typename Struct>
  void Add(const Struct& object) {
    VisitFields(
        [this](std::string_view name, const auto& field) {
          text_ += ' ';
          text_ += name;
          text_ += '=';
          AddValue(field);
        },
        object);
  }
  const std::string& text() const { return text_; }

 private:
  void AddValue(StrId id) { text_ += '"' + std::string(session_.text(id)) + '"'; }
  void AddValue(ReasonId id) { AddNested(session_.reason(id)); }
  void AddValue(DetailId id) { AddNested(session_.detail(id)); }
  void AddValue(const std::string& text) { text_ += '"' + text + '"'; }
  void AddValue(std::string_view text) { text_ += '"' + std::string(text) + '"'; }
  template <typename Value>
  void AddValue(const Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      text_ += std::to_string(static_cast<int>(value));
    } else if constexpr (std::is_arithmetic_v<Value>) {
      text_ += std::to_string(value);
    } else {
      AddNested(value);
    }
  }
  template <typename Value>
  void AddValue(const std::optional<Value>& value) {
    value ? AddValue(*value) : static_cast<void>(text_ += "none");
  }
  template <typename First, typename Second>
  void AddValue(const std::pair<First, Second>& pair) {
    AddValue(pair.first);
    text_ += ':';
    AddValue(pair.second);
  }
  template <typename Item>
  void AddValue(const std::vector<Item>& items) {
    for (const Item& item : items) {
      text_ += '[';
      AddValue(item);
      text_ += ']';
    }
  }
  void AddValue(const EventFact& fact) {
    text_ += EventKindName(static_cast<EventKind>(fact.index()));
    std::visit([this](const auto& own) { AddNested(own); }, fact);
  }
  template <typename Struct>
  void AddNested(const Struct& object) {
    text_ += '{';
    Add(object);
    text_ += " }";
  }

  const Session& session_;
  std::string text_;
};

/// Everything in `session` but what its events refer to, one object a line.
inline std::string DumpFields(const Session& session) {
  std::string text;
  const auto add_all = [&](const auto& objects) {
    for (const auto& object : objects) {
      FieldDump dump(session);
      dump.Add(object);
      text += dump.text() + "\n";
    }
  };
  add_all(session.inputs());
  add_all(session.version_marks());
  add_all(session.events());
  add_all(session.compilations());
  add_all(session.printed_guards());
  add_all(session.spans());
  add_all(session.region_runs());
  add_all(session.server_lines());
  return text;
}

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_SUPPORT_DUMP_FIELDS_H_
