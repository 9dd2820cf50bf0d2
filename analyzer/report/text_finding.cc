#include "report/text_finding.h"

#include <algorithm>

#include "report/finding_words.h"

namespace shapewise {
namespace {

TextStyle StyleOf(Severity severity) {
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

/// Starts the row `label` of a finding, with a hanging indent for its text.
PrintedText& Row(PrintedText& page, std::string_view label) {
  return page.Begin(kFindingIndent, kFindingText).Add(TextStyle::kLabel, label).Tab(kFindingText);
}

void PrintAdvice(const Finding& finding, PrintedText& page) {
  for (const NextStep& step : finding.next_steps) {
    Row(page, "next").Add(step.text).End();
    page.Lines(kFindingText + 2, TextStyle::kCode, step.code);
  }
  if (finding.advice.empty()) return;
  const Action& action = finding.advice.front();
  Row(page, "fix").Add(action.text);
  if (!action.torch.empty()) page.Add(TextStyle::kFaint, " (torch " + action.torch + ")");
  if (action.saves_seconds && *action.saves_seconds >= kSecondsWorthSaying) {
    page.Add(TextStyle::kFaint, ", predicted to save " + SecondsText(*action.saves_seconds));
  }
  page.End();
  page.Lines(kFindingText + 2, TextStyle::kCode, action.code);
  if (!action.trap.empty()) Row(page, "caveat").Add(action.trap).End();
  const size_t others = finding.advice.size() - 1;
  if (others > 0) {
    Row(page, "more").Add(TextStyle::kFaint, std::to_string(others) + (others == 1 ? " other fix" : " other fixes") + ": shapewise explain ");
    page.Add(TextStyle::kFaint, finding.rule).End();
  }
}

}  // namespace

std::string Counted(uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string PlaceText(const Place& place) {
  std::string line = place.file;
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

void PrintFinding(const Finding& finding, const Session& session, PrintedText& page) {
  const TextStyle style = StyleOf(finding.severity);
  page.Begin(0, 4).Add(style, SeverityName(finding.severity));
  page.Add(style, "[" + finding.rule + "]").Add(TextStyle::kStrong, ": " + finding.message).End();
  const std::string place = PlaceToLookAt(finding);
  if (!place.empty()) {
    page.Begin(2, kFindingIndent).Add(TextStyle::kLabel, "--> ").Add(place).End();
  }
  const std::string varied = VariedText(finding);
  if (!varied.empty()) Row(page, "changed").Add(varied).End();
  if (finding.count > 0) {
    Row(page, "count").Add(SeenText(finding, session));
    const std::string evidence = EvidenceText(finding, session);
    if (!evidence.empty()) page.Add(TextStyle::kFaint, ", " + evidence);
    page.End();
  }
  PrintAdvice(finding, page);
}

void PrintNote(const Finding& finding, const Session& session, PrintedText& page) {
  const TextStyle style = StyleOf(finding.severity);
  page.Begin(0, 4).Add(style, SeverityName(finding.severity));
  page.Add(style, "[" + finding.rule + "]").Add(": " + finding.message);
  const std::string evidence = EvidenceText(finding, session);
  const std::string seen = SeenText(finding, session) + (evidence.empty() ? "" : ", " + evidence);
  page.Add(TextStyle::kFaint, " (" + seen + ")").End();
}

}  // namespace shapewise
