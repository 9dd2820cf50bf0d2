#include "report/formats.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "llvm/ADT/StringExtras.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kConditionTexts = {{
    {"training", "only in training"},
    {"evaluation", "only in evaluation"},
    {"argument", "only where an optional argument is given"},
    {"dtype", "only for some dtype, or under autocast"},
    {"setting", "only with a setting on"},
    {"raises", "only before an error is raised"},
    {"device", "only on some devices"},
    {"python", "only if a condition on sizes, types or flags holds"},
    {"except", "only after an exception"},
    {"input", "only where an optional tensor is given"},
    {"uncalled", "only where compiled code calls the function"},
    {"once", "only in the first call"},
    {"replaced", "unless a decorator replaces this function"},
}};

std::string PlaceOfRange(const CodeRange& range) {
  std::string text;
  if (range.cell != 0) text += ":cell " + std::to_string(range.cell);
  if (range.line != 0) text += ":" + std::to_string(range.line);
  if (range.line != 0 && range.column != 0) text += ":" + std::to_string(range.column);
  return text;
}

Diagnostic FromCodeFinding(const CodeFinding& finding, const CodeTexts& texts, Silence silence) {
  Diagnostic diagnostic;
  diagnostic.rule = finding.rule;
  diagnostic.name = finding.name;
  diagnostic.severity = finding.severity;
  diagnostic.message = finding.message;
  diagnostic.file = finding.file;
  diagnostic.range = texts.InFile(finding.file, finding.range);
  diagnostic.function = finding.function;
  diagnostic.help = finding.advice;
  if (finding.is_error) {
    diagnostic.details.emplace_back("raises an error, because of fullgraph=True");
  }
  for (const std::string& condition : finding.conditions) {
    diagnostic.details.push_back(ConditionText(condition));
  }
  if (finding.range.cell != 0) {
    diagnostic.details.push_back("cell " + std::to_string(finding.range.cell) + ", line " +
                                 std::to_string(finding.range.line) + " of it");
  }
  diagnostic.breaks = finding.breaks;
  diagnostic.confidence = finding.confidence;
  for (size_t i = 0; i + finding.folded.size() < finding.related.size(); ++i) {
    const RelatedPlace& place = finding.related[i];
    diagnostic.related.push_back({place.file, texts.InFile(place.file, place.range), place.text});
  }
  // Edits in a cell do not apply to the JSON file of the notebook.
  if (finding.range.cell == 0) diagnostic.fix = finding.fix;
  diagnostic.fingerprint = finding.fingerprint;
  diagnostic.silence = silence;
  return diagnostic;
}

/// Adds `finding`, and each finding folded into it: services show a message where it belongs.
void AddCodeFinding(const CodeFinding& finding, const CodeTexts& texts, Silence silence,
                    std::vector<Diagnostic>& diagnostics) {
  diagnostics.push_back(FromCodeFinding(finding, texts, silence));
  auto place = finding.related.end() - static_cast<std::ptrdiff_t>(finding.folded.size());
  for (const CodeFinding& folded : finding.folded) {
    Diagnostic& diagnostic = diagnostics.emplace_back(FromCodeFinding(folded, texts, silence));
    diagnostic.file = place->file;
    diagnostic.range = texts.InFile(place->file, place->range);
    diagnostic.is_repeat = true;
    ++place;
  }
}

Diagnostic FromFault(const CodeFault& fault, const CodeTexts& texts) {
  Diagnostic diagnostic;
  diagnostic.rule = fault.rule;
  diagnostic.name = fault.name;
  diagnostic.severity = fault.severity;
  diagnostic.message = fault.message;
  diagnostic.file = fault.file;
  diagnostic.range = texts.InFile(fault.file, fault.range);
  diagnostic.help = fault.advice;
  return diagnostic;
}

