#include "report/bucket_text_parts.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "report/bucket_facts.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

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

}  // namespace

void AddFrontier(const BucketReport& report, Document& page) {
  if (report.frontier.empty()) return;
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

void AddModes(const BucketReport& report, Document& page) {
  if (!report.outcomes.empty()) {
    page.AddTitle("Ways to run it, best first (predicted)");
    Document::Table table(
        {{"", Align::kLeft}, {"compiles"}, {"cost"}, {"total"}, {"", Align::kLeft}});
    for (const ModeOutcome& outcome : report.outcomes) {
      table.Row({outcome.name, Number(outcome.compiles), ChangeText(outcome.cost_overhead),
                 DurationText(outcome.seconds), outcome.is_assumed ? "slowdown assumed" : ""},
                &outcome == &report.outcomes.front() ? TextStyle::kStrong : TextStyle::kPlain);
    }
    page.AddTable(std::move(table));
    // Zero overhead means one bucket per size; then no dynamic graph is better, however fast.
    if (report.dynamic_slowdown > 0 || report.break_even_slowdown > 0) {
      page.Begin(2, 4).Add(
          "A dynamic graph is taken to be " + PercentText(report.dynamic_slowdown) +
          " slower than a static one; below " + PercentText(report.break_even_slowdown) +
          " one dynamic graph is the better way.");
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

void AddSimulations(const BucketReport& report, Document& page) {
  if (report.simulations.empty()) return;
  page.AddTitle("What Dynamo will do (predicted)");
  for (const PlanSimulation& simulation : report.simulations) {
    const bool is_bad = simulation.eager_calls > 0 || !simulation.traps.empty();
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

}  // namespace shapewise
