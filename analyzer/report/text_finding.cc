#include "report/text_finding.h"

#include <algorithm>

#include "report/finding_words.h"

namespace shapewise {
namespace {

/// Starts the row `label` of a finding, with a hanging indent for its text.
Document& Row(Document& page, std::string_view label) {
  return page.Row(kFindingIndent, kFindingText, label);
}

void AddAdvice(const Finding& finding, bool all_fixes, Document& page) {
  for (const NextStep& step : finding.next_steps) {
    Row(page, "next").Add(step.text);
    page.AddCode(kFindingText + 2, step.code);
  }
  const size_t shown = std::min(finding.advice.size(), all_fixes ? finding.advice.size() : 1);
  for (size_t i = 0; i < shown; ++i) {
    const Action& action = finding.advice[i];
    Row(page, i == 0 ? "fix" : "or").Add(action.text);
    if (!action.torch.empty()) page.Add(TextStyle::kFaint, " (torch " + action.torch + ")");
    if (action.saves_seconds && *action.saves_seconds >= kSecondsWorthSaying) {
      page.Add(TextStyle::kFaint, ", predicted to save " + SecondsText(*action.saves_seconds));
    }
    page.AddCode(kFindingText + 2, action.code);
    if (!action.trap.empty()) Row(page, "caveat").Add(action.trap);
  }
  const size_t others = finding.advice.size() - shown;
  if (others > 0) {
    Row(page, "more")
        .Add(TextStyle::kFaint,
             std::to_string(others) + (others == 1 ? " other fix" : " other fixes") + ": --all");
  }
}

}  // namespace

TextStyle SeverityStyle(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return TextStyle::kNote;
    case Severity::kWarning:
      return TextStyle::kWarning;
    case Severity::kError:
      return TextStyle::kError;
  }
  return TextStyle::kPlain;
}

std::string_view KnownPath(std::string_view file) {
  for (const std::string_view folder :
       {"/site-packages/", "/dist-packages/", R"(\site-packages\)", R"(\dist-packages\)"}) {
    const size_t at = file.rfind(folder);
    if (at != std::string_view::npos) return file.substr(at + folder.size());
  }
  return file;
}

std::string PlaceText(const Place& place) {
  std::string line(KnownPath(place.file));
  if (place.line != 0) line += (line.empty() ? "line " : ":") + std::to_string(place.line);
  if (place.function.empty()) return line;
  return line.empty() ? place.function : place.function + " (" + line + ")";
}

std::string IdentityText(const Identity& identity) {
  std::string text = identity.kind;
  std::replace(text.begin(), text.end(), '_', ' ');
  if (!identity.type.empty()) text += " " + identity.type;
  if (!identity.function.empty()) text += " in " + identity.function;
  if (!identity.file.empty()) text += " (" + identity.file + ")";
  if (!identity.guard_class.empty()) text += ": " + identity.guard_class;
  if (!identity.source.empty()) text += " of " + identity.source;
  if (identity.dim >= 0) text += ", dim " + std::to_string(identity.dim);
  return text;
}

void AddFindingHead(Severity severity, const std::string& rule, const std::string& message,
                    Document& page) {
  page.Begin(0, 4)
      .Add(SeverityStyle(severity), std::string(SeverityName(severity)) + "[" + rule + "]")
      .Add(TextStyle::kStrong, ": " + message);
}

void AddFinding(const Finding& finding, const Session& session, bool all_fixes, Document& page) {
  AddFindingHead(finding.severity, finding.rule, finding.message, page);
  const std::string place = PlaceToLookAt(finding);
  if (!place.empty()) {
    page.Begin(2, kFindingIndent).Add(TextStyle::kArrow, "--> ").Add(place);
  }
  const std::string varied = VariedText(finding);
  if (!varied.empty()) Row(page, "changed").Add(varied);
  if (finding.count > 0) {
    Row(page, "count").Add(SeenText(finding, session));
    const std::string evidence = EvidenceText(finding, session);
    if (!evidence.empty()) page.Add(TextStyle::kFaint, ", " + evidence);
  }
  AddAdvice(finding, all_fixes, page);
}

void AddNote(const Finding& finding, const Session& session, Document& page) {
  const TextStyle style = SeverityStyle(finding.severity);
  page.Begin(0, 4).Add(style, SeverityName(finding.severity));
  page.Add(style, "[" + finding.rule + "]").Add(": " + finding.message);
  const std::string evidence = EvidenceText(finding, session);
  const std::string seen = SeenText(finding, session) + (evidence.empty() ? "" : ", " + evidence);
  page.Add(TextStyle::kFaint, " (" + seen + ")");
}

void AddGaps(const std::vector<std::string>& gaps, Document& page) {
  if (gaps.size() != 1) return page.AddList("Not visible in this log", gaps);
  page.BlankLine();
  page.Begin(0, 2).Add(gaps.front());
}

}  // namespace shapewise
