// A run as a page: the verdict, and sections on what happened when, why, and what else would have.
// See docs/html-report.md.

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "report/bucket_facts.h"
#include "report/formats.h"
#include "report/page_sections.h"
#include "report/report.h"
#include "report/result_json.h"
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

/// "graph break", "slow steps"
std::string KindText(const Finding& finding) {
  std::string kind = finding.identity.kind;
  std::ranges::replace(kind, '_', ' ');
  return kind;
}

std::string SecondsOf(const Finding& finding) {
  return finding.cost_seconds ? SecondsText(*finding.cost_seconds) : "unknown";
}

Json ActionsJson(const std::vector<Action>& actions) {
  return ListJson(actions, [](const Action& action) -> Json {
    return {{"text", action.text},
            {"code", action.code},
            {"trap", action.trap},
            {"torch", action.torch},
            {"saves_seconds", SecondsJson(action.saves_seconds)}};
  });
}

Json NextStepsJson(const std::vector<NextStep>& steps) {
  return ListJson(steps, [](const NextStep& step) -> Json {
    return {{"text", step.text}, {"code", step.code}};
  });
}

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

constexpr size_t kMaxKinds = 10;
constexpr size_t kMaxFunctionSources = 8;  // per function

using Align = Document::Table::Align;

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

/// Levels rise by the square root, so that small counts are distinguishable from zero.
Document::Table::Heat HeatOf(double us, double most) {
  constexpr int kMost = Document::Table::Heat::kMost;
  int level = 0;
  if (us > 0 && most > 0) {
    level = std::clamp(static_cast<int>(std::ceil(std::sqrt(us / most) * kMost)), 1, kMost);
  }
  return {static_cast<uint8_t>(level), MicrosText(us) + " estimated"};
}

std::string NameOf(const GuardHeat& row) {
  const std::string place = PlaceText(row.where);
  return place.empty() ? "not named" : place;
}

void AddMap(const std::vector<GuardHeat>& rows, Document& page) {
  const std::vector<std::string> kinds = KindsOf(rows);
  double most = 0;
  for (const GuardHeat& row : rows) {
    for (const auto& [kind, count] : row.kinds) {
      most = std::max(most, static_cast<double>(count) * row.leaf_us);
    }
  }
  Document::Table table({{"Function", Align::kLeft, TextStyle::kCode},
                         {"Entry", Align::kLeft},
                         {"A call, estimated"},
                         {"Measured cold"},
                         {"Guards"}});
  for (const std::string& kind : kinds)
    table.columns.push_back({kind, Align::kRight, TextStyle::kCode});
  table.columns.push_back({"Others"});
  table.caption =
      "Guards of the most expensive entry of each function, by kind; a stronger color means more "
      "microseconds";
  for (const GuardHeat& row : rows) {
    table.Row({NameOf(row), row.compile_id, MicrosText(row.guards_us + row.call_us),
               row.measured_us ? MicrosText(*row.measured_us) : "unknown",
               std::to_string(row.guards)});
    Document::Table::Cells& cells = table.rows.back();
    uint64_t others = row.guards;
    const auto add = [&](uint64_t count) {
      cells.texts.push_back(count > 0 ? std::to_string(count) : "");
      cells.heat.push_back(HeatOf(static_cast<double>(count) * row.leaf_us, most));
      others -= std::min(count, others);
    };
    for (const std::string& kind : kinds) {
      const auto found =
          std::ranges::find(row.kinds, kind, &std::pair<std::string, uint64_t>::first);
      add(found == row.kinds.end() ? 0 : found->second);
    }
    add(others);
  }
  page.AddTable(std::move(table));
}

