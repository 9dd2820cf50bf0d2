// The timeline section of a page: its frame, which the script fills, and its content without a
// script.

#include <algorithm>
#include <optional>
#include <string>

#include "report/html_sections.h"
#include "report/run_words.h"
#include "report/text_finding.h"
#include "report/text_steps.h"

namespace shapewise {
namespace {

constexpr size_t kMaxTimelines = 100;
constexpr size_t kMaxSlowSteps = 100;

std::string OrUnknown(const std::optional<double>& seconds) {
  return seconds ? SecondsText(*seconds) : "unknown";
}

void WriteFunctions(const std::vector<FunctionCost>& functions, HtmlOut& html) {
  if (functions.empty()) {
    html.Nothing(
        "The compile time of each function is unknown; a run with TORCH_TRACE=DIR records it.");
    return;
  }
  const size_t shown = std::min(functions.size(), kMaxTimelines);
  html.Raw("<details><summary>Seconds by function</summary>\n");
  html.Raw(
      "<div class=\"scroll\"><table class=\"sortable\">\n"
      "<caption>Compile time of each function, over all processes, most expensive first</caption>\n"
      "<thead><tr><th scope=\"col\">Function</th><th scope=\"col\">Compiles</th>"
      "<th scope=\"col\">Recompiles</th><th scope=\"col\">Failed</th><th scope=\"col\">Seconds</th>"
      "<th scope=\"col\">Of it recompiles</th><th "
      "scope=\"col\">Phases</th></tr></thead>\n<tbody>\n");
  for (size_t i = 0; i < shown; ++i) {
    const FunctionCost& function = functions[i];
    html.Raw("<tr><th scope=\"row\"><code>").Text(PlaceText(function.where)).Raw("</code></th>");
    html.NumberCell(function.compiles).NumberCell(function.recompiles).NumberCell(function.failed);
    html.NumberCell(OrUnknown(function.seconds));
    html.NumberCell(OrUnknown(function.recompile_seconds));
    html.Cell(PhasesText(function.phases)).Raw("</tr>\n");
  }
  html.Raw("</tbody>\n</table></div>\n");
  if (shown < functions.size()) {
    html.Raw("<p>and ").Number(functions.size() - shown).Raw(" that took less</p>\n");
  }
  html.Raw("</details>\n");
}

/// "every 30.1 s, 12 times, 0.42 s each; smap_gather_stats ran during 11 of them"
std::string StallText(const Stall& stall) {
  std::string text = "A stall with no compilation comes back every ";
  text += stall.is_by_steps ? Counted(static_cast<uint64_t>(stall.period_steps), "step")
                            : SecondsText(stall.period);
  text += ": " + Counted(stall.count, "time") + ", " + StepText(stall.seconds) + " each, " +
          SecondsText(stall.total_seconds) + " in all";
  if (!stall.company) return text + ".";
  const StallCompanion& company = *stall.company;
  text += "; " + company.function + " of " + company.process + " ran during " +
          std::to_string(company.stalls_with) + " of them and during " +
          std::to_string(company.others_with) + " of " + std::to_string(company.others) +
          " other steps";
  return text + ".";
}

void WriteSlowSteps(const PageInput& input, HtmlOut& html) {
  size_t count = 0;
  for (const StepTrack& track : input.result.steps.tracks) count += track.slow.size();
  for (const StepTrack& track : input.result.steps.tracks) {
    if (track.stall) html.Raw("<p>").Text(StallText(*track.stall)).Raw("</p>\n");
  }
  if (count == 0) return;
  html.Raw("<details><summary>Slow steps (").Number(count).Raw(")</summary>\n");
  html.Raw(
      "<div class=\"scroll\"><table class=\"sortable\">\n"
      "<caption>Steps that took longer than others, in order of time</caption>\n"
      "<thead><tr><th scope=\"col\">Input</th><th scope=\"col\">Rank</th><th "
      "scope=\"col\">Step</th>"
      "<th scope=\"col\">Took</th><th scope=\"col\">Others</th><th scope=\"col\">With</th>"
      "<th scope=\"col\">Function</th></tr></thead>\n<tbody>\n");
  size_t shown = 0;
  for (const StepTrack& track : input.result.steps.tracks) {
    for (const SlowStep& slow : track.slow) {
      if (++shown > kMaxSlowSteps) break;
      const bool is_stall = slow.cause == SlowCause::kUnexplained && track.stall;
      html.Raw("<tr>").Cell(input.session.inputs()[track.input].name);
      html.NumberCell(track.rank < 0 ? "" : std::to_string(track.rank));
      html.NumberCell(slow.number < 0 ? std::to_string(slow.index) : std::to_string(slow.number));
      html.NumberCell(StepText(slow.seconds)).NumberCell(StepText(track.median));
      html.Cell(is_stall ? "stall" : SlowCauseName(slow.cause));
      html.Cell(PlaceText(slow.function)).Raw("</tr>\n");
    }
  }
  html.Raw("</tbody>\n</table></div>\n");
  if (count > kMaxSlowSteps) {
    html.Raw("<p>and ").Number(count - kMaxSlowSteps).Raw(" more</p>\n");
  }
  html.Raw("</details>\n");
}

}  // namespace

void WriteTimeline(const PageInput& input, HtmlOut& html) {
  html.Raw(
      "<section id=\"timeline\" aria-labelledby=\"timeline-title\">\n"
      "<h2 id=\"timeline-title\">Timeline</h2>\n");
  if (input.session.compilations().empty() && input.session.events().empty() &&
      input.session.spans().empty()) {
    html.Nothing("No compilation, event or step is in the input: TORCH_TRACE=DIR records them.");
  } else {
    html.Raw(
        "<noscript><p>The drawing needs JavaScript; the tables below do not.</p></noscript>\n"
        "<div id=\"timeline-view\" hidden></div>\n"
        "<p id=\"timeline-chosen\" role=\"status\" aria-live=\"polite\"></p>\n"
        "<div id=\"timeline-table\" hidden></div>\n");
  }
  if (input.result.steps.tracks.empty()) {
    html.Nothing(
        "The steps are unknown: add a profile of torch.profiler or a table time,seconds to the "
        "log, or --steps to read the program's own prints.");
  }
  WriteSlowSteps(input, html);
  WriteFunctions(input.result.functions, html);
  html.Raw("</section>\n");
}

}  // namespace shapewise
