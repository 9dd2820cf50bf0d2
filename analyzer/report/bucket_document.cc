// A bucket plan for people: one screen, the answer first. As JSON: schema shapewise.buckets/1,
// whose shares have full precision so that readers can verify them.

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/bucket_facts.h"
#include "report/document.h"
#include "report/formats.h"
#include "report/result_json.h"
#include "report/text_finding.h"
#include "result/number_text.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

// Limits without --all.
constexpr size_t kMaxBucketRows = 12;
constexpr size_t kValueColumn = 14;  // column of the texts after their labels

using Align = Document::Table::Align;

// Limits without --all.
constexpr size_t kMaxFrontierRows = 10;
constexpr size_t kMaxLadders = 6;

/// "+3.0 %", "-3.0 %".
std::string ChangeText(double change) { return (change < 0 ? "" : "+") + PercentText(change); }

/// The points to show: all if there are few, else the most informative.
std::vector<size_t> ShownPoints(const BucketReport& report, bool all) {
  std::vector<size_t> shown;
  const size_t count = report.frontier.size();
  for (size_t i = 0; i < count; ++i) {
    const bool is_near = i + 1 >= report.chosen && i <= report.chosen + 1;
    const bool is_end = i == 0 || i + 1 == count;
    if (all || count <= kMaxFrontierRows || is_near || is_end ||
        std::has_single_bit(report.frontier[i].buckets)) {
      shown.push_back(i);
    }
  }
  return shown;
}

/// "buckets(x, 1, 16|32|...|4096)": a policy with long lists of sizes shortened in the middle.
std::string ShortPolicy(std::string_view policy) {
  constexpr size_t kMaxSizes = 6;
  constexpr size_t kKept = 2;  // at both ends
  std::string text;
  while (!policy.empty()) {
    const size_t end = std::min(policy.find_first_not_of("0123456789|"), policy.size());
    const std::string_view list = policy.substr(0, end);
    if (static_cast<size_t>(std::ranges::count(list, '|')) < kMaxSizes) {
      text += list;
    } else {
      size_t head = 0;
      size_t tail = list.size();
      for (size_t i = 0; i < kKept; ++i) {
        head = list.find('|', head) + 1;
        tail = list.rfind('|', tail - 1);
      }
      text.append(list.substr(0, head)).append("...").append(list.substr(tail));
    }
    policy.remove_prefix(end);
    const size_t other = std::min(policy.find_first_of("0123456789|"), policy.size());
    text += policy.substr(0, other);
    policy.remove_prefix(other);
  }
  return text;
}

std::string Number(uint64_t number) { return std::to_string(number); }

/// Adds the effect of more or fewer buckets; without --all, the rows near the plan and at powers
/// of two.
void AddFrontier(const BucketReport& report, Document& page) {
  if (report.frontier.empty() || report.is_censored) return;
  if (report.frontier.size() == 1 && !page.all()) return;
  page.AddTitle("More or fewer buckets");
  const bool has_costs = HasCosts(report);
  Document::Table table({{"", Align::kLeft},
                         {"buckets"},
                         {"padding"},
                         {"held-out"},
                         {"cost"},
                         {"cost at least"},
                         {"worst call"},
                         {"compiles"},
                         {"total"}});
  const std::vector<size_t> shown = ShownPoints(report, page.all());
  for (const size_t i : shown) {
    const BucketPoint& point = report.frontier[i];
    const bool is_chosen = i == report.chosen && !report.boundaries.empty();
    table.Row({is_chosen ? ">" : "", Number(point.buckets), PercentText(point.padding.train),
               PercentText(point.padding.holdout), has_costs ? ChangeText(point.cost_overhead) : "",
               point.lower_bound ? "+" + PercentText(*point.lower_bound) : "",
               FactorText(1 + point.worst_call), Number(point.compiles),
               DurationText(point.expected_seconds)},
              is_chosen ? TextStyle::kStrong : TextStyle::kPlain);
  }
  page.AddTable(std::move(table));
  if (report.frontier.front().lower_bound) {
    page.Begin(2).Add(TextStyle::kFaint,
                      "cost at least: proven, no set of so many buckets has less");
  }
  page.AddRest(shown.size(), report.frontier.size(), "point", 2);
}