/// Adds the reasons for high counts: repeated sources, conditions in Python.
void AddSources(const std::vector<GuardHeat>& rows, Document& page) {
  Document::Table table({{"Function", Align::kLeft, TextStyle::kCode},
                         {"What", Align::kLeft},
                         {"On", Align::kLeft, TextStyle::kCode},
                         {"Guards"},
                         {"Objects"}});
  table.caption =
      "Sources that repeat for each of several objects, and conditions evaluated in Python";
  for (const GuardHeat& row : rows) {
    const std::string name = NameOf(row);
    for (size_t i = 0; i < std::min(row.families.size(), kMaxFunctionSources); ++i) {
      const GuardFamilyHeat& family = row.families[i];
      table.Row({name, "repeats", family.source, std::to_string(family.guards),
                 std::to_string(family.members)});
    }
    for (size_t i = 0; i < std::min(row.lambdas.size(), kMaxFunctionSources); ++i) {
      const auto& [text, count] = row.lambdas[i];
      table.Row({name, "in Python", text, std::to_string(count), ""});
    }
  }
  if (table.rows.empty()) return;
  page.AddTitle("Guards by source", Document::TitleKind::kFolded);
  page.AddTable(std::move(table));
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

void AddCauses(const PageInput& input, Document& page) {
  const std::vector<Finding>& findings = input.result.findings;
  page.AddTitle("Causes", Document::TitleKind::kSection, "causes");
  if (findings.empty()) return AddNothing("No causes.", page);
  using Align = Document::Table::Align;
  Document::Table table({{"Severity", Align::kLeft},
                         {"Rule", Align::kLeft, TextStyle::kCode},
                         {"Kind", Align::kLeft},
                         {"Cause", Align::kLeft},
                         {"Place", Align::kLeft, TextStyle::kCode},
                         {"Times"},
                         {"Seconds"},
                         {"Ranks", Align::kLeft}});
  table.id = "causes-table";
  table.caption = "What happened and why, worst first";
  const size_t shown = std::min(findings.size(), kRowsAtOnce);
  for (size_t i = 0; i < shown; ++i) {
    const Finding& finding = findings[i];
    table.Row({std::string(SeverityName(finding.severity)), finding.rule, KindText(finding),
               finding.message, PlaceToLookAt(finding), std::to_string(finding.count),
               SecondsOf(finding), finding.ranks.empty() ? "" : RankRanges(finding.ranks)});
  }
  page.AddTable(std::move(table));
  if (shown == findings.size()) return;
  page.Anchor("causes-rest").Begin(0).Add(Counted(findings.size() - shown, "more cause"));
  page.Add(" in this file: showing them needs JavaScript");
}

Json CausesJson(const PageInput& input) {
  Json causes = Json::array();
  for (const Finding& finding : input.result.findings) {
    causes.push_back({{"severity", SeverityName(finding.severity)},
                      {"rule", finding.rule},
                      {"name", finding.name},
                      {"kind", KindText(finding)},
                      {"message", finding.message},
                      {"look_at", PlaceToLookAt(finding)},
                      {"varied", VariedText(finding)},
                      {"seen", SeenText(finding, input.session)},
                      {"evidence", EvidenceText(finding, input.session)},
                      {"count", finding.count},
                      {"seconds", SecondsJson(finding.cost_seconds)},
                      {"seconds_text", SecondsOf(finding)},
                      {"ranks", finding.ranks},
                      {"ranks_text", finding.ranks.empty() ? "" : RankRanges(finding.ranks)},
                      {"advice", ActionsJson(finding.advice)},
                      {"next_steps", NextStepsJson(finding.next_steps)},
                      {"fingerprint", finding.fingerprint}});
  }
  return causes;
}

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

void AddGuards(const PageInput& input, Document& page) {
  const std::vector<GuardHeat>& rows = input.page.guards;
  page.AddTitle("Guards", Document::TitleKind::kSection, "guards");
  if (rows.empty()) {
    return AddNothing(
        "No tree of guards is in the input: TORCH_TRACE=DIR records it, TORCH_LOGS=guards prints "
        "it (torch 2.5 or newer).",
        page);
  }
  page.Begin(0).Add(
      "At every call the guards of a cache entry are evaluated before its graph runs. "
      "Microseconds are estimated from counts, for warm caches, and good to a factor of two.");
  AddMap(rows, page);
  AddMore(rows.size(), input.page.functions_guarded, "function with cheaper guards", page);
  AddSources(rows, page);
}

}  // namespace shapewise
