// The timeline section of a page, which the script draws, and its tables.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/page_sections.h"
#include "report/run_text.h"
#include "report/run_words.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

constexpr size_t kMaxFunctions = 100;
constexpr size_t kMaxSlowSteps = 100;

std::string OrUnknown(const std::optional<double>& seconds) {
  return seconds ? SecondsText(*seconds) : "unknown";
}

using Align = Document::Table::Align;

void AddFunctionTable(const std::vector<FunctionCost>& functions, Document& page) {
  if (functions.empty()) {
    return AddNothing(
        "The compile time of each function is unknown; a run with TORCH_TRACE=DIR records it.",
        page);
  }
  page.AddTitle("Seconds by function", Document::TitleKind::kFolded);
  Document::Table table({{"Function", Align::kLeft, TextStyle::kCode},
                         {"Compiles"},
                         {"Recompiles"},
                         {"Failed"},
                         {"Seconds"},
                         {"Of it recompiles"},
                         {"Phases", Align::kLeft}});
  table.caption = "Compile time of each function, over all processes, most expensive first";
  const size_t shown = std::min(functions.size(), kMaxFunctions);
  for (size_t i = 0; i < shown; ++i) {
    const FunctionCost& function = functions[i];
    table.Row({PlaceText(function.where), std::to_string(function.compiles),
               std::to_string(function.recompiles), std::to_string(function.failed),
               OrUnknown(function.seconds), OrUnknown(function.recompile_seconds),
               PhasesText(function.phases)});
  }
  page.AddTable(std::move(table));
  AddMore(shown, functions.size(), "function", page);
}

/// "every 30.1 s, 12 times, 0.42 s each; smap_gather_stats ran during 11 of them"
std::string StallText(const Stall& stall) {
  std::string text = "A stall with no compilation comes back every ";
  text += stall.is_by_steps ? Counted(static_cast<uint64_t>(stall.period_steps), "step")
                            : SecondsText(stall.period);
  text += ": " + Counted(stall.count, "time") + ", " + StepText(stall.seconds) + " each, " +
          SecondsText(stall.total_seconds) + " in all";
  if (!stall.company) return text + ".";
  const StallCompanion& company = *stall.company;
  text += "; " + company.function + " of " + company.process + " ran during " +
          std::to_string(company.stalls_with) + " of them and during " +
          std::to_string(company.others_with) + " of " + std::to_string(company.others) +
          " other steps";
  return text + ".";
}

void AddSlowSteps(const PageInput& input, Document& page) {
  size_t count = 0;
  for (const StepTrack& track : input.result.steps.tracks) {
    count += track.slow.size();
    if (track.stall) page.Begin(0).Add(StallText(*track.stall));
  }
  if (count == 0) return;
  page.AddTitle("Slow steps (" + std::to_string(count) + ")", Document::TitleKind::kFolded);
  Document::Table table({{"Input", Align::kLeft},
                         {"Rank"},
                         {"Step"},
                         {"Took"},
                         {"Others"},
                         {"With", Align::kLeft},
                         {"Function", Align::kLeft, TextStyle::kCode}});
  table.caption = "Steps that took longer than others, in order of time";
  for (const StepTrack& track : input.result.steps.tracks) {
    for (const SlowStep& slow : track.slow) {
      if (table.rows.size() == kMaxSlowSteps) break;
      const bool is_stall = slow.cause == SlowCause::kUnexplained && track.stall;
      table.Row({input.session.inputs()[track.input].name,
                 track.rank < 0 ? "" : std::to_string(track.rank),
                 slow.number < 0 ? std::to_string(slow.index) : std::to_string(slow.number),
                 StepText(slow.seconds), StepText(track.median),
                 is_stall ? "stall" : std::string(SlowCauseName(slow.cause)),
                 PlaceText(slow.function)});
    }
  }
  page.AddTable(std::move(table));
  AddMore(std::min(count, kMaxSlowSteps), count, "slow step", page);
}

}  // namespace

void AddTimeline(const PageInput& input, Document& page) {
  page.AddTitle("Timeline", Document::TitleKind::kSection, "timeline");
  const Session& session = input.session;
  if (session.compilations().empty() && session.events().empty() && session.spans().empty()) {
    AddNothing("No compilation, event or step is in the input: TORCH_TRACE=DIR records them.",
               page);
  } else {
    page.Anchor("timeline-view").Begin(0);
    page.Add("The drawing needs JavaScript; the tables below do not.");
  }
  if (input.result.steps.tracks.empty()) {
    AddNothing(
        "The steps are unknown: add a profile of torch.profiler or a table time,seconds to the "
        "log, or --steps to read the program's own prints.",
        page);
  }
  AddSlowSteps(input, page);
  AddFunctionTable(input.result.functions, page);
}

}  // namespace shapewise
