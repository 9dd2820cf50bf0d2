// Prints predictions for people: one line per scenario; or for each function, what was logged and
// predicted, and what other policies would have done.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "report/prediction_writers.h"
#include "report/printed_text.h"
#include "report/text_finding.h"
#include "shapewise/result/number_text.h"

namespace shapewise {
namespace {

// Limits without --all.
constexpr size_t kMaxPredictedFunctions = 20;
constexpr size_t kMaxCallNumbers = 8;

constexpr size_t kLabel = 2;
constexpr size_t kOutcomeColumn = 14;
constexpr size_t kPolicyColumns = 40;  // in a table; longer names get their own line

std::string Graphs(uint64_t count) { return Counted(count, "graph"); }

/// "2 graphs, 1 limit hit, 3 calls eager, 1 error"
std::string TotalsText(const PredictedTotals& totals) {
  std::string text = Graphs(totals.graphs);
  if (totals.limit_hits > 0) text += ", " + Counted(totals.limit_hits, "limit hit");
  if (totals.eager_calls > 0) text += ", " + Counted(totals.eager_calls, "call") + " eager";
  if (totals.error_calls > 0) text += ", " + Counted(totals.error_calls, "error");
  return text;
}

/// "calls 1, 2, 5, ..." for numbers from 0, printed from 1.
std::string CallNumbers(const std::vector<uint64_t>& calls, uint64_t total) {
  std::string text = total == 1 ? "call " : "calls ";
  const size_t shown = std::min(calls.size(), kMaxCallNumbers);
  for (size_t i = 0; i < shown; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(calls[i] + 1);
  }
  return shown < calls.size() || calls.size() == PolicyOutcome::kMaxCallsKept ? text + ", ..."
                                                                              : text;
}

/// Where events occur: "compiles at calls 1, 2; hits the limit at call 9; raises ... at call 3".
std::string CallsText(const PolicyOutcome& outcome) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  const auto number = [](uint64_t call) { return "call " + std::to_string(call + 1); };
  if (!outcome.compile_calls.empty()) {
    add("compiles at " + CallNumbers(outcome.compile_calls, outcome.compile_calls.size()));
  }
  if (outcome.limit_call) add("hits the limit at " + number(*outcome.limit_call));
  if (outcome.eager_call) add("eager first at " + number(*outcome.eager_call));
  if (outcome.error_call) add("raises " + outcome.error + " at " + number(*outcome.error_call));
  return text;
}

TextStyle StyleOf(const PredictedTotals& totals) {
  const bool is_bad = totals.limit_hits > 0 || totals.error_calls > 0;
  return is_bad ? TextStyle::kWarning : TextStyle::kPlain;
}

class PredictionPage {
 public:
  PredictionPage(const PredictionReport& report, const ReportOptions& options,
                 llvm::raw_ostream& out)
      : report_(report), all_(options.all), page_(out, options.width, options.color) {}

  void Print() {
    PrintHeadline();
    const size_t count = report_.functions.size();
    const size_t shown = all_ ? count : std::min(count, kMaxPredictedFunctions);
    for (size_t i = 0; i < shown; ++i) PrintFunction(report_.functions[i]);
    if (shown < count) {
      page_.BlankLine();
      page_.Begin(0)
          .Add(TextStyle::kFaint, Counted(count - shown, "more function") + ": --all")
          .End();
    }
    if (report_.is_comparison && count > 1 && report_.summed_functions > 0) PrintTotals();
    if (report_.gaps.empty()) return;
    page_.BlankLine();
    page_.Begin(0).Add(TextStyle::kStrong, "What to keep in mind").End();
    for (const std::string& gap : report_.gaps) page_.Begin(2, 4).Add("- ").Add(gap).End();
  }

 private:
  void PrintHeadline() {
    page_.Begin(0, 2);
    if (report_.functions.empty()) {
      page_.Add(TextStyle::kStrong, "No compiled function found").End();
      return;
    }
    const BackTestReport& test = report_.back_test;
    const uint64_t compared = test.equal + test.lower_bound + test.differs;
    if (compared == 0) {
      page_.Add(TextStyle::kStrong, Counted(report_.functions.size(), "function"))
          .Add("; no log to compare a prediction with")
          .End();
      return;
    }
    page_.Add("Back-test: ")
        .Add(test.differs > 0 ? TextStyle::kWarning : TextStyle::kStrong,
             std::to_string(test.equal) + " of " + Counted(compared, "function") +
                 " predicted as logged");
    if (test.lower_bound > 0) {
      page_.Add(", " + std::to_string(test.lower_bound) + " as far as calls are known");
    }
    if (test.differs > 0) page_.Add(", " + std::to_string(test.differs) + " otherwise");
    if (test.unmodelled > 0) page_.Add(", " + std::to_string(test.unmodelled) + " not predicted");
    page_.End();
  }

  void PrintRow(std::string_view label, TextStyle style, std::string_view text) {
    page_.Begin(kLabel, kOutcomeColumn)
        .Add(TextStyle::kLabel, label)
        .Tab(kOutcomeColumn)
        .Add(style, text)
        .End();
  }

