// Serializes an analysis of code for the cache (JSON).

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "pipeline/check.h"

// The names below are those that nlohmann_json requires.
// NOLINTBEGIN(readability-identifier-naming)
template <typename Value>
struct nlohmann::adl_serializer<std::optional<Value>> {
  static void to_json(json& to, const std::optional<Value>& value) {
    to = value ? json(*value) : json();
  }
  static void from_json(const json& from, std::optional<Value>& value) {
    if (!from.is_null()) value = from.get<Value>();
  }
};

namespace shapewise {

// One line per struct: its saved members.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CodeRange, line, column, end_line, end_column, cell)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CodeEdit, range, begin, end, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CodeFix, safe, title, edits)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RelatedPlace, file, range, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FoldKeys, id, idiom, branches)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CodeFault, file, range, message, rule, name, severity, advice)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CodeFinding, rule, name, severity, confidence, file, range,
                                   function, message, advice, breaks, is_error, conditions, related,
                                   fingerprint, count, fold, fix)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckResult, findings, suppressed_findings, faults, unread,
                                   files, functions, around)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CodeAnalysis, result, unmatched_entries)
// NOLINTEND(readability-identifier-naming)

namespace {

using Json = nlohmann::json;

// Must change with the saved content.
constexpr int kVersion = 5;

}  // namespace

std::string SaveAnalysis(const CodeAnalysis& analysis) {
  return Json{{"version", kVersion}, {"analysis", analysis}}.dump(-1, ' ', /*ensure_ascii=*/false,
                                                                  Json::error_handler_t::replace);
}

Expected<CodeAnalysis> LoadAnalysis(std::string_view bytes) {
  try {
    // Text, because nlohmann's readers of binary forms recurse.
    const Json json = Json::parse(bytes);
    if (json.at("version") == kVersion) {
      auto analysis = json.at("analysis").get<CodeAnalysis>();
      analysis.result.suppressed = analysis.result.suppressed_findings.size();
      return analysis;
    }
  } catch (const Json::exception&) {
    // Reported below, like another version.
  }
  return MakeError("what was kept of a check is damaged");
}

}  // namespace shapewise
