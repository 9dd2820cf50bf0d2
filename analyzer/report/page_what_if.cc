// What other settings would have compiled. Nothing was run: every number is a prediction, and the
// page says so.

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/page_sections.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

constexpr size_t kMaxWhatIfs = 25;

constexpr std::string_view kNoCalls =
    "No call of a compiled function is known well enough to simulate it: TORCH_TRACE=DIR records "
    "the inputs of each compilation, a recorder (call records) those of every call.";

using Align = Document::Table::Align;

std::string SecondsOrNot(const std::optional<double>& seconds) {
  return seconds ? SecondsText(*seconds) : "unknown";
}

Document::Table PolicyTable(std::vector<Document::Table::Column> columns, std::string caption) {
  for (const char* heading :
       {"Compiles, predicted", "Seconds, predicted", "Eager calls", "Errors", "Limit hits"}) {
    columns.push_back({heading});
  }
  columns.push_back({"Not predicted because", Document::Table::Align::kLeft});
  Document::Table table(std::move(columns));
  table.caption = std::move(caption);
  return table;
}

void AppendTotals(const PredictedTotals& totals, const std::optional<double>& seconds,
                  std::vector<std::string>& row) {
  row.push_back(std::to_string(totals.graphs));
  row.push_back(SecondsOrNot(seconds));
  for (const uint64_t count : {totals.eager_calls, totals.error_calls, totals.limit_hits}) {
    row.push_back(std::to_string(count));
  }
  row.emplace_back();
}

/// A summary of the limits of all predictions.
void AddSummary(const PredictionReport& report, Document& page) {
  const BackTestReport& test = report.back_test;
  const uint64_t compared = test.equal + test.lower_bound + test.differs;
  page.Begin(0).Add(
      "Nothing was run: the calls that are known were played to Dynamo's rules again.");
  if (compared == 0) return;
  page.Add(" As they were, compiles are predicted as logged for " + std::to_string(test.equal) +
           " of " + Counted(compared, "function"));
  if (test.lower_bound > 0) {
    page.Add(", for " + std::to_string(test.lower_bound) + " as far as calls are known");
  }
  if (test.differs > 0) page.Add(", for " + std::to_string(test.differs) + " otherwise");
  page.Add(".");
}

void AddTotals(const PredictionReport& report, Document& page) {
  // With a single function, the table below says the same.
  if (report.summed_functions == 0 || report.functions.size() < 2) return;
  Document::Table table =
      PolicyTable({{"Policy", Align::kLeft, TextStyle::kCode}},
                  Counted(report.summed_functions, "function") + " of " +
                      std::to_string(report.functions.size()) +
                      " that every policy was predicted for, together; all of it predicted");
  for (const PolicyTotals& policy : report.policies) {
    std::vector<std::string> row = {policy.policy};
    AppendTotals(policy.totals, policy.compile_seconds, row);
    table.Row(std::move(row));
  }
  page.AddTable(std::move(table));
}

/// Whether a what-if would change anything.
bool IsOfInterest(const FunctionPrediction& function) {
  const auto& outcomes = function.outcomes;
  if (outcomes.empty() || !outcomes.front().prediction.is_exact) return false;
  const PredictedTotals& own = outcomes.front().prediction.totals;
  return std::ranges::any_of(outcomes, [&](const PolicyOutcome& outcome) {
    const PredictedTotals& totals = outcome.prediction.totals;
    return outcome.not_applicable.empty() && outcome.prediction.is_exact &&
           (totals.graphs != own.graphs || totals.eager_calls != own.eager_calls ||
            totals.limit_hits != own.limit_hits || totals.error_calls != own.error_calls);
  });
}

std::vector<std::string> OutcomeRow(const FunctionPrediction& function,
                                    const PolicyOutcome& outcome) {
  const Prediction& prediction = outcome.prediction;
  std::vector<std::string> row = {PlaceText(function.where),
                                  function.rank < 0 ? "" : std::to_string(function.rank),
                                  outcome.policy, prediction.assumed.empty() ? "" : "assumed"};
  if (prediction.is_exact) {
    AppendTotals(prediction.totals, outcome.compile_seconds, row);
  } else {
    row.resize(row.size() + 5);
    row.push_back(prediction.why);
  }
  return row;
}

/// Functions for which some what-if makes a difference, most compiles first.
std::vector<const FunctionPrediction*> ReportedFunctions(const PredictionReport& report) {
  std::vector<const FunctionPrediction*> functions;
  for (const FunctionPrediction& function : report.functions) {
    if (IsOfInterest(function)) functions.push_back(&function);
  }
  std::ranges::stable_sort(functions, std::greater(), [](const FunctionPrediction* function) {
    return function->outcomes.front().prediction.totals.graphs;
  });
  return functions;
}

void AddNotes(const PredictionReport& report, Document& page) {
  std::set<std::string> notes;
  for (const FunctionPrediction& function : report.functions) {
    notes.insert(function.back_test.assumed);
    for (const PolicyOutcome& outcome : function.outcomes) notes.insert(outcome.prediction.assumed);
  }
  notes.erase("");
  for (const std::string& note : notes) page.AddItem("Assumed: " + note + ".");
  for (const std::string& gap : report.gaps) page.AddItem(gap);
}

/// Adds why nothing could be predicted: each reason of the functions once.
void AddReasons(const PredictionReport& report, Document& page) {
  constexpr size_t kMaxReasons = 5;
  std::set<std::string> reasons;
  for (const FunctionPrediction& function : report.functions) reasons.insert(function.unmodelled);
  reasons.erase("");
  AddNothing(kNoCalls, page);
  size_t reported = 0;
  for (const std::string& reason : reasons) {
    if (++reported <= kMaxReasons) page.AddItem(reason);
  }
}

}  // namespace

void AddWhatIfs(const PageInput& input, Document& page) {
  const PredictionReport& report = input.page.prediction;
  page.AddTitle("What if", Document::TitleKind::kSection, "what-if");
  const bool is_any_reported =
      std::ranges::any_of(report.functions, [](const FunctionPrediction& function) {
        return !function.outcomes.empty() && function.outcomes.front().prediction.is_exact;
      });
  if (!is_any_reported) return AddReasons(report, page);
  AddSummary(report, page);
  AddTotals(report, page);
  const std::vector<const FunctionPrediction*> functions = ReportedFunctions(report);
  Document::Table table = PolicyTable(
      {{"Function", Align::kLeft, TextStyle::kCode},
       {"Rank"},
       {"Policy", Align::kLeft, TextStyle::kCode},
       {"", Align::kLeft, TextStyle::kFaint}},
      "Functions for which a policy makes a difference, most compiles first; all of it predicted");
  const size_t shown = std::min(functions.size(), kMaxWhatIfs);
  for (size_t i = 0; i < shown; ++i) {
    for (const PolicyOutcome& outcome : functions[i]->outcomes) {
      // A policy that does not apply to it leaves it as it is.
      if (outcome.not_applicable.empty()) table.Row(OutcomeRow(*functions[i], outcome));
    }
  }
  page.AddTable(std::move(table));
  AddMore(shown, functions.size(), "function", page);
  if (shown < functions.size()) {
    page.Add(": ").Add(TextStyle::kCode, "shapewise predict --log RUN --compare");
  }
  AddNotes(report, page);
}

}  // namespace shapewise