  void PrintFunction(const FunctionPrediction& function) {
    page_.BlankLine();
    std::string rest;
    const std::string place = PlaceText({{}, function.where.file, function.where.line});
    if (!place.empty()) rest += " (" + place + ")";
    if (function.rank >= 0) rest += ", rank " + std::to_string(function.rank);
    rest += ", " + std::string(function.is_lower_bound ? "at least " : "") +
            Counted(function.calls, "call") + ", " + std::to_string(function.distinct_calls) +
            " distinct";
    page_.Begin(0, 2)
        .Add(TextStyle::kStrong,
             function.where.function.empty() ? "function without a name" : function.where.function)
        .Add(rest)
        .End();
    PrintBackTest(function);
    if (!function.unmodelled.empty()) return;
    if (report_.is_comparison) {
      PrintTable(function);
      return;
    }
    for (const PolicyOutcome& outcome : function.outcomes) PrintOutcome(outcome);
  }

  void PrintBackTest(const FunctionPrediction& function) {
    const BackTestRow& row = function.back_test;
    if (row.logged_compiles) {
      std::string text = Counted(*row.logged_compiles, "compile");
      if (row.logged_failures > 0) text += ", " + std::to_string(row.logged_failures) + " failed";
      if (row.logged_limit_hits > 0) text += ", " + Counted(row.logged_limit_hits, "limit hit");
      if (function.logged_seconds) text += ", " + SecondsText(*function.logged_seconds);
      PrintRow("logged", TextStyle::kPlain, text);
    }
    // Without a log to compare with, it says no more than the outcome below.
    if (row.predicted_compiles && row.logged_compiles) {
      std::string text = Counted(*row.predicted_compiles, "compile");
      if (row.predicted_failures > 0) {
        text += ", " + std::to_string(row.predicted_failures) + " failed";
      }
      if (row.predicted_limit_hits > 0) {
        text += ", " + Counted(row.predicted_limit_hits, "limit hit");
      }
      const bool differs = row.verdict == BackTestVerdict::kDiffers;
      PrintRow("predicted", differs ? TextStyle::kWarning : TextStyle::kPlain,
               differs ? text + ": not as logged" : text);
    }
    if (!row.why.empty()) PrintRow("because", TextStyle::kNote, row.why);
    if (function.is_probed) {
      PrintRow("body", TextStyle::kNote, "traced by a probe at the end of the run");
    }
    const bool is_modelled = std::ranges::all_of(
        function.outcomes, [](const PolicyOutcome& one) { return one.prediction.is_exact; });
    if (!function.probe_missed.empty() && !is_modelled) {
      PrintRow("not probed", TextStyle::kNote, function.probe_missed);
    }
    std::vector<std::string> assumed = {row.assumed};
    for (const PolicyOutcome& outcome : function.outcomes) {
      assumed.push_back(outcome.prediction.assumed);
    }
    std::ranges::sort(assumed);
    assumed.erase(std::ranges::unique(assumed).begin(), assumed.end());
    for (const std::string& one : assumed) {
      if (!one.empty()) PrintRow("assumed", TextStyle::kNote, one);
    }
    if (!function.unmodelled.empty() && function.unmodelled != row.why) {
      PrintRow("unmodelled", TextStyle::kNote, function.unmodelled);
    }
  }

  void PrintOutcome(const PolicyOutcome& outcome) {
    const Prediction& prediction = outcome.prediction;
    page_.Begin(kLabel, kOutcomeColumn)
        .Add(TextStyle::kLabel, outcome.is_own ? "as is" : "what if");
    page_.Tab(kOutcomeColumn);
    if (!outcome.is_own) page_.Add(TextStyle::kCode, outcome.policy).Add(": ");
    if (!outcome.not_applicable.empty()) {
      page_.Add(TextStyle::kNote, outcome.not_applicable).End();
      return;
    }
    if (!prediction.is_exact) {
      page_.Add(TextStyle::kNote, "unmodelled: " + prediction.why).End();
      return;
    }
    page_.Add(StyleOf(prediction.totals), TotalsText(prediction.totals));
    if (outcome.compile_seconds) {
      page_.Add(", " + SecondsText(*outcome.compile_seconds) + " (predicted)");
    }
    const std::string calls = CallsText(outcome);
    if (!calls.empty()) page_.Add("; " + calls);
    page_.End();
    for (const std::string& trap : outcome.traps) PrintRow("caveat", TextStyle::kPlain, trap);
  }

  /// Columns for the names of policies; longer names get their own line.
  template <typename Policies>
  static size_t PolicyWidth(const Policies& policies) {
    size_t columns = 6;
    for (const auto& policy : policies) {
      const size_t own = TextColumns(policy.policy);
      if (own <= kPolicyColumns) columns = std::max(columns, own);
    }
    return columns;
  }

