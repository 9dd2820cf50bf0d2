// What call records and scenarios share: JSON values of arguments, policies, and the reader of call
// records for inputs whose format is known only after their first line.

#ifndef SHAPEWISE_INGEST_CALLS_JSON_VALUES_H_
#define SHAPEWISE_INGEST_CALLS_JSON_VALUES_H_

#include <simdjson.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/call_record_reader.h"
#include "ingest/json_fields.h"
#include "ingest/whole_lines.h"
#include "model/call_history.h"
#include "model/call_history_builder.h"
#include "model/compile_policy.h"
#include "support/text_list.h"

namespace shapewise {

/// repr() of a str, as far as names need it: 'a', "it's".
inline std::string PythonString(std::string_view text) {
  const bool has_quote = text.find('\'') != std::string_view::npos;
  const char quote = has_quote && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string printed(1, quote);
  for (const char c : text) {
    if (c == '\\' || c == quote) printed += '\\';
    printed += c;
  }
  return printed + quote;
}

/// The source of the item `key` of `source`, spelled as in Dynamo's guards: "L['x']".
inline std::string SourceOfKey(std::string_view source, std::string_view key) {
  return std::string(source) + "[" + PythonString(key) + "]";
}

/// Sets the arguments of one call after the other in a CallHistoryBuilder. A subclass defines the
/// format of a value. Functions return false if a value cannot be read; why() gives the reason.
class JsonValues {
 public:
  const std::string& why() const { return why_; }

 protected:
  using Json = simdjson::dom::element;

  /// `builder` outlives this.
  explicit JsonValues(CallHistoryBuilder& builder) : builder_(builder) {}
  ~JsonValues() = default;

  /// Sets the value of `source`, printed as `text`.
  virtual bool ReadValue(uint32_t source, const std::string& text, Json json) = 0;

  /// Sets a list or tuple (`kind`) and its items.
  bool ReadItems(uint32_t source, const std::string& text, simdjson::dom::array items,
                 std::string_view kind) {
    CallValue value;
    value.kind = CallValue::Kind::kLength;
    value.text = Intern(kind);
    for (const Json item : items) {
      const std::string part = text + "[" + std::to_string(value.integer++) + "]";
      if (!ReadValue(builder_.Source(source, part), part, item)) return false;
    }
    builder_.Set(source, value);
    return true;
  }

  /// Sets a dict and its values.
  bool ReadKeys(uint32_t source, const std::string& text, simdjson::dom::object items) {
    for (const auto& [key, item] : items) {
      const std::string part = SourceOfKey(text, key);
      if (!ReadValue(builder_.Source(source, part), part, item)) return false;
    }
    CallValue value;
    value.kind = CallValue::Kind::kKeys;
    value.text = Intern(
        "[" + Joined(items, ", ", [](const auto& item) { return PythonString(item.key); }) + "]");
    builder_.Set(source, value);
    return true;
  }

  /// Sets a value of `kind`: kNone, kBool, kInt, kFloat or kStr. False, without a reason: `json`
  /// has another type.
  bool SetPlain(uint32_t source, CallValue::Kind kind, Json json) {
    CallValue value;
    value.kind = kind;
    bool is_true = false;
    std::string_view text;
    auto error = simdjson::SUCCESS;
    if (kind == CallValue::Kind::kBool) error = json.get(is_true);
    if (kind == CallValue::Kind::kInt) error = json.get(value.integer);
    if (kind == CallValue::Kind::kFloat) error = json.get(value.number);
    if (kind == CallValue::Kind::kStr) error = json.get(text);
    if (error != simdjson::SUCCESS) return false;
    if (kind == CallValue::Kind::kBool) value.integer = is_true ? 1 : 0;
    if (kind == CallValue::Kind::kStr) value.text = Intern(text);
    builder_.Set(source, value);
    return true;
  }

  StrId Intern(std::string_view text) { return builder_.strings().Intern(text); }

  bool Fail(std::string why) {
    why_ = std::move(why);
    return false;
  }

  CallHistoryBuilder& builder_;

 private:
  std::string why_;
};

/// A mark on a dim of an argument, and the calls to which it applies.
struct ScenarioMark {
  std::string argument;
  DimMark mark;
  std::optional<std::vector<int64_t>> calls;  ///< absent: all
};

/// Sizes that a dim of an argument is padded up to.
struct ScenarioBuckets {
  std::string argument;
  int64_t dim = 0;
  std::vector<int64_t> sizes;
};

/// A policy, and its parts that apply to the calls.
struct ScenarioPolicy {
  CompilePolicy policy;
  std::vector<ScenarioMark> marks;
  std::vector<ScenarioBuckets> buckets;
  std::map<int64_t, Stance> stances;  ///< by the call before which it is set
};

/// Reads the policy of a scenario. Options that are unknown or have an unexpected type are recorded
/// in CompilePolicy::unknown_options.
ScenarioPolicy ReadScenarioPolicy(simdjson::dom::object json);

/// The stance called `name`, such as "force_eager"; absent: unknown.
std::optional<Stance> StanceNamed(std::string_view name);

/// Reads {"dim": 0, "kind": "dynamic", "min": 2, "max": 64}; absent: `json` has another form.
std::optional<DimMark> ReadDimMark(simdjson::dom::object json);

/// Reads the lines of one input.
class CallRecordLines : public JsonLines {
 public:
  using JsonLines::JsonLines;
  /// The input has ended: the functions are complete.
  virtual void Finish() = 0;
};

/// Adds to `functions` and `totals`, which outlive it; `redactor` rewrites the texts at the end,
/// null: no redaction.
std::unique_ptr<CallRecordLines> NewCallRecordLines(RecordedFunctions& functions,
                                                    JsonLineTotals& totals,
                                                    Redactor* redactor = nullptr);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_CALLS_JSON_VALUES_H_
