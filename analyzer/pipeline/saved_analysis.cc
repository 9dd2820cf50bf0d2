// Serializes an analysis of code for the cache (MessagePack).

#include <nlohmann/json.hpp>
#include <utility>

#include "pipeline/check.h"

namespace shapewise {

// One line per struct: its saved members. The names are those that nlohmann_json requires.
// NOLINTBEGIN(readability-identifier-naming)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CodeRange, line, column, end_line, end_column, cell)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CodeEdit, range, begin, end, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CodeFix, safe, title, edits)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RelatedPlace, file, range, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FoldKeys, id, idiom, branches)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CodeFault, file, range, message, rule, name, severity, advice)
// NOLINTEND(readability-identifier-naming)

namespace {

using Json = nlohmann::json;

// Must change with the saved content.
constexpr int kVersion = 3;

Json FindingJson(const CodeFinding& finding) {
  Json json = {{"rule", finding.rule},
               {"name", finding.name},
               {"severity", static_cast<int>(finding.severity)},
               {"confidence", finding.confidence},
               {"file", finding.file},
               {"range", finding.range},
               {"function", finding.function},
               {"message", finding.message},
               {"advice", finding.advice},
               {"breaks", finding.breaks},
               {"is_error", finding.is_error},
               {"conditions", finding.conditions},
               {"related", finding.related},
               {"fingerprint", finding.fingerprint},
               {"count", finding.count},
               {"fold", finding.fold}};
  if (finding.fix) json["fix"] = *finding.fix;
  return json;
}

CodeFinding FindingOf(const Json& json) {
  CodeFinding finding;
  json.at("rule").get_to(finding.rule);
  json.at("name").get_to(finding.name);
  finding.severity = static_cast<Severity>(json.at("severity").get<int>());
  json.at("confidence").get_to(finding.confidence);
  json.at("file").get_to(finding.file);
  json.at("range").get_to(finding.range);
  json.at("function").get_to(finding.function);
  json.at("message").get_to(finding.message);
  json.at("advice").get_to(finding.advice);
  json.at("breaks").get_to(finding.breaks);
  json.at("is_error").get_to(finding.is_error);
  json.at("conditions").get_to(finding.conditions);
  json.at("related").get_to(finding.related);
  json.at("fingerprint").get_to(finding.fingerprint);
  json.at("count").get_to(finding.count);
  json.at("fold").get_to(finding.fold);
  if (json.contains("fix")) finding.fix = json.at("fix").get<CodeFix>();
  return finding;
}

Json ListJson(const std::vector<CodeFinding>& findings) {
  Json list = Json::array();
  for (const CodeFinding& finding : findings) list.push_back(FindingJson(finding));
  return list;
}

std::vector<CodeFinding> ListOf(const Json& list) {
  std::vector<CodeFinding> findings;
  for (const Json& entry : list) findings.push_back(FindingOf(entry));
  return findings;
}

/// Rejects values that are nested more deeply than an analysis. nlohmann's binary reader recurses,
/// so a damaged file could overflow the stack.
class NestingCheck final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return Enter(); }
  bool key(string_t&) override { return true; }
  bool end_object() override { return Leave(); }
  bool start_array(std::size_t) override { return Enter(); }
  bool end_array() override { return Leave(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  static constexpr int kMaxDepth = 32;

  bool Enter() { return ++depth_ <= kMaxDepth; }
  bool Leave() {
    --depth_;
    return true;
  }

  int depth_ = 0;
};

}  // namespace

std::string SaveAnalysis(const CodeAnalysis& analysis) {
  const CheckResult& result = analysis.result;
  const Json json = {{"version", kVersion},
                     {"findings", ListJson(result.findings)},
                     {"suppressed", ListJson(result.suppressed_findings)},
                     {"faults", result.faults},
                     {"unread", result.unread},
                     {"files", result.files},
                     {"functions", result.functions},
                     {"around", result.around},
                     {"unmatched_entries", analysis.unmatched_entries}};
  std::string bytes;
  // Not CBOR: nlohmann's reader also recurses into its strings, which cannot be checked.
  Json::to_msgpack(json, bytes);
  return bytes;
}

Expected<CodeAnalysis> LoadAnalysis(std::string_view bytes) {
  const auto damaged = [] { return MakeError("what was kept of a check is damaged"); };
  CodeAnalysis analysis;
  CheckResult& result = analysis.result;
  try {
    NestingCheck check;
    if (!Json::sax_parse(bytes, &check, Json::input_format_t::msgpack)) return damaged();
    const Json json = Json::from_msgpack(bytes);
    if (!json.is_object() || json.value("version", 0) != kVersion) return damaged();
    result.findings = ListOf(json.at("findings"));
    result.suppressed_findings = ListOf(json.at("suppressed"));
    json.at("faults").get_to(result.faults);
    json.at("unread").get_to(result.unread);
    json.at("files").get_to(result.files);
    json.at("functions").get_to(result.functions);
    json.at("around").get_to(result.around);
    json.at("unmatched_entries").get_to(analysis.unmatched_entries);
  } catch (const Json::exception&) {
    return damaged();
  }
  result.suppressed = result.suppressed_findings.size();
  return analysis;
}

}  // namespace shapewise
