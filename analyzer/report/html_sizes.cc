// Observed sizes with suitable buckets: the drawing, and the same as tables.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "llvm/ADT/StringExtras.h"
#include "report/bucket_facts.h"
#include "report/bucket_svg.h"
#include "report/html_sections.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

constexpr size_t kMaxSizeRows = 50;

/// Whose calls these are, and whether they are all.
std::string SourceText(const ShapePlan& plan) {
  const BucketReport& report = plan.report;
  std::string text =
      Counted(report.histogram.calls, "call") + " of " + Counted(plan.distinct, "size");
  if (plan.processes > 1) text += " in " + std::to_string(plan.processes) + " processes";
  if (!plan.is_recorded) {
    text +=
        ": only calls that missed a cache are known, so the number of calls of each size is "
        "unknown; a recorder contains every call.";
  } else {
    text += plan.is_incomplete ? ", as recorded; for more the recorder had no room."
                               : ": every call was recorded.";
  }
  if (!plan.same.empty()) text += " Always as large: " + llvm::join(plan.same, ", ") + ".";
  return text;
}

void WriteSizeRows(const SizeHistogram& histogram, HtmlOut& html) {
  std::vector<SizeCount> counts = histogram.counts;
  // Sizes are ascending, and the stable sort keeps this among equal counts.
  std::ranges::stable_sort(counts, std::greater(), &SizeCount::calls);
  const size_t shown = std::min(counts.size(), kMaxSizeRows);
  html.Raw(
      "<div class=\"scroll\"><table class=\"sortable\"><caption>Sizes, most calls first</caption>\n"
      "<thead><tr><th scope=\"col\">Size</th><th scope=\"col\">Calls</th></tr></thead>\n<tbody>\n");
  for (size_t i = 0; i < shown; ++i) {
    html.Raw("<tr>").NumberCell(SizesText(counts[i].sizes, histogram.dims));
    html.NumberCell(counts[i].calls).Raw("</tr>\n");
  }
  html.Raw("</tbody></table></div>\n");
  if (shown < counts.size()) {
    html.Raw("<p>and ").Number(counts.size() - shown).Raw(" more sizes</p>\n");
  }
}

void WriteBucketRows(const BucketReport& report, HtmlOut& html) {
  html.Raw(
      "<div class=\"scroll\"><table class=\"sortable\"><caption>The plan</caption>\n"
      "<thead><tr><th scope=\"col\">Pad up to</th><th scope=\"col\">Calls</th>"
      "<th scope=\"col\">Padding</th></tr></thead>\n<tbody>\n");
  for (const BucketUse& use : BucketUses(report)) {
    html.Raw("<tr>").NumberCell(SizesText(use.sizes, report.dims));
    html.NumberCell(use.calls ? std::to_string(*use.calls) : "unknown");
    html.NumberCell(use.padding ? PercentText(*use.padding) : "unknown").Raw("</tr>\n");
  }
  html.Raw("</tbody></table></div>\n");
}

void WriteFrontierRows(const BucketReport& report, HtmlOut& html) {
  html.Raw(
      "<div class=\"scroll\"><table class=\"sortable\"><caption>More or fewer buckets</caption>\n"
      "<thead><tr><th scope=\"col\">Buckets</th><th scope=\"col\">Padding</th>"
      "<th scope=\"col\">Held-out calls</th><th scope=\"col\">Compiles</th></tr></thead>\n"
      "<tbody>\n");
  for (const BucketPoint& point : report.frontier) {
    html.Raw("<tr>").NumberCell(point.buckets).NumberCell(PercentText(point.padding.train));
    html.NumberCell(point.padding.holdout ? PercentText(*point.padding.holdout) : "unknown");
    html.NumberCell(point.compiles).Raw("</tr>\n");
  }
  html.Raw("</tbody></table></div>\n");
}

void WritePlan(const ShapePlan& plan, size_t number, HtmlOut& html) {
  const BucketReport& report = plan.report;
  html.Raw("<article class=\"block\">\n<h3><code>").Text(plan.dim).Raw("</code> of ");
  const std::string place = PlaceText(plan.where);
  html.Text(place.empty() ? "a function without a name" : place).Raw("</h3>\n");
  html.Raw("<p>").Text(SourceText(plan)).Raw("</p>\n");
  html.Made(BucketSvg(report, "plan-" + std::to_string(number) + "-", ""));
  html.Raw("<details><summary>The same as tables</summary>\n<div class=\"tables\">\n");
  WriteSizeRows(report.histogram, html);
  WriteBucketRows(report, html);
  WriteFrontierRows(report, html);
  html.Raw("</div></details>\n");
  const std::vector<std::string> notes = BucketNotes(report);
  if (!notes.empty()) {
    html.Raw("<ul class=\"faint\">\n");
    for (const std::string& note : notes) html.Raw("<li>").Text(note).Raw("</li>\n");
    html.Raw("</ul>\n");
  }
  html.Raw("</article>\n");
}

}  // namespace

void WriteSizes(const PageInput& input, HtmlOut& html) {
  html.Raw(
      "<section id=\"sizes\" aria-labelledby=\"sizes-title\">\n"
      "<h2 id=\"sizes-title\">Sizes</h2>\n");
  const RunPage& page = input.page;
  if (page.plans.empty()) {
    html.Nothing(
        "No tensor is known to have had two sizes. TORCH_TRACE=DIR records the sizes of calls that "
        "compiled; a recorder (call records, given together with the log) those of every call.");
    html.Raw("</section>\n");
    return;
  }
  html.Raw(
      "<p>How often which sizes came, and the sets of buckets that pad least: predicted from these "
      "calls, for padding only.</p>\n");
  for (size_t i = 0; i < page.plans.size(); ++i) WritePlan(page.plans[i], i + 1, html);
  if (page.varying_dims > page.plans.size()) {
    html.Raw("<p>").Number(page.varying_dims - page.plans.size());
    html.Raw(" more dims vary; <code>shapewise buckets</code> plans for each.</p>\n");
  }
  html.Raw("</section>\n");
}

}  // namespace shapewise
