// A bucket plan for people: one screen, the answer first.

#include <algorithm>
#include <string>
#include <vector>

#include "report/bucket_facts.h"
#include "report/bucket_text_parts.h"
#include "report/document.h"
#include "report/formats.h"
#include "report/text_finding.h"
#include "result/number_text.h"

namespace shapewise {
namespace {

// Limits without --all.
constexpr size_t kMaxBucketRows = 12;
constexpr size_t kValueColumn = 14;  // column of the texts after their labels

class BucketPage {
 public:
  BucketPage(const BucketReport& report, const ReportOptions& options)
      : report_(report), options_(options), page_("buckets", options.all) {}

  Document Make() {
    AddHead();
    DrawBuckets(report_, options_, page_);
    AddPlan();
    AddFrontier(report_, page_);
    AddModes(report_, page_);
    AddSimulations(report_, page_);
    AddLadders(report_, page_);
    AddNotes();
    AddPaste();
    return std::move(page_);
  }

 private:
  void AddHead() {
    page_.Begin(0, 2).Add(TextStyle::kStrong, HeadlineText(report_));
    const std::string ladder = LadderHeadline(report_);
    if (!ladder.empty()) page_.Begin(0, 2).Add(TextStyle::kStrong, ladder);
    page_.BlankLine();
    Row("recommended", std::string(BucketModeName(report_.mode)) +
                           (report_.why.empty() ? "" : ": " + report_.why));
    std::string calls = Counted(report_.histogram.calls, "call") + " of " +
                        Counted(report_.histogram.counts.size(), "different size");
    if (report_.steps > 0 && report_.steps != report_.histogram.calls) {
      calls += "; " + std::to_string(report_.steps) + " expected";
    }
    Row("calls", calls);
    if (!report_.cost_model.empty()) Row("cost", report_.cost_model + NoiseText());
    const std::string compiling = CompilingText();
    if (!compiling.empty()) Row("compiling", compiling);
    AddPrediction();
  }

  /// By padding, and by cost if that says more.
  void AddPrediction() {
    if (!report_.padding_95) return;
    const auto text_of = [](const ShareInterval& interval) {
      return PercentText(interval.low) + " to " + PercentText(interval.high);
    };
    std::string text = text_of(*report_.padding_95) + " padding";
    if (report_.cost_overhead_95 && HasCosts(report_)) {
      text += ", " + text_of(*report_.cost_overhead_95) + " more cost than without";
    }
    Row("new run", text + ", expected of " + Counted(report_.steps, "call") + " (95 %)");
  }

  /// The reliability of the costs; empty: no sign of errors.
  std::string NoiseText() const {
    return report_.cost_noise > 0 ? ", to ±" + PercentText(report_.cost_noise) : "";
  }

  /// The source of compile times, unless given by the user or assumed, which is printed elsewhere.
  std::string CompilingText() const {
    std::string text;
    const auto add = [&](const std::optional<CompilePrice>& price, const char* what) {
      if (!price || price->source == "told" || price->source == "assumed") return;
      text += (text.empty() ? "" : ", ") + SecondsText(price->seconds) + what + " (" +
              price->source + ")";
    };
    add(report_.static_compile, " a static graph");
    add(report_.dynamic_compile, " a dynamic graph");
    return text;
  }

  void Row(std::string_view label, std::string_view text) {
    page_.Row(0, kValueColumn, label).Add(text);
  }

  void AddPlan() {
    if (report_.mode == BucketMode::kMixed && !report_.served.empty()) AddServed();
    if (report_.boundaries.empty()) return;
    page_.BlankLine();
    const bool is_advised = report_.mode != BucketMode::kDynamic &&
                            (report_.mode != BucketMode::kMixed || report_.served.empty());
    page_.Begin(0, 2).Add(TextStyle::kStrong, is_advised ? "Plan" : "With buckets alone");
    page_.Add(": pad up to the next of " + Counted(report_.boundaries.size(), "size") + " of " +
              DimsText(report_));
    if (page_.all() || report_.boundaries.size() <= kMaxBucketRows) {
      AddBuckets();
    } else {
      page_.Begin(2).Add(TextStyle::kCode, SizesLine(report_.boundaries));
      page_.Begin(2).Add(TextStyle::kFaint, "each with its calls and padding: --all");
    }
    if (!is_advised) return;
    page_.Begin(2, 4).Add(TextStyle::kLabel, "compile ").Add(WarmUpText() + ", and set ");
    page_.Add(TextStyle::kCode,
              "torch._dynamo.config.recompile_limit = " + std::to_string(report_.recompile_limit));
  }

  /// Mode kMixed: how each range of sizes is served.
  void AddServed() {
    page_.AddTitle("Plan: buckets and a dynamic graph");
    Document::Table table({{"sizes"}, {"served by", Document::Table::Align::kLeft}});
    for (const ServedSizes& span : report_.served) {
      std::string by(ServingKindName(span.kind));
      if (IsPadded(span.kind)) by += " " + std::to_string(span.last);
      table.Row({std::to_string(span.first) + "-" + std::to_string(span.last), by});
    }
    page_.AddTable(std::move(table));
  }

  void AddBuckets() {
    uint64_t total = 0;
    const std::vector<BucketUse> uses = BucketUses(report_);
    for (const BucketUse& use : uses) total += use.calls.value_or(0);
    Document::Table table({{"bucket"}, {"calls"}, {"share"}, {"padding within"}});
    for (const BucketUse& use : uses) {
      std::string share;
      if (use.calls && total > 0) {
        share = PercentText(static_cast<double>(*use.calls) / static_cast<double>(total));
      }
      table.Row({SizesText(use.sizes, report_.dims), use.calls ? std::to_string(*use.calls) : "",
                 share, PercentText(use.padding)});
    }
    page_.AddTable(std::move(table));
  }

  /// "largest first", or the order size by size.
  std::string WarmUpText() const {
    std::vector<Sizes> descending = report_.warm_up;
    std::ranges::sort(descending, std::greater<>());
    if (descending == report_.warm_up) return "largest first";
    return "in the order " + SizesLine(report_.warm_up);
  }

  std::string SizesLine(const std::vector<Sizes>& sizes) const {
    std::string text;
    for (const Sizes& one : sizes) {
      text += (text.empty() ? "" : ", ") + SizesText(one, report_.dims);
    }
    return text;
  }

  void AddNotes() {
    std::vector<std::string> notes = BucketNotes(report_);
    for (const std::string& assumption : report_.assumptions) {
      notes.push_back("Assumed: " + assumption);
    }
    notes.insert(notes.end(), report_.gaps.begin(), report_.gaps.end());
    for (const std::string& message : report_.unread) notes.push_back("Not read: " + message);
    page_.AddList("What to keep in mind", notes);
  }

  void AddPaste() {
    std::string names;
    for (const BucketFormat& format : BucketEmitters()) {
      names += (names.empty() ? "" : "|") + std::string(format.name);
    }
    page_.BlankLine();
    page_.Begin(0, 2).Add(TextStyle::kFaint, "To paste: shapewise buckets --emit " + names);
  }

  const BucketReport& report_;
  const ReportOptions& options_;
  Document page_;
};

}  // namespace

Document DescribeBuckets(const BucketReport& report, const ReportOptions& options) {
  return BucketPage(report, options).Make();
}

}  // namespace shapewise
