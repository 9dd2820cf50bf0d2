// Prints the comparison as a comment on a pull request: GitHub's Markdown, with long lists
// collapsed.

#include <string>
#include <string_view>

#include "report/diff_writers.h"
#include "report/markdown_text.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

/// "**error SWC003** message · place"
std::string FindingText(const Finding& finding) {
  std::string text =
      "**" + std::string(SeverityName(finding.severity)) + " " + MarkdownText(finding.rule) + "** ";
  text += MarkdownText(finding.message.empty() ? IdentityText(finding.identity) : finding.message);
  const std::string place = PlaceText(finding.user.line != 0 ? finding.user : finding.where);
  if (!place.empty()) text += " · " + MarkdownText(place);
  return text;
}

void AddRemark(std::string_view remark, llvm::raw_ostream& out) {
  if (!remark.empty()) out << "  - " << MarkdownText(remark) << "\n";
}

void BeginFold(std::string_view title, size_t count, llvm::raw_ostream& out) {
  out << "\n<details><summary>" << title << " (" << count << ")</summary>\n\n";
}

void EndFold(llvm::raw_ostream& out) { out << "\n</details>\n"; }

void WriteNew(const DiffResult& result, llvm::raw_ostream& out) {
  if (result.fresh.empty()) return;
  out << "\n#### New\n\n";
  for (const NewCause& cause : result.fresh) {
    out << "- " << FindingText(cause.finding) << "\n";
    if (!cause.finding.advice.empty()) AddRemark(cause.finding.advice.front().text, out);
    const std::string replaced = InsteadText(cause, result);
    if (!replaced.empty()) AddRemark("Instead of " + replaced, out);
    AddRemark(AlikeText(cause), out);
  }
}

void WriteCommon(const DiffResult& result, bool is_worse, llvm::raw_ostream& out) {
  for (const CommonCause& cause : result.changed) {
    if (cause.is_worse != is_worse) continue;
    out << "- " << FindingText(cause.after) << "\n";
    AddRemark(ChangesText(cause), out);
    AddRemark(MatchText(cause.matched_by), out);
  }
}

}  // namespace

void WriteDiffMarkdown(const DiffResult& result, const DiffEvidence& /*evidence*/,
                       const ReportOptions& /*options*/, llvm::raw_ostream& out) {
  out << "### shapewise: " << MarkdownText(VerdictText(result)) << "\n\n"
      << MarkdownText(CountsText(result)) << "\n\n| | before | after |\n| --- | --- | --- |\n";
  for (const TotalsRow& row : TotalsRows(result)) {
    out << "| " << MarkdownText(row.name) << " | " << MarkdownText(row.before) << " | "
        << MarkdownText(row.after) << " |\n";
  }
  WriteNew(result, out);
  size_t num_worse = 0;
  for (const CommonCause& cause : result.changed) num_worse += cause.is_worse ? 1 : 0;
  if (num_worse > 0) {
    out << "\n#### Got worse\n\n";
    WriteCommon(result, /*is_worse=*/true, out);
  }
  if (num_worse < result.changed.size()) {
    BeginFold("Changed", result.changed.size() - num_worse, out);
    WriteCommon(result, /*is_worse=*/false, out);
    EndFold(out);
  }
  if (!result.gone.empty()) {
    BeginFold("Gone", result.gone.size(), out);
    for (const Finding& finding : result.gone) out << "- " << FindingText(finding) << "\n";
    EndFold(out);
  }
  if (!result.incomparable.empty()) {
    BeginFold("Not comparable", result.incomparable.size(), out);
    for (const Incomparable& cause : result.incomparable) {
      out << "- " << FindingText(cause.finding) << "\n";
    }
    EndFold(out);
  }
  if (result.caveats.empty()) return;
  out << "\n";
  for (const std::string& caveat : result.caveats) out << "- " << MarkdownText(caveat) << "\n";
}

}  // namespace shapewise