/// Whether the cost of a dynamic graph is assumed and decides nothing.
bool IsDynamicOpen(const BucketReport& report) {
  return std::ranges::any_of(report.outcomes, [](const ModeOutcome& outcome) {
    return outcome.is_assumed && !outcome.seconds;
  });
}

/// Adds the modes, best first, and the number of calls from which each is best.
void AddModes(const BucketReport& report, Document& page) {
  if (!report.outcomes.empty() && !report.is_censored) {
    page.AddTitle("Ways to run it, best first (predicted)");
    Document::Table table(
        {{"", Align::kLeft}, {"compiles"}, {"cost"}, {"total"}, {"", Align::kLeft}});
    // Without seconds, an assumed cost decides nothing: it has no rank.
    std::vector<const ModeOutcome*> outcomes;
    for (const ModeOutcome& outcome : report.outcomes) outcomes.push_back(&outcome);
    std::ranges::stable_partition(
        outcomes, [](const ModeOutcome* one) { return one->seconds || !one->is_assumed; });
    for (const ModeOutcome* outcome : outcomes) {
      const bool is_open = outcome->is_assumed && !outcome->seconds;
      table.Row(
          {outcome->name, Number(outcome->compiles),
           is_open ? "unknown" : ChangeText(outcome->cost_overhead), DurationText(outcome->seconds),
           is_open               ? "not measured"
           : outcome->is_assumed ? "slowdown assumed"
                                 : ""},
          outcome == outcomes.front() ? TextStyle::kStrong : TextStyle::kPlain);
    }
    page.AddTable(std::move(table));
    if (IsDynamicOpen(report)) {
      if (report.break_even_slowdown > 0) {
        page.Begin(2, 4).Add("One dynamic graph is better if less than " +
                             PercentText(report.break_even_slowdown) +
                             " slower: pass its cost with --cost or --dynamic-slowdown.");
      }
    } else if (report.dynamic_slowdown > 0 || report.break_even_slowdown > 0) {
      // Zero overhead means one bucket per size; then no dynamic graph is better, however fast.
      page.Begin(2, 4).Add("A dynamic graph is " + PercentText(report.dynamic_slowdown) +
                           " slower than a static one" +
                           (report.break_even_slowdown > 0
                                ? "; below " + PercentText(report.break_even_slowdown) +
                                      " one dynamic graph is the better way."
                                : "."));
    }
  }
  if (report.break_even.size() < 2) return;  // one way is best from the first call
  page.AddTitle("Best by length of the run");
  Document::Table table({{"from calls"}, {"", Align::kLeft}, {"a call"}});
  for (const BreakEven& stretch : report.break_even) {
    table.Row({Number(stretch.from_calls), stretch.name, DurationText(stretch.seconds_a_call)});
  }
  page.AddTable(std::move(table));
}

/// Adds the prediction of what Dynamo does with the plan, and caveats. Without --all, long lists
/// of sizes are shortened.
void AddSimulations(const BucketReport& report, Document& page) {
  if (report.simulations.empty()) return;
  page.AddTitle("What Dynamo will do (predicted)");
  for (const PlanSimulation& simulation : report.simulations) {
    const bool is_bad = simulation.eager_calls > 0 || !simulation.traps.empty();
    const bool is_plan = &simulation == &report.simulations.front();
    if (is_bad && !is_plan && !page.all()) continue;
    page.Begin(2, 4)
        .Add(TextStyle::kCode, page.all() ? simulation.policy : ShortPolicy(simulation.policy))
        .Add(": ");
    page.Add(
        is_bad ? TextStyle::kWarning : TextStyle::kPlain,
        Counted(simulation.compiles, "compile") +
            (simulation.eager_calls > 0 ? ", " + Counted(simulation.eager_calls, "call") + " eager"
                                        : ""));
    for (const std::string& trap : simulation.traps) {
      page.Begin(4, 6).Add(TextStyle::kLabel, "caveat: ").Add(trap);
    }
  }
}

