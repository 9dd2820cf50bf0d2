// Prints results of check as JSON, schema shapewise.check/1: one object, or one object per line.

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "report/formats.h"
#include "report/json_stream.h"
#include "report/json_values.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

using Json = nlohmann::ordered_json;

Json PositionOrNull(uint32_t number) { return number == 0 ? Json() : Json(number); }

/// Adds the place of `range` in `file`. In a notebook, lines count within the cell, and the line of
/// the notebook file is added.
void AddPlace(const std::string& file, const CodeRange& range, const CodeTexts& texts,
              Json& object) {
  object["file"] = file;
  object["line"] = PositionOrNull(range.line);
  object["end_line"] = PositionOrNull(range.end_line);
  object["column"] = PositionOrNull(range.column);
  object["end_column"] = PositionOrNull(range.end_column);
  if (range.cell == 0) return;
  object["cell"] = range.cell;
  object["file_line"] = PositionOrNull(texts.InFile(file, range).line);
}

Json FixJson(const CodeFix& fix) {
  Json edits = Json::array();
  for (const CodeEdit& edit : fix.edits) {
    edits.push_back({{"line", edit.range.line},
                     {"column", edit.range.column},
                     {"end_line", edit.range.end_line},
                     {"end_column", edit.range.end_column},
                     {"text", edit.text}});
  }
  return {{"safe", fix.safe}, {"title", fix.title}, {"edits", edits}};
}

Json FindingJson(const CodeFinding& finding, const CodeTexts& texts) {
  Json object = {{"rule", finding.rule},
                 {"name", finding.name},
                 {"severity", SeverityName(finding.severity)},
                 {"confidence", std::round(finding.confidence * 100) / 100}};
  AddPlace(finding.file, finding.range, texts, object);
  object["function"] = TextOrNull(finding.function);
  object["message"] = finding.message;
  object["advice"] = TextOrNull(finding.advice);
  object["breaks"] = finding.breaks;
  object["conditions"] = finding.conditions;
  object["count"] = finding.count;
  Json related = Json::array();
  for (const RelatedPlace& place : finding.related) {
    Json entry = Json::object();
    AddPlace(place.file, place.range, texts, entry);
    entry["message"] = place.text;
    related.push_back(entry);
  }
  object["related"] = related;
  object["fix"] = finding.fix ? FixJson(*finding.fix) : Json();
  object["fingerprint"] = finding.fingerprint;
  return object;
}

Json FaultJson(const CodeFault& fault, const CodeTexts& texts) {
  Json object = Json::object();
  AddPlace(fault.file, fault.range, texts, object);
  object["message"] = fault.message;
  return object;
}

Json SummaryJson(const CheckResult& result) {
  std::array<size_t, 3> counts{};
  size_t safe = 0;
  size_t unsafe = 0;
  for (const CodeFinding& finding : result.findings) {
    ++counts[static_cast<size_t>(finding.severity)];
    if (finding.fix) ++(finding.fix->safe ? safe : unsafe);
  }
  return {{"files", result.files},
          {"functions", result.functions},
          {"errors", counts[static_cast<size_t>(Severity::kError)]},
          {"warnings", counts[static_cast<size_t>(Severity::kWarning)]},
          {"notes", counts[static_cast<size_t>(Severity::kNote)]},
          {"faults", result.faults.size()},
          {"suppressed", result.suppressed},
          {"known", result.known},
          {"outside_diff", result.outside_diff},
          {"safe_fixes", safe},
          {"unsafe_fixes", unsafe}};
}

}  // namespace

void WriteCheckJson(const CheckResult& result, const CodeTexts& texts, const ReportOptions& options,
                    llvm::raw_ostream& out) {
  JsonStream object(out);
  object.Member("schema", "shapewise.check/1");
  object.Member("tool", ToolJson(options));
  object.Member("summary", SummaryJson(result));
  object.List("findings", result.findings,
              [&](const CodeFinding& finding) { return FindingJson(finding, texts); });
  object.List("faults", result.faults,
              [&](const CodeFault& fault) { return FaultJson(fault, texts); });
  object.List("unread", result.unread, [](const std::string& text) { return Json(text); });
  object.End();
}

void WriteCheckJsonl(const CheckResult& result, const CodeTexts& texts,
                     const ReportOptions& options, llvm::raw_ostream& out) {
  const auto print = [&](const char* type, const Json& members) {
    Json object = {{"type", type}};
    object.update(members);
    out << JsonText(object) << "\n";
  };
  for (const CodeFinding& finding : result.findings) print("finding", FindingJson(finding, texts));
  for (const CodeFault& fault : result.faults) print("fault", FaultJson(fault, texts));
  print("summary", {{"schema", "shapewise.check/1"},
                    {"tool", ToolJson(options)},
                    {"summary", SummaryJson(result)},
                    {"unread", result.unread}});
}

}  // namespace shapewise
