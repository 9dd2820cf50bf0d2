// Writes JSON results: one object member by member, with list elements one per line, so that memory
// stays constant and results can be searched and compared by line; and the parts of a result that
// several of them contain. Unknown values are null.

#ifndef SHAPEWISE_REPORT_RESULT_JSON_H_
#define SHAPEWISE_REPORT_RESULT_JSON_H_

#include <cmath>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "model/session.h"
#include "report/report.h"
#include "result/cost.h"
#include "result/finding.h"
#include "result/place.h"
#include "support/stats.h"

namespace shapewise {

using Json = nlohmann::ordered_json;

/// `value` on one line. Invalid UTF-8 is replaced by U+FFFD, and the control characters U+007F to
/// U+009F, which JSON allows but terminals interpret, are escaped.
std::string JsonText(const Json& value);

/// The program that wrote the result.
inline Json ToolJson(const ReportOptions& options) {
  return {{"name", "shapewise"}, {"version", options.tool_version}};
}

/// The list of to_json(context..., item) of each item.
template <typename Items, typename ToJson, typename... Context>
Json ListJson(const Items& items, const ToJson& to_json, const Context&... context) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(std::invoke(to_json, context..., item));
  return list;
}

/// Writes the members of one JSON object, each on its own line; the destructor ends it.
class JsonStream {
 public:
  explicit JsonStream(llvm::raw_ostream& out) : out_(out) { out_ << "{\n"; }
  /// A result that begins with its schema, "shapewise.lint/1", and the program that wrote it.
  JsonStream(std::string_view schema, const ReportOptions& options, llvm::raw_ostream& out)
      : JsonStream(out) {
    Member("schema", schema);
    Member("tool", ToolJson(options));
  }
  ~JsonStream() { out_ << "\n}\n"; }
  JsonStream(const JsonStream&) = delete;
  JsonStream& operator=(const JsonStream&) = delete;

  void Member(const char* key, const Json& value) {
    Key(key);
    out_ << JsonText(value);
  }

  /// Writes to_json(context..., item) of each item.
  template <typename Items, typename ToJson, typename... Context>
  void List(const char* key, const Items& items, const ToJson& to_json, const Context&... context) {
    Key(key);
    out_ << "[";
    const char* separator = "\n  ";
    for (const auto& item : items) {
      out_ << std::exchange(separator, ",\n  ") << JsonText(std::invoke(to_json, context..., item));
    }
    out_ << (items.empty() ? "]" : "\n ]");
  }
  /// Writes a list of texts.
  void List(const char* key, const std::vector<std::string>& texts) {
    List(key, texts, [](const std::string& text) { return Json(text); });
  }

 private:
  void Key(const char* key) {
    out_ << (is_first_member_ ? " \"" : ",\n \"") << key << "\": ";
    is_first_member_ = false;
  }

  llvm::raw_ostream& out_;
  bool is_first_member_ = true;
};

inline Json TextOrNull(std::string_view text) { return text.empty() ? Json() : Json(text); }

template <typename Number>
Json NumberOrNull(const std::optional<Number>& number) {
  return number ? Json(*number) : Json();
}

/// Lines and columns count from 1; 0 is unknown.
inline Json PositionOrNull(uint64_t number) { return number == 0 ? Json() : Json(number); }

inline Json DimOrNull(int32_t dim) { return dim < 0 ? Json() : Json(dim); }

inline Json PlaceJson(const Place& place) {
  return {{"function", TextOrNull(place.function)},
          {"file", TextOrNull(place.file)},
          {"line", PositionOrNull(place.line)}};
}

/// Seconds to the microsecond: logs are not more precise, and further digits are rounding noise.
inline Json SecondsJson(double seconds) { return std::round(seconds * 1e6) / 1e6; }
inline Json SecondsJson(const std::optional<double>& seconds) {
  return seconds ? SecondsJson(*seconds) : Json();
}

Json SummaryJson(const RunSummary& summary);

Json CoverageJson(const Coverage& coverage);

Json ActionJson(const Action& action);

Json NextStepJson(const NextStep& step);

Json FindingJson(const Finding& finding);

Json IdentityJson(const Identity& identity);

/// The part of a finding that a baseline stores.
Json KnownCauseJson(const Finding& finding);

Json BaselineUseJson(const BaselineUse& baseline);

Json CostsJson(const std::optional<CompileCosts>& costs);

Json FunctionCostJson(const FunctionCost& function);

/// Adds the list "stats": every non-zero counter.
void AddStats(const Stats& stats, JsonStream& object);

/// `event` with the fields of its kind. Common fields (place, rank, frame ...) are omitted if
/// unknown; fields of its own kind are null then.
Json EventJson(const Session& session, const Event& event);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_RESULT_JSON_H_