/// Adds the size lists of other programs for comparison with the plan.
void AddLadders(const BucketReport& report, Document& page) {
  if (report.ladders.empty()) return;
  page.AddTitle("Compared with the sizes that others ship");
  Document::Table table({{"ladder", Align::kLeft},
                         {"sizes"},
                         {"in use"},
                         {"padding"},
                         {"held-out"},
                         {"ours, same cost"},
                         {"ours, as many"},
                         {"out of range"}});
  const size_t shown = page.Shown(report.ladders.size(), kMaxLadders);
  for (size_t i = 0; i < shown; ++i) {
    const LadderComparison& ladder = report.ladders[i];
    table.Row(
        {ladder.name, Number(ladder.size_count), Number(ladder.used),
         PercentText(ladder.padding.train), PercentText(ladder.padding.holdout),
         ladder.same_waste_buckets == 0 ? "none" : Counted(ladder.same_waste_buckets, "bucket"),
         "+" + PercentText(ladder.same_count_overhead),
         ladder.out_of_range == 0 ? "" : Number(ladder.out_of_range)});
  }
  page.AddTable(std::move(table));
  page.AddRest(shown, report.ladders.size(), "ladder", 2);
}

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
    const size_t sizes = report_.histogram.counts.size();
    std::string calls =
        CallsText(report_) + " of " + (sizes == 1 ? "one size" : Counted(sizes, "different size"));
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
    if (!report_.padding_95 || report_.least_padding) return;
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
    if (report_.mode == BucketMode::kMixed && !report_.served.empty()) return AddServed();
    if (report_.boundaries.empty()) return;
    page_.BlankLine();
    const bool is_advised = report_.mode != BucketMode::kDynamic;
    page_.Begin(0, 2).Add(TextStyle::kStrong, is_advised ? "Plan" : "With buckets alone");
    const size_t count = report_.boundaries.size();
    page_.Add(count == 1
                  ? ": pad " + DimsText(report_) + " to " +
                        SizesText(report_.boundaries.front(), report_.dims)
                  : ": pad " + DimsText(report_) + " to the next of " + Counted(count, "size"));
    if (count == 1 && !page_.all()) {
      // The headline has its figures.
    } else if (page_.all() || report_.boundaries.size() <= kMaxBucketRows) {
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
    Document::Table table(
        {{"sizes"}, {"served by", Align::kLeft}, {"calls"}, {"padding within", Align::kLeft}});
    const std::vector<BucketUse> uses = ServedUses(report_);
    for (size_t i = 0; i < uses.size(); ++i) {
      const ServedSizes& span = report_.served[i];
      std::string by(ServingKindName(span.kind));
      if (IsPaddedKind(span.kind)) by += " " + std::to_string(span.last);
      table.Row({std::to_string(span.first) + "-" + std::to_string(LastServed(report_.served, i)),
                 by, std::to_string(uses[i].calls.value_or(0)), WithinText(uses[i])});
    }
    page_.AddTable(std::move(table));
  }

  /// The padding within a bucket. A bucket without calls is for sizes that did not occur.
  static std::string WithinText(const BucketUse& use) {
    return use.calls == 0 ? "for sizes not seen yet" : PercentText(use.padding);
  }

  void AddBuckets() {
    uint64_t total = 0;
    const std::vector<BucketUse> uses = BucketUses(report_);
    for (const BucketUse& use : uses) total += use.calls.value_or(0);
    Document::Table table({{"bucket"},
                           {report_.is_censored ? "misses" : "calls"},
                           {report_.is_censored ? "" : "share"},
                           {report_.is_censored ? "" : "padding within"}});
    for (const BucketUse& use : uses) {
      if (report_.is_censored) {
        table.Row(
            {SizesText(use.sizes, report_.dims), std::to_string(use.calls.value_or(0)), "", ""});
        continue;
      }
      std::string share;
      if (use.calls && total > 0) {
        share = PercentText(static_cast<double>(*use.calls) / static_cast<double>(total));
      }
      table.Row({SizesText(use.sizes, report_.dims), use.calls ? std::to_string(*use.calls) : "",
                 share, WithinText(use)});
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
    return Joined(sizes, ", ", [&](const Sizes& one) { return SizesText(one, report_.dims); });
  }

  void AddNotes() {
    std::vector<std::string> notes = BucketNotes(report_);
    for (const std::string& assumption : report_.assumptions) {
      if (IsDynamicOpen(report_)) break;  // only its cost is assumed, and not shown
      notes.push_back("Assumed: " + assumption);
    }
    notes.insert(notes.end(), report_.gaps.begin(), report_.gaps.end());
    for (const std::string& message : report_.unread) notes.push_back("Not read: " + message);
    page_.AddList("What to keep in mind", notes);
  }

  void AddPaste() {
    std::string names = Joined(BucketEmitters(), "|", [&](const BucketFormat& format) {
      return std::string(format.name);
    });
    page_.BlankLine();
    page_.Begin(0, 2).Add(TextStyle::kFaint, "To paste: shapewise buckets --emit " + names);
  }

  const BucketReport& report_;
  const ReportOptions& options_;
  Document page_;
};

