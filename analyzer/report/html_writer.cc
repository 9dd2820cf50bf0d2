// Prints a run as one self-contained HTML page; input content can only become text. See
// docs/html-report.md.

#include <string>
#include <string_view>

#include "report/builtin_writers.h"
#include "report/html_assets.h"
#include "report/html_out.h"
#include "report/html_sections.h"
#include "report/run_clocks.h"
#include "report/run_words.h"
#include "shapewise/report/page_writer.h"

namespace shapewise {
namespace {

void WriteNavigation(HtmlOut& html) {
  html.Raw(
      "<a class=\"skip\" href=\"#verdict\">Skip to the verdict</a>\n"
      "<nav aria-label=\"Sections\"><span class=\"brand\">shapewise</span>\n"
      "<a href=\"#verdict\">Verdict</a> <a href=\"#timeline\">Timeline</a> "
      "<a href=\"#causes\">Causes</a> <a href=\"#sizes\">Sizes</a> "
      "<a href=\"#what-if\">What if</a> <a href=\"#guards\">Guards</a> "
      "<a href=\"#eager\">Eager</a> <a href=\"#gaps\">Gaps</a>\n"
      "<button type=\"button\" id=\"theme\" hidden>Dark</button></nav>\n<main>\n");
}

}  // namespace

void WritePage(const LintResult& result, const Session& session, const RunPage& page,
               const ReportOptions& options, llvm::raw_ostream& out) {
  const RunClocks clocks(result, session);
  const PageInput input{result, session, page, clocks};
  const std::string script = HtmlScript();
  HtmlOut html(out);
  WriteHtmlHead("shapewise: " + HeadlineText(result), script, html);
  WriteNavigation(html);
  WriteVerdict(input, html);
  WriteTimeline(input, html);
  WriteCauses(input, html);
  WriteSizes(input, html);
  WriteWhatIfs(input, html);
  WriteGuards(input, html);
  WriteEager(input, html);
  WriteGaps(input, html);
  html.Raw("</main>\n<footer>Written by shapewise ").Text(options.tool_version);
  html.Raw(". Predictions and estimates are marked; everything else is from the input.</footer>\n");
  html.Raw("<script type=\"application/json\" id=\"data\">");
  html.Json({{"rows_at_once", kRowsAtOnce},
             {"causes", CausesJson(input)},
             {"timeline", TimelineJson(input)}});
  html.Raw("</script>\n<script>").Made(script).Raw("</script>\n</body>\n</html>\n");
}

void WriteLintHtml(const LintResult& result, const Session& session, const ReportOptions& options,
                   llvm::raw_ostream& out) {
  WritePage(result, session, RunPage(), options, out);
}

}  // namespace shapewise
