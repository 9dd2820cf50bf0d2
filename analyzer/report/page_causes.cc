// A table of all causes. Its first rows are in the page itself; the script filters, sorts and shows
// the others.

#include <algorithm>
#include <string>
#include <utility>

#include "report/json_stream.h"
#include "report/page_sections.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

/// "graph break", "slow steps"
std::string KindText(const Finding& finding) {
  std::string kind = finding.identity.kind;
  std::ranges::replace(kind, '_', ' ');
  return kind;
}

std::string SecondsOf(const Finding& finding) {
  return finding.cost_seconds ? SecondsText(*finding.cost_seconds) : "unknown";
}

Json ActionsJson(const std::vector<Action>& actions) {
  return ListJson(actions, [](const Action& action) -> Json {
    return {{"text", action.text},
            {"code", action.code},
            {"trap", action.trap},
            {"torch", action.torch},
            {"saves_seconds", SecondsJson(action.saves_seconds)}};
  });
}

Json NextStepsJson(const std::vector<NextStep>& steps) {
  return ListJson(steps, [](const NextStep& step) -> Json {
    return {{"text", step.text}, {"code", step.code}};
  });
}

}  // namespace

void AddCauses(const PageInput& input, Document& page) {
  const std::vector<Finding>& findings = input.result.findings;
  page.AddTitle("Causes", Document::TitleKind::kSection, "causes");
  if (findings.empty()) return AddNothing("No causes.", page);
  using Align = Document::Table::Align;
  Document::Table table({{"Severity", Align::kLeft},
                         {"Rule", Align::kLeft, TextStyle::kCode},
                         {"Kind", Align::kLeft},
                         {"Cause", Align::kLeft},
                         {"Place", Align::kLeft, TextStyle::kCode},
                         {"Times"},
                         {"Seconds"},
                         {"Ranks", Align::kLeft}});
  table.id = "causes-table";
  table.caption = "What happened and why, worst first";
  const size_t shown = std::min(findings.size(), kRowsAtOnce);
  for (size_t i = 0; i < shown; ++i) {
    const Finding& finding = findings[i];
    table.Row({std::string(SeverityName(finding.severity)), finding.rule, KindText(finding),
               finding.message, PlaceToLookAt(finding), std::to_string(finding.count),
               SecondsOf(finding), finding.ranks.empty() ? "" : RankRanges(finding.ranks)});
  }
  page.AddTable(std::move(table));
  if (shown == findings.size()) return;
  page.Anchor("causes-rest").Begin(0).Add(Counted(findings.size() - shown, "more cause"));
  page.Add(" in this file: showing them needs JavaScript");
}

Json CausesJson(const PageInput& input) {
  Json causes = Json::array();
  for (const Finding& finding : input.result.findings) {
    causes.push_back({{"severity", SeverityName(finding.severity)},
                      {"rule", finding.rule},
                      {"name", finding.name},
                      {"kind", KindText(finding)},
                      {"message", finding.message},
                      {"look_at", PlaceToLookAt(finding)},
                      {"varied", VariedText(finding)},
                      {"seen", SeenText(finding, input.session)},
                      {"evidence", EvidenceText(finding, input.session)},
                      {"count", finding.count},
                      {"seconds", SecondsJson(finding.cost_seconds)},
                      {"seconds_text", SecondsOf(finding)},
                      {"ranks", finding.ranks},
                      {"ranks_text", finding.ranks.empty() ? "" : RankRanges(finding.ranks)},
                      {"advice", ActionsJson(finding.advice)},
                      {"next_steps", NextStepsJson(finding.next_steps)},
                      {"fingerprint", finding.fingerprint}});
  }
  return causes;
}

}  // namespace shapewise