Json PaddingShareJson(const PaddingShare& padding) {
  return {{"train", padding.train}, {"holdout", NumberOrNull(padding.holdout)}};
}

Json BucketPointJson(size_t dims, const BucketPoint& point) {
  return {{"buckets", point.buckets},
          {"boundaries", ListJson(point.boundaries, SizesJson, dims)},
          {"padding", PaddingShareJson(point.padding)},
          {"compiles", point.compiles},
          {"expected_seconds", SecondsJson(point.expected_seconds)},
          {"cost_overhead", point.cost_overhead},
          {"lower_bound", NumberOrNull(point.lower_bound)},
          {"worst_call", point.worst_call}};
}

Json UseJson(size_t dims, const BucketUse& use) {
  return {{"sizes", SizesJson(dims, use.sizes)},
          {"calls", NumberOrNull(use.calls)},
          {"padding", NumberOrNull(use.padding)}};
}

Json PriceJson(const std::optional<CompilePrice>& price) {
  if (!price) return {};
  return {{"seconds", SecondsJson(price->seconds)}, {"source", price->source}};
}

Json ModeOutcomeJson(const ModeOutcome& outcome) {
  return {{"name", outcome.name},
          {"mode", BucketModeName(outcome.mode)},
          {"compiles", outcome.compiles},
          {"cost_overhead", outcome.cost_overhead},
          {"expected_seconds", SecondsJson(outcome.seconds)},
          {"slowdown_assumed", outcome.is_assumed}};
}

Json BreakEvenJson(const BreakEven& stretch) {
  return {{"from_calls", stretch.from_calls},
          {"name", stretch.name},
          {"buckets", stretch.buckets},
          {"seconds_a_call", stretch.seconds_a_call}};
}

Json LadderJson(const LadderComparison& ladder) {
  return {{"name", ladder.name},
          {"source", TextOrNull(ladder.source)},
          {"sizes", ladder.sizes},
          {"size_count", ladder.size_count},
          {"used", ladder.used},
          {"padding", PaddingShareJson(ladder.padding)},
          {"cost_overhead", ladder.cost_overhead},
          {"same_waste_buckets", PositionOrNull(ladder.same_waste_buckets)},
          {"same_count_overhead", ladder.same_count_overhead},
          {"out_of_range", ladder.out_of_range}};
}

Json SimulationJson(const PlanSimulation& simulation) {
  return {{"policy", simulation.policy},
          {"compiles", simulation.compiles},
          {"eager_calls", simulation.eager_calls},
          {"traps", simulation.traps}};
}

Json HoldoutJson(const std::optional<HoldoutCheck>& check, size_t dims) {
  if (!check) return {};
  return {{"fraction", check->fraction},
          {"planned_calls", check->planned_calls},
          {"held_calls", check->held_calls},
          {"boundaries", ListJson(check->boundaries, SizesJson, dims)},
          {"padding", check->padding},
          {"best_padding", check->best_padding},
          {"cost_overhead", check->cost_overhead},
          {"best_cost_overhead", check->best_cost_overhead},
          {"out_of_range", check->out_of_range}};
}

Json IntervalJson(const std::optional<ShareInterval>& interval) {
  if (!interval) return {{"low", nullptr}, {"high", nullptr}};
  return {{"low", interval->low}, {"high", interval->high}};
}

