// Prints results of check as JSON, schema shapewise.check/1: one object, or one object per line.

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "report/formats.h"
#include "report/json_stream.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

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
  const auto edit_of = [](const CodeEdit& edit) -> Json {
    const CodeRange& range = edit.range;
    return {{"line", range.line},
            {"column", range.column},
            {"end_line", range.end_line},
            {"end_column", range.end_column},
            {"text", edit.text}};
  };
  return {{"safe", fix.safe}, {"title", fix.title}, {"edits", ListJson(fix.edits, edit_of)}};
}

Json CodeFindingJson(const CodeTexts& texts, const CodeFinding& finding) {
  Json object = {{"rule", finding.rule},
                 {"name", finding.name},
                 {"severity", SeverityName(finding.severity)},
                 {"confidence", std::round(finding.confidence * 100) / 100}};
  AddPlace(finding.file, finding.range, texts, object);
  object["function"] = TextOrNull(finding.function);
  object["message"] = finding.message;
  object["advice"] = TextOrNull(finding.advice);
  object["breaks"] = finding.breaks;
  object["raises"] = finding.is_error;
  object["conditions"] = finding.conditions;
  object["count"] = finding.count;
  object["related"] = ListJson(finding.related, [&](const RelatedPlace& place) {
    Json entry = Json::object();
    AddPlace(place.file, place.range, texts, entry);
    entry["message"] = place.text;
    return entry;
  });
  object["fix"] = finding.fix ? FixJson(*finding.fix) : Json();
  object["fingerprint"] = finding.fingerprint;
  return object;
}

Json FaultJson(const CodeTexts& texts, const CodeFault& fault) {
  Json object = Json::object();
  AddPlace(fault.file, fault.range, texts, object);
  object["message"] = fault.message;
  return object;
}

Json CheckSummaryJson(const CheckResult& result) {
  std::array<size_t, 3> counts{};
  for (const CodeFinding& finding : result.findings) {
    ++counts[static_cast<size_t>(finding.severity)];
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
          {"uncertain", result.uncertain},
          {"not_followed", result.not_followed},
          {"around", result.around},
          {"safe_fixes", CountFixes(result, true)},
          {"unsafe_fixes", CountFixes(result, false)}};
}

}  // namespace

void WriteCheckJson(const CheckResult& result, const CodeTexts& texts, const ReportOptions& options,
                    llvm::raw_ostream& out) {
  JsonStream object("shapewise.check/1", options, out);
  object.Member("summary", CheckSummaryJson(result));
  object.List("findings", result.findings, CodeFindingJson, texts);
  object.List("faults", result.faults, FaultJson, texts);
  object.List("unread", result.unread);
}

void WriteCheckJsonl(const CheckResult& result, const CodeTexts& texts,
                     const ReportOptions& options, llvm::raw_ostream& out) {
  const auto print = [&](const char* type, const Json& members) {
    Json object = {{"type", type}};
    object.update(members);
    out << JsonText(object) << "\n";
  };
  for (const CodeFinding& finding : result.findings)
    print("finding", CodeFindingJson(texts, finding));
  for (const CodeFault& fault : result.faults) print("fault", FaultJson(texts, fault));
  print("summary", {{"schema", "shapewise.check/1"},
                    {"tool", ToolJson(options)},
                    {"summary", CheckSummaryJson(result)},
                    {"unread", result.unread}});
}

}  // namespace shapewise
