// The comparison for people: the verdict, the totals side by side, new and worse causes in
// full, the rest in one line each.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "report/diff_writers.h"
#include "report/document.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

// Limits without --all.
constexpr size_t kMaxInFull = 12;
constexpr size_t kMaxChangedLines = 6;

void AddHeadline(const DiffResult& result, Document& page) {
  const bool is_worse =
      result.verdict == RunVerdict::kWorse || result.verdict == RunVerdict::kMixed;
  page.Begin(0, 2).Add(is_worse ? TextStyle::kError : TextStyle::kStrong, VerdictText(result));
  page.Add(" (" + CountsText(result) + ")");
}

void AddTotals(const DiffResult& result, Document& page) {
  using Align = Document::Table::Align;
  Document::Table table({{"", Align::kLeft}, {"before"}, {"after"}});
  for (const TotalsRow& row : TotalsRows(result)) {
    table.Row({row.name, row.before, row.after},
              row.before == row.after ? TextStyle::kPlain : TextStyle::kStrong);
  }
  page.BlankLine();
  page.AddTable(std::move(table));
}

void AddRow(std::string_view label, std::string_view text, Document& page) {
  if (text.empty()) return;
  page.Row(kFindingIndent, kFindingText, label);
  page.Add(text);
}

/// Adds "warning[SWS001]: message" with a remark in brackets.
void AddLine(const Finding& finding, std::string_view remark, Document& page) {
  page.Begin(0, 4).Add(std::string(SeverityName(finding.severity)) + "[" + finding.rule + "]: ");
  // Findings read from a baseline have no message.
  page.Add(finding.message.empty() ? IdentityText(finding.identity) : finding.message);
  page.Add(TextStyle::kFaint, " (" + std::string(remark) + ")");
}

class DiffPage {
 public:
  DiffPage(const DiffResult& result, const DiffEvidence& evidence, const ReportOptions& options)
      : result_(result), evidence_(evidence), page_("diff", options.all) {}

  Document Make() {
    AddHeadline(result_, page_);
    AddTotals(result_, page_);
    AddNew();
    AddChanged(/*is_worse=*/true);
    AddChanged(/*is_worse=*/false);
    AddGone();
    AddIncomparable();
    page_.AddList("What to keep in mind", result_.caveats);
    return std::move(page_);
  }

 private:
  void AddNew() {
    if (result_.fresh.empty()) return;
    page_.AddTitle("New");
    page_.AddSome(result_.fresh, kMaxInFull, "cause", 0, [&](const NewCause& cause) {
      if (cause.finding.severity == Severity::kNote) {
        AddNote(cause.finding, evidence_.after, page_);
      } else {
        AddFinding(cause.finding, evidence_.after, page_.all(), page_);
      }
      AddRow("instead of", InsteadText(cause, result_), page_);
      AddRow("alike", AlikeText(cause), page_);
    });
  }

  void AddChanged(bool is_worse) {
    std::vector<const CommonCause*> causes;
    for (const CommonCause& cause : result_.changed) {
      if (cause.is_worse == is_worse) causes.push_back(&cause);
    }
    if (causes.empty()) return;
    page_.AddTitle(is_worse ? "Got worse" : "Changed",
                   is_worse ? Document::TitleKind::kSection : Document::TitleKind::kFolded);
    const size_t limit = is_worse ? kMaxInFull : kMaxChangedLines;
    page_.AddSome(causes, limit, "cause", 0, [&](const CommonCause* cause) {
      if (is_worse) {
        AddFinding(cause->after, evidence_.after, page_.all(), page_);
      } else {
        AddLine(cause->after, PlaceText(cause->after.where), page_);
      }
      AddRow("change", ChangesText(*cause), page_);
      AddRow("known", MatchText(cause->matched_by), page_);
    });
  }

  void AddGone() {
    if (result_.gone.empty()) return;
    page_.AddTitle("Gone", Document::TitleKind::kFolded);
    page_.AddSome(result_.gone, kMaxChangedLines, "cause", 0, [&](const Finding& finding) {
      AddLine(finding, "was there " + Counted(finding.count, "time"), page_);
    });
  }

  void AddIncomparable() {
    if (result_.incomparable.empty()) return;
    page_.AddTitle("Not comparable", Document::TitleKind::kFolded);
    page_.AddSome(result_.incomparable, kMaxChangedLines, "cause", 0,
                  [&](const Incomparable& cause) {
                    AddLine(cause.finding, cause.is_new ? "after" : "before", page_);
                  });
  }

  const DiffResult& result_;
  const DiffEvidence& evidence_;
  Document page_;
};

}  // namespace

Document DescribeDiff(const DiffResult& result, const DiffEvidence& evidence,
                      const ReportOptions& options) {
  return DiffPage(result, evidence, options).Make();
}

}  // namespace shapewise