Json DriftJson(const std::optional<SizeDrift>& drift) {
  if (!drift) return {};
  return {{"distance", drift->distance},
          {"noise", drift->noise},
          {"regret", drift->regret},
          {"drifting", drift->is_drifting},
          {"replan_every_calls", NumberOrNull(drift->replan_every_calls)}};
}

Json CallsJson(const BucketReport& report) {
  return {{"calls", report.histogram.calls}, {"distinct", report.histogram.counts.size()},
          {"rows", report.histogram.rows},   {"real_elements", report.histogram.real},
          {"ordered", report.is_ordered},    {"out_of_range", report.out_of_range}};
}

Json SnippetsJson(const BucketReport& report) {
  Json json = Json::object();
  for (const BucketSnippet& snippet : BucketSnippets(report)) json[snippet.consumer] = snippet.text;
  return json;
}

Json RecommendJson(const BucketReport& report) {
  const bool is_mixed = report.mode == BucketMode::kMixed;
  return {{"mode", BucketModeName(report.mode)},
          {"why", TextOrNull(report.why)},
          {"way", is_mixed ? Json() : Json(ServingKindName(report.way))}};
}

}  // namespace

Document DescribeBuckets(const BucketReport& report, const ReportOptions& options) {
  return BucketPage(report, options).Make();
}

Json SizesJson(size_t dims, const Sizes& sizes) {
  if (dims <= 1) return sizes[0];
  Json json = Json::array();
  for (size_t dim = 0; dim < std::min(dims, sizes.size()); ++dim) json.push_back(sizes[dim]);
  return json;
}

Json ServedJson(const ServedSizes& served) {
  return {{"kind", ServingKindName(served.kind)}, {"first", served.first}, {"last", served.last}};
}

void WriteBucketJson(const BucketReport& report, const ReportOptions& options,
                     llvm::raw_ostream& out) {
  const size_t dims = report.dims;
  JsonStream object("shapewise.buckets/1", options, out);
  object.Member("inputs", report.inputs);
  object.Member("columns", report.columns);
  object.Member("sizes", CallsJson(report));
  object.Member("censored", report.is_censored);
  object.Member("cost_model", {{"text", TextOrNull(report.cost_model)},
                               {"seconds", report.is_in_seconds},
                               {"noise", report.cost_noise}});
  object.Member("compile", {{"static", PriceJson(report.static_compile)},
                            {"dynamic", PriceJson(report.dynamic_compile)}});
  object.Member("steps", report.steps);
  object.Member("alignment", report.alignment);

  object.Member("boundaries", ListJson(report.boundaries, SizesJson, dims));
  if (dims > 1) object.Member("cheapest_first", ListJson(CheapestFirst(report), SizesJson, dims));
  object.Member("padding", PaddingShareJson(report.padding));
  object.Member("padding_95", IntervalJson(report.padding_95));
  object.Member("cost_overhead", report.cost_overhead);
  object.Member("cost_overhead_95", IntervalJson(report.cost_overhead_95));
  object.List("buckets", BucketUses(report), UseJson, dims);
  object.List("served", report.served, ServedJson);
  object.Member("recommend", RecommendJson(report));
  object.Member("warm_up", ListJson(report.warm_up, SizesJson, dims));
  object.Member("recompile_limit", report.recompile_limit);

  object.List("frontier", report.frontier, BucketPointJson, dims);
  object.Member("chosen", report.frontier.empty() ? Json() : Json(report.chosen));
  object.List("modes", report.outcomes, ModeOutcomeJson);
  object.List("break_even", report.break_even, BreakEvenJson);
  object.Member("dynamic", {{"slowdown", report.dynamic_slowdown},
                            {"break_even_slowdown", report.break_even_slowdown}});

  object.Member("validation", HoldoutJson(report.holdout, dims));
  object.Member("drift", DriftJson(report.drift));
  object.List("ladders", report.ladders, LadderJson);
  object.List("dynamo", report.simulations, SimulationJson);
  object.Member("snippets", SnippetsJson(report));
  object.Member("assumptions", report.assumptions);
  object.Member("gaps", report.gaps);
  object.Member("unread", report.unread);
}

}  // namespace shapewise
