// A run as a page: the verdict, and sections on what happened when, why, and what else would have.
// See docs/html-report.md.

#include <algorithm>
#include <string>
#include <string_view>

#include "report/formats.h"
#include "report/page_sections.h"
#include "report/report.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

constexpr size_t kMaxCards = 12;

/// Adds the worst findings in full. The script links them to the timeline by their ids.
void AddCards(const PageInput& input, Document& page) {
  const std::vector<Finding>& findings = input.result.findings;
  if (findings.empty()) {
    return AddNothing("Nothing was found. The end of the page lists what the input does not show.",
                      page);
  }
  const size_t shown = std::min(findings.size(), kMaxCards);
  for (size_t i = 0; i < shown; ++i) {
    const Finding& finding = findings[i];
    page.Anchor("cause-" + std::to_string(i));
    AddFinding(finding, input.session, /*all_fixes=*/true, page);
    page.Row(kFindingIndent, kFindingText, "rule").Add(TextStyle::kCode, finding.rule);
    page.Add(" " + finding.name + ", fingerprint ").Add(TextStyle::kCode, finding.fingerprint);
  }
  if (shown < findings.size()) {
    page.Begin(0).Add(Counted(findings.size() - shown, "more cause") + ": see Causes");
  }
}

void AddPageGaps(const PageInput& input, Document& page) {
  page.AddTitle("Not visible in the input", Document::TitleKind::kSection, "gaps");
  if (input.result.gaps.empty() && input.result.unread.empty()) {
    AddNothing("Nothing is missing that a section above needs.", page);
  }
  for (const std::string& message : input.result.unread) page.AddItem("Not read: " + message);
  for (const std::string& gap : input.result.gaps) page.AddItem(gap);
}

Document DescribePage(const LintResult& result, const Session& session, const RunPage& run,
                      const ReportOptions& options) {
  const RunClocks clocks(result, session);
  const PageInput input{result, session, run, clocks};
  Document page("lint", options.all);
  AddVerdict(result, session, page);
  AddCards(input, page);
  for (PageSection* const add :
       {AddTimeline, AddCauses, AddSizes, AddWhatIfs, AddGuards, AddEager, AddPageGaps}) {
    add(input, page);
  }
  const Json data{{"rows_at_once", kRowsAtOnce},
                  {"causes", CausesJson(input)},
                  {"timeline", TimelineJson(input)}};
  page.SetData(data.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace));
  return page;
}

}  // namespace

void AddNothing(std::string_view why, Document& page) { page.Begin(0).Add(TextStyle::kFaint, why); }

void AddMore(size_t shown, size_t count, std::string_view noun, Document& page) {
  if (shown >= count) return;
  page.Begin(0).Add("and " + Counted(count - shown, "more " + std::string(noun)));
}

void WritePage(const LintResult& result, const Session& session, const RunPage& page,
               const ReportOptions& options, llvm::raw_ostream& out) {
  RenderHtml(DescribePage(result, session, page, options), options, out);
}

void WriteLintHtml(const LintResult& result, const Session& session, const ReportOptions& options,
                   llvm::raw_ostream& out) {
  WritePage(result, session, RunPage(), options, out);
}

}  // namespace shapewise
