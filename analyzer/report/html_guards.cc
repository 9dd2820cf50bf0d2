// The cost of guards per call: a heat map of functions by kinds of guards, and repeated guards.

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "llvm/Support/FormatVariadic.h"
#include "report/html_sections.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

constexpr size_t kMaxKinds = 10;
constexpr size_t kMaxFunctionSources = 8;  // per function
constexpr int kMaxHeat = 8;                // also in report.css

std::string MicrosText(double us) {
  return us < 10 ? llvm::formatv("{0:F1} us", us).str() : std::to_string(std::llround(us)) + " us";
}

/// The most frequent kinds over all functions, most first.
std::vector<std::string> KindsOf(const std::vector<GuardHeat>& rows) {
  std::map<std::string, uint64_t> totals;
  for (const GuardHeat& row : rows) {
    for (const auto& [kind, count] : row.kinds) totals[kind] += count;
  }
  std::vector<std::pair<std::string, uint64_t>> sorted(totals.begin(), totals.end());
  std::ranges::stable_sort(sorted, std::greater(), &std::pair<std::string, uint64_t>::second);
  std::vector<std::string> kinds;
  for (auto& [kind, count] : sorted) {
    if (kinds.size() == kMaxKinds) break;
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

/// From 0 to kMaxHeat, by the square root, so that small counts are distinguishable from zero.
int HeatOf(double us, double most) {
  if (us <= 0 || most <= 0) return 0;
  return std::clamp(static_cast<int>(std::ceil(std::sqrt(us / most) * kMaxHeat)), 1, kMaxHeat);
}

void WriteHeatCell(uint64_t count, double us, double most, HtmlOut& html) {
  html.Raw("<td class=\"heat heat-").Number(static_cast<uint64_t>(HeatOf(us, most)));
  html.Raw("\" title=\"").Text(MicrosText(us) + " estimated").Raw("\">");
  if (count > 0) html.Number(count);
  html.Raw("</td>");
}

void WriteMap(const std::vector<GuardHeat>& rows, HtmlOut& html) {
  const std::vector<std::string> kinds = KindsOf(rows);
  double most = 0;
  for (const GuardHeat& row : rows) {
    for (const auto& [kind, count] : row.kinds) {
      most = std::max(most, static_cast<double>(count) * row.leaf_us);
    }
  }
  html.Raw(
      "<div class=\"scroll\"><table class=\"sortable heat-map\">\n<caption>Guards of the most "
      "expensive entry of each function, by kind; a stronger color means more "
      "microseconds</caption>\n"
      "<thead><tr><th scope=\"col\">Function</th><th scope=\"col\">Entry</th>"
      "<th scope=\"col\">A call, estimated</th><th scope=\"col\">Measured cold</th>"
      "<th scope=\"col\">Guards</th>");
  for (const std::string& kind : kinds) {
    html.Raw("<th scope=\"col\"><code>").Text(kind).Raw("</code></th>");
  }
  html.Raw("<th scope=\"col\">Others</th></tr></thead>\n<tbody>\n");
  for (const GuardHeat& row : rows) {
    const std::string place = PlaceText(row.where);
    html.Raw("<tr><th scope=\"row\"><code>").Text(place.empty() ? "not named" : place);
    html.Raw("</code></th>").Cell(row.compile_id);
    html.NumberCell(MicrosText(row.guards_us + row.call_us));
    html.NumberCell(row.measured_us ? MicrosText(*row.measured_us) : "unknown");
    html.NumberCell(row.guards);
    uint64_t others = row.guards;
    for (const std::string& kind : kinds) {
      const auto found =
          std::ranges::find(row.kinds, kind, &std::pair<std::string, uint64_t>::first);
      const uint64_t count = found == row.kinds.end() ? 0 : found->second;
      others -= std::min(count, others);
      WriteHeatCell(count, static_cast<double>(count) * row.leaf_us, most, html);
    }
    WriteHeatCell(others, static_cast<double>(others) * row.leaf_us, most, html);
    html.Raw("</tr>\n");
  }
  html.Raw("</tbody></table></div>\n");
}

/// The reasons for high counts: repeated sources, conditions in Python.
void WriteSources(const std::vector<GuardHeat>& rows, HtmlOut& html) {
  const bool has_any = std::ranges::any_of(
      rows, [](const GuardHeat& row) { return !row.families.empty() || !row.lambdas.empty(); });
  if (!has_any) return;
  html.Raw(
      "<details><summary>What they are on</summary>\n"
      "<div class=\"scroll\"><table class=\"sortable\">\n<caption>Sources that repeat for each of "
      "several objects, and conditions evaluated in Python</caption>\n"
      "<thead><tr><th scope=\"col\">Function</th><th scope=\"col\">What</th>"
      "<th scope=\"col\">On</th><th scope=\"col\">Guards</th><th scope=\"col\">Objects</th>"
      "</tr></thead>\n<tbody>\n");
  for (const GuardHeat& row : rows) {
    const std::string place = PlaceText(row.where);
    size_t reported = 0;
    for (const GuardFamilyHeat& family : row.families) {
      if (++reported > kMaxFunctionSources) break;
      html.Raw("<tr><td><code>").Text(place).Raw("</code></td><td>repeats</td><td><code>");
      html.Text(family.source).Raw("</code></td>").NumberCell(family.guards);
      html.NumberCell(family.members).Raw("</tr>\n");
    }
    reported = 0;
    for (const auto& [text, count] : row.lambdas) {
      if (++reported > kMaxFunctionSources) break;
      html.Raw("<tr><td><code>").Text(place).Raw("</code></td><td>in Python</td><td><code>");
      html.Text(text).Raw("</code></td>").NumberCell(count).NumberCell("").Raw("</tr>\n");
    }
  }
  html.Raw("</tbody></table></div>\n</details>\n");
}

}  // namespace

void WriteGuards(const PageInput& input, HtmlOut& html) {
  const std::vector<GuardHeat>& rows = input.page.guards;
  html.Raw(
      "<section id=\"guards\" aria-labelledby=\"guards-title\">\n"
      "<h2 id=\"guards-title\">Guards</h2>\n");
  if (rows.empty()) {
    html.Nothing(
        "No tree of guards is in the input: TORCH_TRACE=DIR records it, TORCH_LOGS=guards prints "
        "it (torch 2.5 or newer).");
    html.Raw("</section>\n");
    return;
  }
  html.Raw(
      "<p>At every call the guards of a cache entry are evaluated before its graph runs. "
      "Microseconds are estimated from counts, for warm caches, and good to a factor of "
      "two.</p>\n");
  WriteMap(rows, html);
  if (input.page.functions_guarded > rows.size()) {
    html.Raw("<p>").Number(input.page.functions_guarded - rows.size());
    html.Raw(" more functions have cheaper guards.</p>\n");
  }
  WriteSources(rows, html);
  html.Raw("</section>\n");
}

}  // namespace shapewise
