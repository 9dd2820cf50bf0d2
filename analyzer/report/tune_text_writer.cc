// Prints a tune for people: a table of the runs, the best action with text to paste, and withdrawn
// actions.

#include <string>
#include <vector>

#include "report/measured_text.h"
#include "report/printed_text.h"
#include "report/text_finding.h"
#include "report/text_table.h"
#include "report/tune_writers.h"
#include "shapewise/result/number_text.h"

namespace shapewise {
namespace {

std::string EqualText(const TuneRun& run) {
  if (!run.equal) return "?";
  return *run.equal ? "yes" : "NO";
}

class TunePage {
 public:
  TunePage(const TuneReport& report, const ReportOptions& options, llvm::raw_ostream& out)
      : report_(report), page_(out, options.width, options.color) {}

  void Print() {
    PrintHead();
    if (report_.baseline.calls > 0) PrintTable();
    page_.BlankLine();
    page_.Begin(0, 2).Add(TextStyle::kStrong, TuneVerdictText(report_)).End();
    PrintFailure();
    PrintBest();
    PrintConfirmation();
    PrintWithdrawn();
    PrintList("Not known", report_.gaps);
  }

 private:
  void PrintHead() {
    const TuneRun& base = report_.baseline;
    page_.Begin(0, 2).Add(TextStyle::kStrong, report_.command);
    page_.Add(": " + Counted(base.calls, "call") + " of " +
              Counted(base.functions.size(), "compiled function"));
    if (!report_.device.empty()) page_.Add(" on " + report_.device);
    if (!report_.torch.empty()) page_.Add(", torch " + report_.torch);
    page_.Add(report_.backend.empty() ? ", its own backend"
                                      : ", backend " + report_.backend + " instead of its own");
    page_.End();
  }

  void PrintTable() {
    using Align = TextTable::Align;
    TextTable table({{"compiles"},
                     {"breaks"},
                     {"limits"},
                     {"eager"},
                     {"errors"},
                     {"compile s"},
                     {"steps/s"},
                     {"equal"},
                     {"action", Align::kLeft}});
    const auto add = [&](const TuneRun& run, const std::string& equal, const std::string& name,
                         TextStyle style) {
      table.Row({std::to_string(run.compiles), std::to_string(run.graph_breaks),
                 std::to_string(run.limit_hits), std::to_string(run.eager_calls),
                 std::to_string(run.errors), Fixed(run.compile_seconds, 2),
                 RangeText(run.steps_per_second), equal, name},
                style);
    };
    add(report_.baseline, "", "as it is", TextStyle::kPlain);
    for (size_t i = 0; i < report_.actions.size(); ++i) {
      const TunedAction& action = report_.actions[i];
      if (!action.run) continue;
      add(*action.run, EqualText(*action.run), action.policy,
          report_.best == i ? TextStyle::kStrong : TextStyle::kPlain);
    }
    page_.BlankLine();
    table.Print(page_, kPageIndent);
  }

  void PrintFailure() {
    const TuneRun& base = report_.baseline;
    if (!base.HasFailed() && base.errors == 0) return;
    page_.Begin(0, 2).Add(TextStyle::kWarning, "The unchanged program fails: ");
    page_.Add((base.error_call ? "call " + std::to_string(*base.error_call) + " raises " : "") +
              base.error);
    page_.End();
  }

  void PrintBest() {
    if (!report_.best) return;
    const TunedAction& best = report_.actions[*report_.best];
    for (const RankedAction& part : best.parts) {
      page_.Begin(2, 4).Add(part.action.text + PasteText(part)).End();
      page_.Lines(4, TextStyle::kCode, part.action.code);
    }
    for (const TunePatch& patch : best.patches) page_.Lines(4, TextStyle::kCode, patch.diff);
    if (best.run->equal) return;
    page_.Begin(0, 2).Add(TextStyle::kWarning, "It is not known whether results are equal: ");
    page_.Add(best.run->equal_why).End();
  }

  void PrintConfirmation() {
    if (!report_.confirmed || !report_.confirmed->run || !report_.confirmed_before) return;
    const TunedAction& after = *report_.confirmed;
    const auto text = [](const TuneRun& run) {
      return TuneCountsText(run) + ", " + SecondsText(run.compile_seconds) + " of compiling, " +
             RangeText(run.steps_per_second) + " steps/s";
    };
    const bool is_kept = after.verdict == TuneVerdict::kBetter;
    page_.Begin(0, 2).Add(is_kept ? TextStyle::kStrong : TextStyle::kWarning,
                          is_kept ? "Confirmed" : "Not confirmed");
    page_.Add(" with the program's own backend: " + text(*after.run) + "; unchanged: " +
              text(*report_.confirmed_before) + (is_kept ? "" : "; " + after.why));
    page_.End();
  }

  void PrintWithdrawn() {
    std::vector<std::string> withdrawn;
    for (const TunedAction& action : report_.actions) {
      if (!action.run || action.verdict == TuneVerdict::kBetter) continue;
      withdrawn.push_back(action.policy + ": " + action.why);
    }
    PrintList("Withdrawn", withdrawn);
  }

  void PrintList(std::string_view title, const std::vector<std::string>& items) {
    if (items.empty()) return;
    page_.BlankLine();
    page_.Begin(0).Add(TextStyle::kStrong, title).End();
    for (const std::string& item : items) page_.Begin(2, 4).Add("- " + item).End();
  }

  const TuneReport& report_;
  PrintedText page_;
};

}  // namespace

void WriteTuneText(const TuneReport& report, const ReportOptions& options, llvm::raw_ostream& out) {
  TunePage(report, options, out).Print();
}

}  // namespace shapewise
