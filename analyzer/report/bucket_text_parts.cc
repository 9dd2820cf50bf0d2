#include "report/bucket_text_parts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "report/bucket_facts.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

using Align = TextTable::Align;

// Limits without --all.
constexpr size_t kMaxFrontierRows = 10;
constexpr size_t kMaxLadders = 6;

/// "+3.0 %", "-3.0 %".
std::string ChangeText(double change) { return (change < 0 ? "" : "+") + PercentText(change); }

void PrintHeading(std::string_view heading, std::string_view rest, PrintedText& page) {
  page.BlankLine();
  page.Begin(0, 2).Add(TextStyle::kStrong, heading).Add(rest).End();
}

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

void PrintFrontier(const BucketReport& report, bool all, PrintedText& page) {
  if (report.frontier.empty()) return;
  PrintHeading("More or fewer buckets", "", page);
  const bool has_costs = HasCosts(report);
  TextTable table({{"", Align::kLeft},
                   {"buckets"},
                   {"padding"},
                   {"held-out"},
                   {"cost"},
                   {"cost at least"},
                   {"worst call"},
                   {"compiles"},
                   {"total"}});
  const std::vector<size_t> shown = ShownPoints(report, all);
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
  table.Print(page, 2);
  if (report.frontier.front().lower_bound) {
    page.Begin(2)
        .Add(TextStyle::kFaint, "cost at least: proven, no set of so many buckets has less")
        .End();
  }
  if (shown.size() < report.frontier.size()) {
    page.Begin(2)
        .Add(TextStyle::kFaint,
             Counted(report.frontier.size() - shown.size(), "further point") + ": --all")
        .End();
  }
}

void PrintModes(const BucketReport& report, PrintedText& page) {
  if (!report.outcomes.empty()) {
    PrintHeading("Ways to run it", ", best first (predicted)", page);
    TextTable table({{"", Align::kLeft}, {"compiles"}, {"cost"}, {"total"}, {"", Align::kLeft}});
    for (const ModeOutcome& outcome : report.outcomes) {
      table.Row({outcome.name, Number(outcome.compiles), ChangeText(outcome.cost_overhead),
                 DurationText(outcome.seconds), outcome.is_assumed ? "slowdown assumed" : ""},
                &outcome == &report.outcomes.front() ? TextStyle::kStrong : TextStyle::kPlain);
    }
    table.Print(page, 2);
    // Zero overhead means one bucket per size; then no dynamic graph is better, however fast.
    if (report.dynamic_slowdown > 0 || report.break_even_slowdown > 0) {
      page.Begin(2, 4)
          .Add("A dynamic graph is taken to be " + PercentText(report.dynamic_slowdown) +
               " slower than a static one; below " + PercentText(report.break_even_slowdown) +
               " one dynamic graph is the better way.")
          .End();
    }
  }
  if (report.break_even.size() < 2) return;  // one way is best from the first call
  PrintHeading("Best by length of the run", "", page);
  TextTable table({{"from calls"}, {"", Align::kLeft}, {"a call"}});
  for (const BreakEven& stretch : report.break_even) {
    table.Row({Number(stretch.from_calls), stretch.name, DurationText(stretch.seconds_a_call)});
  }
  table.Print(page, 2);
}

void PrintSimulations(const BucketReport& report, bool all, PrintedText& page) {
  if (report.simulations.empty()) return;
  PrintHeading("What Dynamo will do", " (predicted)", page);
  for (const PlanSimulation& simulation : report.simulations) {
    const bool is_bad = simulation.eager_calls > 0 || !simulation.traps.empty();
    page.Begin(2, 4)
        .Add(TextStyle::kCode, all ? simulation.policy : ShortPolicy(simulation.policy))
        .Add(": ");
    page.Add(
        is_bad ? TextStyle::kWarning : TextStyle::kPlain,
        Counted(simulation.compiles, "compile") +
            (simulation.eager_calls > 0 ? ", " + Counted(simulation.eager_calls, "call") + " eager"
                                        : ""));
    page.End();
    for (const std::string& trap : simulation.traps) {
      page.Begin(4, 6).Add(TextStyle::kLabel, "caveat: ").Add(trap).End();
    }
  }
}

void PrintLadders(const BucketReport& report, bool all, PrintedText& page) {
  if (report.ladders.empty()) return;
  PrintHeading("Compared with the sizes that others ship", "", page);
  TextTable table({{"ladder", Align::kLeft},
                   {"sizes"},
                   {"in use"},
                   {"padding"},
                   {"held-out"},
                   {"ours, same cost"},
                   {"ours, as many"},
                   {"out of range"}});
  const size_t count = report.ladders.size();
  const size_t shown = all ? count : std::min(count, kMaxLadders);
  for (size_t i = 0; i < shown; ++i) {
    const LadderComparison& ladder = report.ladders[i];
    table.Row(
        {ladder.name, Number(ladder.size_count), Number(ladder.used),
         PercentText(ladder.padding.train), PercentText(ladder.padding.holdout),
         ladder.same_waste_buckets == 0 ? "none" : Counted(ladder.same_waste_buckets, "bucket"),
         "+" + PercentText(ladder.same_count_overhead),
         ladder.out_of_range == 0 ? "" : Number(ladder.out_of_range)});
  }
  table.Print(page, 2);
  if (shown < count) {
    page.Begin(2).Add(TextStyle::kFaint, Counted(count - shown, "further ladder") + ": --all");
    page.End();
  }
}

}  // namespace shapewise
