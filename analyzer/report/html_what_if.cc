// What other settings would have compiled. Nothing was run: every number is a prediction, and the
// page says so.

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/html_sections.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

constexpr size_t kMaxWhatIfs = 25;

constexpr std::string_view kNoCalls =
    "No call of a compiled function is known well enough to simulate it: TORCH_TRACE=DIR records "
    "the inputs of each compilation, a recorder (call records) those of every call.";

std::string SecondsOrNot(const std::optional<double>& seconds) {
  return seconds ? SecondsText(*seconds) : "unknown";
}

void WriteTotalsCells(const PredictedTotals& totals, const std::optional<double>& seconds,
                      HtmlOut& html) {
  html.NumberCell(totals.graphs).NumberCell(SecondsOrNot(seconds));
  html.NumberCell(totals.eager_calls).NumberCell(totals.error_calls).NumberCell(totals.limit_hits);
}

/// The head of a table with one policy per row; the first columns are given as markup.
template <size_t N>
void BeginTable(const char (&first_columns)[N], std::string_view caption, HtmlOut& html) {
  html.Raw("<div class=\"scroll\"><table class=\"sortable\"><caption>").Text(caption);
  html.Raw("</caption>\n<thead><tr>").Raw(first_columns);
  html.Raw(
      "<th scope=\"col\">Compiles, predicted</th><th scope=\"col\">Seconds, predicted</th>"
      "<th scope=\"col\">Eager calls</th><th scope=\"col\">Errors</th>"
      "<th scope=\"col\">Limit hits</th></tr></thead>\n<tbody>\n");
}

/// A summary of the limits of all predictions.
void WriteSummary(const PredictionReport& report, HtmlOut& html) {
  const BackTestReport& test = report.back_test;
  const uint64_t compared = test.equal + test.lower_bound + test.differs;
  html.Raw("<p>Nothing was run: the calls that are known were played to Dynamo's rules again. ");
  if (compared > 0) {
    html.Text("As they were, compiles are predicted as logged for " + std::to_string(test.equal) +
              " of " + Counted(compared, "function"));
    if (test.lower_bound > 0) {
      html.Text(", for " + std::to_string(test.lower_bound) + " as far as calls are known");
    }
    if (test.differs > 0) html.Text(", for " + std::to_string(test.differs) + " otherwise");
    html.Raw(".");
  }
  html.Raw("</p>\n");
}

void WriteTotals(const PredictionReport& report, HtmlOut& html) {
  // With a single function, the table below says the same.
  if (report.summed_functions == 0 || report.functions.size() < 2) return;
  BeginTable("<th scope=\"col\">Policy</th>",
             Counted(report.summed_functions, "function") + " of " +
                 std::to_string(report.functions.size()) +
                 " that every policy was predicted for, together; all of it predicted",
             html);
  for (const PolicyTotals& policy : report.policies) {
    html.Raw("<tr><th scope=\"row\"><code>").Text(policy.policy).Raw("</code></th>");
    WriteTotalsCells(policy.totals, policy.compile_seconds, html);
    html.Raw("</tr>\n");
  }
  html.Raw("</tbody></table></div>\n");
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

void WriteOutcome(const FunctionPrediction& function, const PolicyOutcome& outcome, HtmlOut& html) {
  html.Raw("<tr><td><code>").Text(PlaceText(function.where)).Raw("</code></td>");
  html.NumberCell(function.rank < 0 ? "" : std::to_string(function.rank));
  html.Raw("<td><code>").Text(outcome.policy).Raw("</code>");
  if (!outcome.prediction.assumed.empty()) html.Raw(" <small>assumed</small>");
  html.Raw("</td>");
  if (!outcome.prediction.is_exact) {
    html.Raw("<td colspan=\"5\">not predicted: ").Text(outcome.prediction.why).Raw("</td></tr>\n");
    return;
  }
  WriteTotalsCells(outcome.prediction.totals, outcome.compile_seconds, html);
  html.Raw("</tr>\n");
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

void WriteNotes(const PredictionReport& report, HtmlOut& html) {
  std::set<std::string> notes;
  for (const FunctionPrediction& function : report.functions) {
    if (!function.back_test.assumed.empty()) notes.insert("Assumed: " + function.back_test.assumed);
    for (const PolicyOutcome& outcome : function.outcomes) {
      const std::string& assumed = outcome.prediction.assumed;
      if (!assumed.empty()) notes.insert("Assumed: " + assumed);
    }
  }
  if (notes.empty() && report.gaps.empty()) return;
  html.Raw("<ul class=\"faint\">\n");
  for (const std::string& note : notes) html.Raw("<li>").Text(note).Raw(".</li>\n");
  for (const std::string& gap : report.gaps) html.Raw("<li>").Text(gap).Raw("</li>\n");
  html.Raw("</ul>\n");
}

/// Why nothing could be predicted: each reason of the functions once.
void WriteReasons(const PredictionReport& report, HtmlOut& html) {
  std::set<std::string> reasons;
  for (const FunctionPrediction& function : report.functions) {
    if (!function.unmodelled.empty()) reasons.insert(function.unmodelled);
  }
  html.Nothing(kNoCalls);
  constexpr size_t kMaxReasons = 5;
  size_t reported = 0;
  html.Raw("<ul class=\"faint\">\n");
  for (const std::string& reason : reasons) {
    if (++reported > kMaxReasons) break;
    html.Raw("<li>").Text(reason).Raw("</li>\n");
  }
  html.Raw("</ul>\n");
}

}  // namespace

void WriteWhatIfs(const PageInput& input, HtmlOut& html) {
  const PredictionReport& report = input.page.prediction;
  html.Raw(
      "<section id=\"what-if\" aria-labelledby=\"what-if-title\">\n"
      "<h2 id=\"what-if-title\">What if</h2>\n");
  const bool is_any_reported =
      std::ranges::any_of(report.functions, [](const FunctionPrediction& function) {
        return !function.outcomes.empty() && function.outcomes.front().prediction.is_exact;
      });
  if (report.functions.empty()) {
    html.Nothing(kNoCalls).Raw("</section>\n");
    return;
  }
  if (!is_any_reported) {
    WriteReasons(report, html);
    html.Raw("</section>\n");
    return;
  }
  WriteSummary(report, html);
  WriteTotals(report, html);
  const std::vector<const FunctionPrediction*> functions = ReportedFunctions(report);
  if (!functions.empty()) {
    BeginTable(
        "<th scope=\"col\">Function</th><th scope=\"col\">Rank</th><th scope=\"col\">Policy</th>",
        "Functions for which a policy makes a difference, most compiles first; all of it predicted",
        html);
    const size_t shown = std::min(functions.size(), kMaxWhatIfs);
    for (size_t i = 0; i < shown; ++i) {
      for (const PolicyOutcome& outcome : functions[i]->outcomes) {
        // A policy that does not apply to it leaves it as it is.
        if (outcome.not_applicable.empty()) WriteOutcome(*functions[i], outcome, html);
      }
    }
    html.Raw("</tbody></table></div>\n");
    if (shown < functions.size()) {
      html.Raw("<p>and ").Number(functions.size() - shown);
      html.Raw(" more functions: <code>shapewise predict --log RUN --compare</code></p>\n");
    }
  }
  WriteNotes(report, html);
  html.Raw("</section>\n");
}

}  // namespace shapewise
