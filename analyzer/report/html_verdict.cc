// The top of a page: what was lost and why, and what to do; and its end: what is unknown.

#include <algorithm>
#include <string>
#include <string_view>

#include "report/finding_words.h"
#include "report/html_sections.h"
#include "report/run_words.h"
#include "report/text_finding.h"
#include "report/text_ranks.h"
#include "report/text_steps.h"

namespace shapewise {
namespace {

constexpr size_t kMaxCards = 12;
constexpr size_t kMaxEager = 12;
constexpr size_t kMaxTracks = 4;

/// One row of a card; nothing if it is empty.
template <size_t N>
void WriteTerm(const char (&name)[N], std::string_view text, HtmlOut& html) {
  if (text.empty()) return;
  html.Raw("<dt>").Raw(name).Raw("</dt><dd>").Text(text).Raw("</dd>\n");
}

void WriteSeverity(Severity severity, HtmlOut& html) {
  html.Raw("<span class=\"severity ").Text(SeverityName(severity)).Raw("\">");
  html.Text(SeverityName(severity)).Raw("</span>");
}

void WriteAdvice(const Finding& finding, HtmlOut& html) {
  for (const NextStep& step : finding.next_steps) {
    html.Raw("<dt>next</dt><dd>").Text(step.text).Code(step.code).Raw("</dd>\n");
  }
  if (finding.advice.empty()) return;
  const Action& action = finding.advice.front();
  html.Raw("<dt>fix</dt><dd>").Text(action.text);
  if (!action.torch.empty()) html.Raw(" <small>torch ").Text(action.torch).Raw("</small>");
  if (action.saves_seconds && *action.saves_seconds >= kSecondsWorthSaying) {
    html.Raw(" <small>predicted to save ").Text(SecondsText(*action.saves_seconds));
    html.Raw("</small>");
  }
  html.Code(action.code).Raw("</dd>\n");
  WriteTerm("caveat", action.trap, html);
  const size_t others = finding.advice.size() - 1;
  if (others == 0) return;
  html.Raw("<dt>more</dt><dd>")
      .Text(std::to_string(others) + (others == 1 ? " other fix" : " other fixes"));
  html.Raw(": <code>shapewise explain ").Text(finding.rule).Raw("</code></dd>\n");
}

void WriteCard(const Finding& finding, size_t index, const Session& session, HtmlOut& html) {
  html.Raw("<li class=\"card ").Text(SeverityName(finding.severity)).Raw("\" id=\"cause-");
  html.Number(index + 1).Raw("\">\n<h3>");
  WriteSeverity(finding.severity, html);
  html.Raw(" ").Text(finding.message).Raw("</h3>\n<dl>\n");
  const std::string look_at = PlaceToLookAt(finding);
  if (!look_at.empty()) {
    html.Raw("<dt>look at</dt><dd><code>").Text(look_at).Raw("</code></dd>\n");
  }
  WriteTerm("changed", VariedText(finding), html);
  const std::string evidence = EvidenceText(finding, session);
  WriteTerm("count", SeenText(finding, session) + (evidence.empty() ? "" : ", " + evidence), html);
  WriteAdvice(finding, html);
  html.Raw("<dt>rule</dt><dd><code>").Text(finding.rule).Raw("</code> ").Text(finding.name);
  html.Raw(", fingerprint <code>").Text(finding.fingerprint).Raw("</code></dd>\n</dl>\n");
  if (!finding.events.empty()) {
    html.Raw("<p><a class=\"show\" href=\"#timeline\" data-cause=\"").Number(index);
    html.Raw("\">Show it in the timeline</a></p>\n");
  }
  html.Raw("</li>\n");
}

void WriteEagerList(const std::vector<EagerFunction>& functions, HtmlOut& html) {
  if (functions.empty()) return;
  html.Raw("<p class=\"lost\">").Text(EagerHeadline(functions)).Raw(":</p>\n<ul>\n");
  const size_t shown = std::min(functions.size(), kMaxEager);
  for (size_t i = 0; i < shown; ++i) {
    html.Raw("<li><code>").Text(EagerText(functions[i])).Raw("</code></li>\n");
  }
  if (shown < functions.size()) {
    html.Raw("<li>and ").Number(functions.size() - shown).Raw(" more</li>\n");
  }
  html.Raw("</ul>\n");
}

}  // namespace

void WriteVerdict(const PageInput& input, HtmlOut& html) {
  const LintResult& result = input.result;
  html.Raw("<section id=\"verdict\" aria-labelledby=\"verdict-title\">\n<h1 id=\"verdict-title\">");
  html.Text(HeadlineText(result)).Raw("</h1>\n");
  if (result.summary.costs && result.summary.costs->seconds > 0) {
    html.Raw("<p class=\"cost\">").Text(CostText(*result.summary.costs)).Raw("</p>\n");
  }
  WriteEagerList(result.summary.eager_functions, html);
  if (result.baseline) html.Raw("<p>").Text(BaselineText(*result.baseline)).Raw("</p>\n");
  if (result.ranks && result.ranks->ranks.size() >= 2) {
    const RankWords words = WordsOf(*result.ranks);
    html.Raw("<p>").Text(words.before).Raw("<strong>").Text(words.parted).Raw("</strong>");
    html.Text(words.after).Raw("</p>\n");
  }
  html.Raw("<p class=\"faint\">").Text(RunText(result.summary, input.session)).Raw("</p>\n");
  const auto& tracks = result.steps.tracks;
  for (size_t i = 0; i < std::min(tracks.size(), kMaxTracks); ++i) {
    html.Raw("<p class=\"faint\">").Text(StepTrackText(tracks[i], input.session)).Raw("</p>\n");
  }
  if (result.findings.empty()) {
    html.Nothing("Nothing was found. The end of the page lists what the input does not show.");
  } else {
    const size_t shown = std::min(result.findings.size(), kMaxCards);
    html.Raw("<h2>Worst first</h2>\n<ol class=\"cards\">\n");
    for (size_t i = 0; i < shown; ++i) WriteCard(result.findings[i], i, input.session, html);
    html.Raw("</ol>\n");
    if (shown < result.findings.size()) {
      html.Raw("<p>").Number(result.findings.size() - shown);
      html.Raw(" more are in the table of <a href=\"#causes\">causes</a>.</p>\n");
    }
  }
  html.Raw("</section>\n");
}

void WriteGaps(const PageInput& input, HtmlOut& html) {
  html.Raw(
      "<section id=\"gaps\" aria-labelledby=\"gaps-title\">\n"
      "<h2 id=\"gaps-title\">Not visible in the input</h2>\n");
  if (input.result.gaps.empty() && input.result.unread.empty()) {
    html.Nothing("Nothing is missing that a section above needs.");
  } else {
    html.Raw("<ul>\n");
    for (const std::string& message : input.result.unread) {
      html.Raw("<li>Not read: ").Text(message).Raw("</li>\n");
    }
    for (const std::string& gap : input.result.gaps) {
      html.Raw("<li>").Text(gap).Raw("</li>\n");
    }
    html.Raw("</ul>\n");
  }
  html.Raw("</section>\n");
}

}  // namespace shapewise
