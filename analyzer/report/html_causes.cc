// A table of all causes. Its first rows are in the page itself; the script filters, sorts and shows
// the others.

#include <algorithm>
#include <string>
#include <utility>

#include "report/finding_words.h"
#include "report/html_sections.h"
#include "report/json_values.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

using Json = nlohmann::ordered_json;

/// "graph break", "slow steps"
std::string KindText(const Finding& finding) {
  std::string kind = finding.identity.kind;
  std::ranges::replace(kind, '_', ' ');
  return kind;
}

void WriteRow(const Finding& finding, HtmlOut& html) {
  html.Raw("<tr><td><span class=\"severity ").Text(SeverityName(finding.severity)).Raw("\">");
  html.Text(SeverityName(finding.severity)).Raw("</span></td>");
  html.Raw("<td><code>").Text(finding.rule).Raw("</code></td>").Cell(KindText(finding));
  html.Raw("<td>").Text(finding.message);
  const std::string look_at = PlaceToLookAt(finding);
  if (!look_at.empty()) html.Raw("<br><code>").Text(look_at).Raw("</code>");
  html.Raw("</td>").NumberCell(finding.count);
  html.NumberCell(finding.cost_seconds ? SecondsText(*finding.cost_seconds) : "unknown");
  html.Cell(finding.ranks.empty() ? "" : RankRanges(finding.ranks)).Raw("</tr>\n");
}

Json ActionsJson(const std::vector<Action>& actions) {
  Json json = Json::array();
  for (const Action& action : actions) {
    json.push_back({{"text", action.text},
                    {"code", action.code},
                    {"trap", action.trap},
                    {"torch", action.torch},
                    {"saves_seconds", SecondsJson(action.saves_seconds)}});
  }
  return json;
}

Json NextStepsJson(const std::vector<NextStep>& steps) {
  Json json = Json::array();
  for (const NextStep& step : steps) json.push_back({{"text", step.text}, {"code", step.code}});
  return json;
}

}  // namespace

void WriteCauses(const PageInput& input, HtmlOut& html) {
  const auto& findings = input.result.findings;
  html.Raw(
      "<section id=\"causes\" aria-labelledby=\"causes-title\">\n"
      "<h2 id=\"causes-title\">Causes</h2>\n");
  if (findings.empty()) {
    html.Nothing("No causes.").Raw("</section>\n");
    return;
  }
  html.Raw(
      "<div class=\"controls\" id=\"causes-controls\" role=\"search\" "
      "aria-label=\"Filter the causes\" hidden></div>\n"
      "<p id=\"causes-count\" role=\"status\" aria-live=\"polite\"></p>\n"
      "<div class=\"scroll\"><table id=\"causes-table\">\n"
      "<caption>What happened and why, worst first</caption>\n"
      "<thead><tr><th scope=\"col\">Severity</th><th scope=\"col\">Rule</th>"
      "<th scope=\"col\">Kind</th><th scope=\"col\">Cause</th><th scope=\"col\">Times</th>"
      "<th scope=\"col\">Seconds</th><th scope=\"col\">Ranks</th></tr></thead>\n<tbody>\n");
  const size_t shown = std::min(findings.size(), kRowsAtOnce);
  for (size_t i = 0; i < shown; ++i) WriteRow(findings[i], html);
  html.Raw("</tbody>\n</table></div>\n");
  if (shown < findings.size()) {
    html.Raw("<p id=\"causes-rest\">").Number(findings.size() - shown);
    html.Raw(" more are in this file; showing them needs JavaScript.</p>\n");
  }
  html.Raw("</section>\n");
}

Json CausesJson(const PageInput& input) {
  Json causes = Json::array();
  for (const Finding& finding : input.result.findings) {
    causes.push_back(
        {{"severity", SeverityName(finding.severity)},
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
         {"seconds_text", finding.cost_seconds ? SecondsText(*finding.cost_seconds) : "unknown"},
         {"ranks", finding.ranks},
         {"ranks_text", finding.ranks.empty() ? "" : RankRanges(finding.ranks)},
         {"advice", ActionsJson(finding.advice)},
         {"next_steps", NextStepsJson(finding.next_steps)},
         {"fingerprint", finding.fingerprint}});
  }
  return causes;
}

}  // namespace shapewise
