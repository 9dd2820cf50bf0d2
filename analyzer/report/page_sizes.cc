// Observed sizes with suitable buckets: the drawing, and the same as tables.

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "llvm/ADT/StringExtras.h"
#include "report/bucket_drawing.h"
#include "report/bucket_facts.h"
#include "report/page_sections.h"
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

void AddSizeRows(const SizeHistogram& histogram, Document& page) {
  std::vector<SizeCount> counts = histogram.counts;
  // Sizes are ascending, and the stable sort keeps this among equal counts.
  std::ranges::stable_sort(counts, std::greater(), &SizeCount::calls);
  const size_t shown = std::min(counts.size(), kMaxSizeRows);
  Document::Table table({{"Size"}, {"Calls"}});
  table.caption = "Sizes, most calls first";
  for (size_t i = 0; i < shown; ++i) {
    table.Row({SizesText(counts[i].sizes, histogram.dims), std::to_string(counts[i].calls)});
  }
  page.AddTable(std::move(table));
  AddMore(shown, counts.size(), "size", page);
}

void AddBucketRows(const BucketReport& report, Document& page) {
  Document::Table table({{"Pad up to"}, {"Calls"}, {"Padding"}});
  table.caption = "The plan";
  for (const BucketUse& use : BucketUses(report)) {
    table.Row({SizesText(use.sizes, report.dims),
               use.calls ? std::to_string(*use.calls) : "unknown",
               use.padding ? PercentText(*use.padding) : "unknown"});
  }
  page.AddTable(std::move(table));
}

void AddFrontierRows(const BucketReport& report, Document& page) {
  Document::Table table({{"Buckets"}, {"Padding"}, {"Held-out calls"}, {"Compiles"}});
  table.caption = "More or fewer buckets";
  for (const BucketPoint& point : report.frontier) {
    table.Row({std::to_string(point.buckets), PercentText(point.padding.train),
               point.padding.holdout ? PercentText(*point.padding.holdout) : "unknown",
               std::to_string(point.compiles)});
  }
  page.AddTable(std::move(table));
}

void AddPlan(const ShapePlan& plan, size_t number, Document& page) {
  const BucketReport& report = plan.report;
  const std::string place = PlaceText(plan.where);
  page.AddTitle(plan.dim + " of " + (place.empty() ? "a function without a name" : place),
                Document::TitleKind::kPart);
  page.Begin(0).Add(SourceText(plan));
  page.AddPicture(BucketSvg(report, "plan-" + std::to_string(number) + "-", ""));
  for (const std::string& note : BucketNotes(report)) page.AddItem(note);
  page.AddTitle("The same as tables", Document::TitleKind::kFolded);
  AddSizeRows(report.histogram, page);
  AddBucketRows(report, page);
  AddFrontierRows(report, page);
}

}  // namespace

void AddSizes(const PageInput& input, Document& page) {
  page.AddTitle("Sizes", Document::TitleKind::kSection, "sizes");
  const RunPage& run = input.page;
  if (run.plans.empty()) {
    return AddNothing(
        "No tensor is known to have had two sizes. TORCH_TRACE=DIR records the sizes of calls that "
        "compiled; a recorder (call records, given together with the log) those of every call.",
        page);
  }
  page.Begin(0).Add(
      "How often which sizes came, and the sets of buckets that pad least: predicted from these "
      "calls, for padding only.");
  if (run.varying_dims > run.plans.size()) {
    page.Begin(0).Add(Counted(run.varying_dims - run.plans.size(), "more dim") + " with several ");
    page.Add("sizes: ").Add(TextStyle::kCode, "shapewise buckets").Add(" plans for each");
  }
  for (size_t i = 0; i < run.plans.size(); ++i) AddPlan(run.plans[i], i + 1, page);
}

}  // namespace shapewise