Diagnostic FromLintFinding(const Finding& finding, const Session& session) {
  Diagnostic diagnostic;
  diagnostic.rule = finding.rule;
  diagnostic.name = finding.name;
  diagnostic.severity = finding.severity;
  diagnostic.message = finding.message.empty() ? IdentityText(finding.identity) : finding.message;
  const Place& place =
      finding.user.line != 0 && !finding.user.file.empty() ? finding.user : finding.where;
  diagnostic.file = place.file;
  diagnostic.range.line = diagnostic.range.end_line = place.line;
  diagnostic.function = finding.where.function;
  if (!finding.advice.empty()) {
    diagnostic.help = finding.advice.front().text;
  } else if (!finding.next_steps.empty()) {
    diagnostic.help = finding.next_steps.front().text;
  }
  if (finding.count > 0) diagnostic.details.push_back("seen " + Counted(finding.count, "time"));
  if (finding.cost_seconds && *finding.cost_seconds > 0) {
    diagnostic.details.push_back("cost " + SecondsText(*finding.cost_seconds));
  }
  if (!finding.ranks.empty()) diagnostic.details.push_back(RanksText(finding.ranks));
  if (finding.runs_eager) diagnostic.details.emplace_back("has run eagerly since");
  if (!finding.events.empty()) {
    const Event& first = session.events()[finding.events.front()];
    diagnostic.log = session.inputs()[first.input].name;
    diagnostic.log_line = static_cast<uint32_t>(std::min<uint64_t>(first.line, UINT32_MAX));
  } else if (!session.inputs().empty()) {
    diagnostic.log = session.inputs().front().name;
  }
  if (finding.identity.type.starts_with("GB")) diagnostic.breaks = {finding.identity.type};
  diagnostic.fingerprint = finding.fingerprint;
  return diagnostic;
}

}  // namespace

std::string ConditionText(std::string_view condition) {
  for (const auto& [name, text] : kConditionTexts) {
    if (name == condition) return std::string(text);
  }
  return "only under: " + std::string(condition);
}

std::string CodePlaceText(const std::string& file, const CodeRange& range) {
  return file + PlaceOfRange(range);
}

std::string SeveritiesText(const std::vector<Diagnostic>& diagnostics) {
  std::vector<std::string> parts;
  for (const Severity severity : {Severity::kError, Severity::kWarning, Severity::kNote}) {
    const auto count = std::ranges::count_if(diagnostics, [&](const Diagnostic& diagnostic) {
      return diagnostic.severity == severity && diagnostic.silence == Silence::kNone &&
             !diagnostic.is_repeat;
    });
    if (count > 0) parts.push_back(Counted(static_cast<uint64_t>(count), SeverityName(severity)));
  }
  if (parts.empty()) return "no findings";
  const std::string last = parts.back();
  parts.pop_back();
  return parts.empty() ? last : llvm::join(parts, ", ") + " and " + last;
}

DiagnosticReport CheckDiagnostics(const CheckResult& result, const CodeTexts& texts) {
  DiagnosticReport report;
  report.command = "check";
  for (const CodeFault& fault : result.faults) {
    report.diagnostics.push_back(FromFault(fault, texts));
  }
  for (const CodeFinding& finding : result.findings) {
    AddCodeFinding(finding, texts, Silence::kNone, report.diagnostics);
  }
  // Both lists are ordered by file and place; merge them in the same order.
  std::ranges::stable_sort(report.diagnostics, [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.file, a.range, a.rule) < std::tie(b.file, b.range, b.rule);
  });
  const auto repeats = std::ranges::count_if(report.diagnostics, &Diagnostic::is_repeat);
  report.verdict = SeveritiesText(report.diagnostics);
  if (repeats > 0) report.verdict += " at " + Counted(report.diagnostics.size(), "place");
  report.verdict += " in " + Counted(result.files, "file");
  if (result.changed_files) {
    report.verdict += " (" + std::to_string(*result.changed_files) + " changed)";
  }
  for (const CodeFinding& finding : result.suppressed_findings) {
    AddCodeFinding(finding, texts, Silence::kComment, report.diagnostics);
  }
  for (const CodeFinding& finding : result.known_findings) {
    AddCodeFinding(finding, texts, Silence::kBaseline, report.diagnostics);
  }
  const auto remark = [&](uint64_t count, const std::string& why) {
    if (count > 0) report.remarks.push_back(Counted(count, "finding") + " " + why);
  };
  remark(result.suppressed, "suppressed by comments in the code.");
  remark(result.known, "suppressed by the baseline.");
  remark(result.outside_diff, "left out: not introduced by the change.");
  remark(result.uncertain, "left out: too uncertain.");
  report.unread = result.unread;
  return report;
}

DiagnosticReport LintDiagnostics(const LintResult& result, const Session& session) {
  DiagnosticReport report;
  report.command = "lint";
  for (const Finding& finding : result.findings) {
    report.diagnostics.push_back(FromLintFinding(finding, session));
  }
  report.verdict =
      SeveritiesText(report.diagnostics) + " in a run of " + Counted(result.summary.lines, "line");
  if (result.baseline) {
    for (const Finding& finding : result.baseline->held_back) {
      report.diagnostics.push_back(FromLintFinding(finding, session));
      report.diagnostics.back().silence = Silence::kBaseline;
    }
  }
  report.remarks = result.gaps;
  report.unread = result.unread;
  return report;
}

}  // namespace shapewise
