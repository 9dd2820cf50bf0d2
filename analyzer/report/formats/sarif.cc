// SARIF 2.1.0, for code scanning: https://docs.oasis-open.org/sarif/sarif/v2.1.0/

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/formats.h"
#include "report/result_json.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

// GitHub accepts no more results per run.
constexpr size_t kMostResults = 25'000;

/// A path as a URI (RFC 3986): relative to the working directory, or file:// if absolute.
std::string UriOf(std::string_view file) {
  const std::string path = ToUtf8(ServicePath(file));
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') ||
                          std::string_view("-._~/").find(c) != std::string_view::npos;
    if (is_plain) {
      uri += c;
      continue;
    }
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    uri += '%';
    uri += kDigits[byte >> 4];
    uri += kDigits[byte & 15];
  }
  return uri;
}

Json ArtifactJson(std::string_view file) {
  Json artifact = {{"uri", UriOf(file)}};
  if (!file.starts_with('/')) artifact["uriBaseId"] = "%SRCROOT%";
  return artifact;
}

Json RegionJson(const CodeRange& range) {
  Json region = {{"startLine", range.line}};
  if (range.column != 0) region["startColumn"] = range.column;
  if (range.end_line >= range.line) region["endLine"] = range.end_line;
  if (range.column != 0 && range.end_column != 0) region["endColumn"] = range.end_column;
  return region;
}

Json LocationJson(const std::string& file, const CodeRange& range, const std::string& function) {
  Json physical = {{"artifactLocation", ArtifactJson(file)}};
  if (range.line != 0) physical["region"] = RegionJson(range);
  Json location = {{"physicalLocation", physical}};
  if (!function.empty()) {
    location["logicalLocations"] =
        Json::array({{{"fullyQualifiedName", ToUtf8(function)}, {"kind", "function"}}});
  }
  return location;
}

Json SarifFixJson(const std::string& file, const CodeFix& fix) {
  Json replacements = Json::array();
  for (const CodeEdit& edit : fix.edits) {
    Json replacement = {{"deletedRegion", RegionJson(edit.range)}};
    if (!edit.text.empty()) replacement["insertedContent"] = {{"text", ToUtf8(edit.text)}};
    replacements.push_back(replacement);
  }
  const std::string kind = fix.safe ? "safe: " : "may change what the code does: ";
  return {
      {"description", {{"text", ToUtf8(kind + fix.title)}}},
      {"artifactChanges",
       Json::array({{{"artifactLocation", ArtifactJson(file)}, {"replacements", replacements}}})}};
}

Json SuppressionJson(Silence silence) {
  if (silence == Silence::kComment) return {{"kind", "inSource"}};
  return {{"kind", "external"}, {"justification", "known: it is in the baseline"}};
}

Json ResultJson(const Diagnostic& diagnostic, size_t rule_index) {
  std::string message = MessageWithDetails(diagnostic);
  if (!diagnostic.help.empty()) message += ". " + diagnostic.help;
  Json result = {{"ruleId", diagnostic.rule},
                 {"ruleIndex", rule_index},
                 {"level", SeverityName(diagnostic.severity)},
                 {"message", {{"text", ToUtf8(message)}}}};
  if (!diagnostic.file.empty()) {
    result["locations"] =
        Json::array({LocationJson(diagnostic.file, diagnostic.range, diagnostic.function)});
  }
  Json related = Json::array();
  for (const RelatedPlace& place : diagnostic.related) {
    Json location = LocationJson(place.file, place.range, "");
    location["id"] = related.size() + 1;
    location["message"] = {{"text", ToUtf8(place.text)}};
    related.push_back(location);
  }
  if (!related.empty()) result["relatedLocations"] = related;
  // Not "primaryLocationLineHash", which GitHub computes itself.
  if (!diagnostic.fingerprint.empty()) {
    result["partialFingerprints"] = {{"shapewise/v1", diagnostic.fingerprint}};
  }
  if (diagnostic.fix && !diagnostic.fix->edits.empty()) {
    result["fixes"] = Json::array({SarifFixJson(diagnostic.file, *diagnostic.fix)});
  }
  if (diagnostic.silence != Silence::kNone) {
    result["suppressions"] = Json::array({SuppressionJson(diagnostic.silence)});
  }
  Json properties = Json::object();
  if (diagnostic.confidence) properties["confidence"] = *diagnostic.confidence;
  if (!diagnostic.breaks.empty()) properties["breaks"] = diagnostic.breaks;
  if (!properties.empty()) result["properties"] = properties;
  return result;
}