  /// Prints one line of a table with right-aligned numbers.
  void PrintCells(size_t policy_width, std::string_view policy, TextStyle style,
                  const std::vector<std::string>& cells) {
    static constexpr size_t kWidths[] = {10, 12, 13, 8, 12};
    page_.Begin(kLabel, kLabel + policy_width + 1).Add(style, policy);
    if (TextColumns(policy) > policy_width) {
      page_.End();
      page_.Begin(kLabel);
    }
    size_t column = kLabel + policy_width;
    for (size_t i = 0; i < cells.size(); ++i) {
      column += kWidths[i];
      page_.Tab(column - TextColumns(cells[i])).Add(cells[i]);
    }
    page_.End();
  }

  void PrintHead(size_t policy_width) {
    PrintCells(policy_width, "policy", TextStyle::kLabel,
               {"compiles", "compile s", "eager calls", "errors", "limit hits"});
  }

  static std::vector<std::string> Cells(const PredictedTotals& totals,
                                        const std::optional<double>& seconds) {
    return {std::to_string(totals.graphs), seconds ? SecondsText(*seconds) : "unknown",
            std::to_string(totals.eager_calls), std::to_string(totals.error_calls),
            std::to_string(totals.limit_hits)};
  }

  void PrintTable(const FunctionPrediction& function) {
    const size_t policy_width = PolicyWidth(function.outcomes);
    PrintHead(policy_width);
    for (const PolicyOutcome& outcome : function.outcomes) {
      if (!outcome.not_applicable.empty() || !outcome.prediction.is_exact) {
        page_.Begin(kLabel, kLabel + policy_width + 2)
            .Add(TextStyle::kCode, outcome.policy)
            .Tab(kLabel + policy_width + 2)
            .Add(TextStyle::kNote, outcome.not_applicable.empty()
                                       ? "unmodelled: " + outcome.prediction.why
                                       : outcome.not_applicable)
            .End();
        continue;
      }
      PrintCells(policy_width, outcome.policy, TextStyle::kCode,
                 Cells(outcome.prediction.totals, outcome.compile_seconds));
    }
    for (const PolicyOutcome& outcome : function.outcomes) {
      for (const std::string& trap : outcome.traps) {
        page_.Begin(kLabel, kOutcomeColumn)
            .Add(TextStyle::kLabel, "caveat")
            .Tab(kOutcomeColumn)
            .Add(TextStyle::kCode, outcome.policy)
            .Add(": " + trap)
            .End();
      }
    }
  }

  void PrintTotals() {
    page_.BlankLine();
    page_.Begin(0, 2).Add(TextStyle::kStrong, "All functions that every policy was predicted for");
    page_.End();
    const size_t policy_width = PolicyWidth(report_.policies);
    PrintHead(policy_width);
    for (const PolicyTotals& policy : report_.policies) {
      PrintCells(policy_width, policy.policy, TextStyle::kCode,
                 Cells(policy.totals, policy.compile_seconds));
    }
  }

  const PredictionReport& report_;
  const bool all_;
  PrintedText page_;
};

void BeginText(const ReportOptions&, llvm::raw_ostream&) {}

void AnswerText(const ScenarioAnswer& answer, const ReportOptions& options,
                llvm::raw_ostream& out) {
  constexpr size_t kFunction = 14;
  constexpr size_t kAnswer = 36;
  PrintedText page(out, options.width, options.color);
  page.Begin(0, kAnswer).Add(TextStyle::kStrong, answer.id).Tab(kFunction).Add(answer.function);
  page.Tab(kAnswer);
  const Prediction& prediction = answer.prediction;
  if (!prediction.is_exact) {
    page.Add(TextStyle::kNote, "unmodelled: " + prediction.why).End();
    return;
  }
  page.Add(StyleOf(prediction.totals), TotalsText(prediction.totals));
  std::vector<uint64_t> compiles;
  for (size_t call = 0; call < prediction.calls.size(); ++call) {
    if (!prediction.calls[call].compiled.empty()) compiles.push_back(call);
    if (compiles.size() == PolicyOutcome::kMaxCallsKept) break;
  }
  if (!compiles.empty()) page.Add("; compiles at " + CallNumbers(compiles, compiles.size()));
  if (!prediction.assumed.empty()) page.Add("; assumed: " + prediction.assumed);
  page.End();
}

void EndText(const ScenarioTally& tally, const ReportOptions& options, llvm::raw_ostream& out) {
  PrintedText page(out, options.width, options.color);
  if (tally.answers > 0) page.BlankLine();
  page.Begin(0, 2)
      .Add(TextStyle::kStrong,
           std::to_string(tally.exact) + " of " + Counted(tally.answers, "scenario") + " predicted")
      .End();
}

void WriteText(const PredictionReport& report, const ReportOptions& options,
               llvm::raw_ostream& out) {
  PredictionPage(report, options, out).Print();
}

}  // namespace

const PredictionFormat& PredictionTextFormat() {
  static constexpr PredictionFormat format = {"text", BeginText, AnswerText, EndText, WriteText};
  return format;
}

}  // namespace shapewise
