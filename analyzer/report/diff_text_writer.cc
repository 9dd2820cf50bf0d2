// Prints the comparison for people: the verdict, the totals side by side, new and worse causes in
// full, the rest in one line each.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "report/diff_writers.h"
#include "report/printed_text.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

// Limits without --all.
constexpr size_t kMaxInFull = 12;
constexpr size_t kMaxChangedLines = 6;

constexpr size_t kTotalsBefore = 26;
constexpr size_t kTotalsAfter = 42;

void PrintHeadline(const DiffResult& result, PrintedText& page) {
  const bool is_worse =
      result.verdict == RunVerdict::kWorse || result.verdict == RunVerdict::kMixed;
  page.Begin(0, 2).Add(is_worse ? TextStyle::kError : TextStyle::kStrong, VerdictText(result));
  page.Add(" (" + CountsText(result) + ")").End();
}

void PrintTotals(const DiffResult& result, PrintedText& page) {
  page.BlankLine();
  page.Begin(2, kTotalsAfter).Tab(kTotalsBefore).Add(TextStyle::kFaint, "before");
  page.Tab(kTotalsAfter).Add(TextStyle::kFaint, "after").End();
  for (const TotalsRow& row : TotalsRows(result)) {
    page.Begin(2, kTotalsAfter).Add(row.name).Tab(kTotalsBefore).Add(row.before);
    page.Tab(kTotalsAfter);
    page.Add(row.before == row.after ? TextStyle::kFaint : TextStyle::kStrong, row.after).End();
  }
}

void PrintTitle(std::string_view title, PrintedText& page) {
  page.BlankLine();
  page.Begin(0).Add(TextStyle::kStrong, title).End();
}

void PrintRow(std::string_view label, std::string_view text, PrintedText& page) {
  if (text.empty()) return;
  page.Begin(kFindingIndent, kFindingText).Add(TextStyle::kLabel, label).Tab(kFindingText);
  page.Add(text).End();
}

void PrintRest(size_t shown, size_t all, PrintedText& page) {
  if (shown < all) page.Begin(0).Add("and " + std::to_string(all - shown) + " more: --all").End();
}

/// Prints "warning[SWS001]: message" with a remark in brackets.
void PrintLine(const Finding& finding, std::string_view remark, PrintedText& page) {
  page.Begin(0, 4).Add(std::string(SeverityName(finding.severity)) + "[" + finding.rule + "]: ");
  // Findings read from a baseline have no message.
  page.Add(finding.message.empty() ? IdentityText(finding.identity) : finding.message);
  page.Add(TextStyle::kFaint, " (" + std::string(remark) + ")").End();
}

class DiffPage {
 public:
  DiffPage(const DiffResult& result, const DiffEvidence& evidence, const ReportOptions& options,
           llvm::raw_ostream& out)
      : result_(result),
        evidence_(evidence),
        all_(options.all),
        page_(out, options.width, options.color) {}

  void Print() {
    PrintHeadline(result_, page_);
    PrintTotals(result_, page_);
    PrintNew();
    PrintChanged(/*is_worse=*/true, "Got worse");
    PrintChanged(/*is_worse=*/false, "Changed");
    PrintGone();
    PrintIncomparable();
    if (result_.caveats.empty()) return;
    PrintTitle("What to keep in mind", page_);
    for (const std::string& caveat : result_.caveats) {
      page_.Begin(2, 4).Add("- ").Add(caveat).End();
    }
  }

 private:
  size_t Shown(size_t num, size_t max) const { return all_ ? num : std::min(num, max); }

  void PrintNew() {
    if (result_.fresh.empty()) return;
    PrintTitle("New", page_);
    const size_t shown = Shown(result_.fresh.size(), kMaxInFull);
    for (size_t i = 0; i < shown; ++i) {
      const NewCause& cause = result_.fresh[i];
      if (cause.finding.severity == Severity::kNote) {
        PrintNote(cause.finding, evidence_.after, page_);
      } else {
        PrintFinding(cause.finding, evidence_.after, page_);
      }
      PrintRow("instead of", InsteadText(cause, result_), page_);
      PrintRow("alike", AlikeText(cause), page_);
    }
    PrintRest(shown, result_.fresh.size(), page_);
  }

  void PrintChanged(bool is_worse, std::string_view title) {
    std::vector<const CommonCause*> causes;
    for (const CommonCause& cause : result_.changed) {
      if (cause.is_worse == is_worse) causes.push_back(&cause);
    }
    if (causes.empty()) return;
    PrintTitle(title, page_);
    const size_t shown = Shown(causes.size(), is_worse ? kMaxInFull : kMaxChangedLines);
    for (size_t i = 0; i < shown; ++i) {
      const CommonCause& cause = *causes[i];
      if (is_worse) {
        PrintFinding(cause.after, evidence_.after, page_);
      } else {
        PrintLine(cause.after, PlaceText(cause.after.where), page_);
      }
      PrintRow("change", ChangesText(cause), page_);
      PrintRow("known", MatchText(cause.matched_by), page_);
    }
    PrintRest(shown, causes.size(), page_);
  }

  void PrintGone() {
    if (result_.gone.empty()) return;
    PrintTitle("Gone", page_);
    const size_t shown = Shown(result_.gone.size(), kMaxChangedLines);
    for (size_t i = 0; i < shown; ++i) {
      PrintLine(result_.gone[i], "was there " + Counted(result_.gone[i].count, "time"), page_);
    }
    PrintRest(shown, result_.gone.size(), page_);
  }

  void PrintIncomparable() {
    if (result_.incomparable.empty()) return;
    PrintTitle("Not comparable", page_);
    const size_t shown = Shown(result_.incomparable.size(), kMaxChangedLines);
    for (size_t i = 0; i < shown; ++i) {
      const Incomparable& cause = result_.incomparable[i];
      PrintLine(cause.finding, cause.is_new ? "after" : "before", page_);
    }
    PrintRest(shown, result_.incomparable.size(), page_);
  }

  const DiffResult& result_;
  const DiffEvidence& evidence_;
  const bool all_;
  PrintedText page_;
};

}  // namespace

void WriteDiffText(const DiffResult& result, const DiffEvidence& evidence,
                   const ReportOptions& options, llvm::raw_ostream& out) {
  DiffPage(result, evidence, options, out).Print();
}

}  // namespace shapewise