Json RuleJson(const DiagnosticRule& rule) {
  Json object = {{"id", rule.code}, {"name", rule.name}};
  object["shortDescription"] = {{"text", rule.summary.empty() ? rule.name : rule.summary}};
  object["fullDescription"] = object["shortDescription"];
  object["defaultConfiguration"] = {{"level", SeverityName(rule.severity)}};
  if (!rule.manual.empty()) object["help"] = {{"text", rule.manual}, {"markdown", rule.manual}};
  return object;
}

/// The rules of `results`, by code.
std::vector<DiagnosticRule> RulesOf(const std::vector<const Diagnostic*>& results,
                                    const std::vector<DiagnosticRule>& known) {
  std::map<std::string, DiagnosticRule> rules;
  for (const Diagnostic* diagnostic : results) {
    DiagnosticRule& rule = rules[diagnostic->rule];
    if (!rule.code.empty()) continue;
    const auto found = std::ranges::find(known, diagnostic->rule, &DiagnosticRule::code);
    rule = found != known.end()
               ? *found
               : DiagnosticRule{diagnostic->rule, diagnostic->name, diagnostic->severity, "", ""};
  }
  std::vector<DiagnosticRule> list;
  for (auto& [code, rule] : rules) list.push_back(std::move(rule));
  return list;
}

Json InvocationJson(const DiagnosticReport& report, size_t left_out) {
  Json notes = Json::array();
  const auto note = [&](std::string_view level, const std::string& text) {
    notes.push_back({{"level", level}, {"message", {{"text", ToUtf8(text)}}}});
  };
  for (const std::string& message : report.unread) note("error", message);
  for (const std::string& remark : report.remarks) note("note", remark);
  if (left_out > 0) {
    note("warning", std::to_string(left_out) + " results are left out: services take no more.");
  }
  Json invocation = {{"executionSuccessful", report.unread.empty()}};
  if (!notes.empty()) invocation["toolExecutionNotifications"] = notes;
  return invocation;
}

void WriteSarif(const DiagnosticReport& report, const ReportOptions& options,
                llvm::raw_ostream& out) {
  std::vector<const Diagnostic*> results;
  for (const Diagnostic& diagnostic : report.diagnostics) results.push_back(&diagnostic);
  size_t left_out = 0;
  if (results.size() > kMostResults) {
    left_out = results.size() - kMostResults;
    // Drop notes first, then the last results.
    std::ranges::stable_sort(results, [](const Diagnostic* a, const Diagnostic* b) {
      return a->severity > b->severity;
    });
    results.resize(kMostResults);
  }
  const std::vector<DiagnosticRule> rules = RulesOf(results, options.rules);
  const Json driver = {{"name", "shapewise"},
                       {"semanticVersion", options.tool_version},
                       {"rules", ListJson(rules, RuleJson)}};

  // One run, with one result per line.
  out << "{\n \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n \"version\": "
         "\"2.1.0\",\n \"runs\": [\n";
  {
    JsonStream run(out);
    run.Member("tool", {{"driver", driver}});
    run.Member("automationDetails", {{"id", "shapewise " + report.command + "/"}});
    run.Member("columnKind", "unicodeCodePoints");
    run.Member("invocations", Json::array({InvocationJson(report, left_out)}));
    run.List("results", results, [&](const Diagnostic* diagnostic) {
      const auto rule =
          std::ranges::lower_bound(rules, diagnostic->rule, {}, &DiagnosticRule::code);
      return ResultJson(*diagnostic, static_cast<size_t>(rule - rules.begin()));
    });
  }
  out << " ]\n}\n";
}

}  // namespace

extern SharedFormat SarifFormat() { return {.place = 2, .name = "sarif", .write = WriteSarif}; }

}  // namespace shapewise
