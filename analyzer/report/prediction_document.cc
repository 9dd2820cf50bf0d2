// Predictions for people: one line per scenario; or for each function, what was logged and
// predicted, and what other policies would have done. As JSON: one object of schema
// shapewise.predict/1, or one object per line.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "report/formats.h"
#include "report/result_json.h"
#include "report/text_finding.h"
#include "result/number_text.h"

namespace shapewise {
namespace {

// Limits without --all.
constexpr size_t kMaxPredictedFunctions = 20;
constexpr size_t kMaxCallNumbers = 8;

constexpr size_t kLabel = 2;
constexpr size_t kOutcomeColumn = 14;

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
  for (size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + std::to_string(calls[i] + 1);
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

std::string NotPredicted(const Prediction& prediction) {
  return "not predicted: " + prediction.why;
}

bool HasPrediction(const FunctionPrediction& function) {
  return std::ranges::any_of(function.outcomes,
                             [](const PolicyOutcome& one) { return one.prediction.is_exact; });
}

constexpr const char* kUnchanged = "unchanged";

std::string NameOf(const PolicyOutcome& outcome) {
  return outcome.is_own ? kUnchanged : outcome.policy;
}

class PredictionPage {
 public:
  PredictionPage(const PredictionReport& report, const ReportOptions& options)
      : report_(report), page_("predict", options.all) {}

  Document Make() {
    AddHeadline();
    const size_t count = report_.functions.size();
    const size_t shown = page_.Shown(count, kMaxPredictedFunctions);
    for (size_t i = 0; i < shown; ++i) AddFunction(report_.functions[i]);
    if (shown < count) page_.BlankLine();
    page_.AddRest(shown, count, "function");
    if (report_.is_comparison && count > 1 && report_.summed_functions > 0) AddTotals();
    page_.AddList("What to keep in mind", report_.gaps);
    return std::move(page_);
  }

 private:
  void AddHeadline() {
    page_.Begin(0, 2);
    if (report_.functions.empty()) {
      page_.Add(TextStyle::kStrong, "No compiled function found");
      return;
    }
    const BackTestReport& test = report_.back_test;
    const uint64_t compared = test.equal + test.lower_bound + test.differs;
    if (compared == 0) {
      const bool is_predicted = std::ranges::any_of(report_.functions, HasPrediction);
      const bool is_logged = std::ranges::any_of(report_.functions, [](const auto& one) {
        return one.back_test.logged_compiles.has_value();
      });
      page_.Add(TextStyle::kStrong, Counted(report_.functions.size(), "function"));
      page_.Add(!is_predicted ? ", nothing predicted"
                : is_logged   ? "; no prediction can be compared with the log"
                              : "; no log to compare a prediction with");
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
  }

  void AddRow(std::string_view label, TextStyle style, std::string_view text) {
    page_.Row(kLabel, kOutcomeColumn, label).Add(style, text);
  }

  void AddFunction(const FunctionPrediction& function) {
    page_.BlankLine();
    std::string rest;
    const std::string place = PlaceText({{}, function.where.file, function.where.line});
    if (!place.empty()) rest += " (" + place + ")";
    if (function.rank >= 0) rest += ", rank " + std::to_string(function.rank);
    // What follows one graph break may be several code objects.
    if (!function.frame.empty() && std::ranges::any_of(report_.functions, [&](const auto& other) {
          return &other != &function && other.where == function.where &&
                 other.rank == function.rank;
        })) {
      rest += ", frame " + function.frame;
    }
    rest += ", " + std::string(function.is_lower_bound ? "at least " : "") +
            Counted(function.calls, "call") + ", " + std::to_string(function.distinct_calls) +
            " distinct";
    page_.Begin(0, 2)
        .Add(TextStyle::kStrong,
             function.where.function.empty() ? "function without a name" : function.where.function)
        .Add(rest);
    AddBackTest(function);
    if (!function.unmodelled.empty()) return;
    if (report_.is_comparison) {
      AddTable(function);
      return;
    }
    for (const PolicyOutcome& outcome : function.outcomes) AddOutcome(outcome);
  }

  void AddBackTest(const FunctionPrediction& function) {
    const BackTestRow& row = function.back_test;
    if (row.logged_compiles) {
      std::string text = Counted(*row.logged_compiles, "compile");
      if (row.logged_failures > 0) text += ", " + std::to_string(row.logged_failures) + " failed";
      if (row.logged_limit_hits > 0) text += ", " + Counted(row.logged_limit_hits, "limit hit");
      if (function.logged_seconds) text += ", " + SecondsText(*function.logged_seconds);
      AddRow("logged", TextStyle::kPlain, text);
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
      AddRow("predicted", differs ? TextStyle::kWarning : TextStyle::kPlain,
             differs ? text + ": not as logged" : text);
    }
    if (!row.why.empty() && row.why != function.outcomes.front().prediction.why) {
      AddRow("because", TextStyle::kNote, row.why);
    }
    if (function.is_probed) {
      AddRow("body", TextStyle::kNote, "traced by a probe at the end of the run");
    }
    const bool is_modelled = std::ranges::all_of(
        function.outcomes, [](const PolicyOutcome& one) { return one.prediction.is_exact; });
    if (!function.probe_missed.empty() && !is_modelled) {
      AddRow("not probed", TextStyle::kNote, function.probe_missed);
    }
    std::vector<std::string> assumed;
    if (row.logged_compiles || HasPrediction(function)) assumed.push_back(row.assumed);
    for (const PolicyOutcome& outcome : function.outcomes) {
      assumed.push_back(outcome.prediction.assumed);
    }
    std::ranges::sort(assumed);
    assumed.erase(std::ranges::unique(assumed).begin(), assumed.end());
    for (const std::string& one : assumed) {
      if (!one.empty()) AddRow("assumed", TextStyle::kNote, one);
    }
    if (!function.unmodelled.empty() && function.unmodelled != row.why) {
      AddRow(kUnchanged, TextStyle::kNote, "not predicted: " + function.unmodelled);
    }
  }

  void AddOutcome(const PolicyOutcome& outcome) {
    const Prediction& prediction = outcome.prediction;
    page_.Row(kLabel, kOutcomeColumn, outcome.is_own ? kUnchanged : "what if");
    if (!outcome.is_own) page_.Add(TextStyle::kCode, outcome.policy).Add(": ");
    if (!outcome.not_applicable.empty()) {
      page_.Add(TextStyle::kNote, outcome.not_applicable);
      return;
    }
    if (!prediction.is_exact) {
      page_.Add(TextStyle::kNote, NotPredicted(prediction));
      return;
    }
    page_.Add(StyleOf(prediction.totals), TotalsText(prediction.totals));
    if (outcome.compile_seconds) {
      page_.Add(", " + SecondsText(*outcome.compile_seconds) + " (predicted)");
    }
    const std::string calls = CallsText(outcome);
    if (!calls.empty()) page_.Add("; " + calls);
    for (const std::string& trap : outcome.traps) AddRow("caveat", TextStyle::kPlain, trap);
  }

  static Document::Table NewTable() {
    return Document::Table({{"compiles"},
                            {"compile s"},
                            {"eager calls"},
                            {"errors"},
                            {"limit hits"},
                            {"policy", Document::Table::Align::kLeft}});
  }

  static std::vector<std::string> Cells(const PredictedTotals& totals,
                                        const std::optional<double>& seconds,
                                        const std::string& policy) {
    return {std::to_string(totals.graphs),      seconds ? SecondsText(*seconds) : "unknown",
            std::to_string(totals.eager_calls), std::to_string(totals.error_calls),
            std::to_string(totals.limit_hits),  policy};
  }

  void AddTable(const FunctionPrediction& function) {
    Document::Table table = NewTable();
    for (const PolicyOutcome& outcome : function.outcomes) {
      const Prediction& prediction = outcome.prediction;
      if (outcome.not_applicable.empty() && prediction.is_exact) {
        table.Row(Cells(prediction.totals, outcome.compile_seconds, NameOf(outcome)));
        continue;
      }
      const std::string& why = outcome.not_applicable;
      table.Row({"-", "-", "-", "-", "-",
                 NameOf(outcome) + ": " + (why.empty() ? NotPredicted(prediction) : why)});
    }
    page_.AddTable(std::move(table));
    for (const PolicyOutcome& outcome : function.outcomes) {
      for (const std::string& trap : outcome.traps) {
        page_.Row(kLabel, kOutcomeColumn, "caveat").Add(TextStyle::kCode, NameOf(outcome));
        page_.Add(": " + trap);
      }
    }
  }

  void AddTotals() {
    page_.AddTitle("All functions that every policy was predicted for");
    Document::Table table = NewTable();
    for (const PolicyTotals& policy : report_.policies) {
      const bool is_own = &policy == &report_.policies.front();
      table.Row(Cells(policy.totals, policy.compile_seconds, is_own ? kUnchanged : policy.policy));
    }
    page_.AddTable(std::move(table));
  }

  const PredictionReport& report_;
  Document page_;
};

void BeginText(const ReportOptions& /*options*/, llvm::raw_ostream& /*out*/) {}

void WriteAnswer(const ScenarioAnswer& answer, const ReportOptions& options,
                 llvm::raw_ostream& out) {
  constexpr size_t kFunction = 14;
  constexpr size_t kAnswer = 36;
  Document page("predict", options.all);
  page.Begin(0, kAnswer).Add(TextStyle::kStrong, answer.id).Tab(kFunction).Add(answer.function);
  page.Tab(kAnswer);
  const Prediction& prediction = answer.prediction;
  if (!prediction.is_exact) {
    page.Add(TextStyle::kNote, NotPredicted(prediction));
    return RenderText(page, options, out);
  }
  page.Add(StyleOf(prediction.totals), TotalsText(prediction.totals));
  std::vector<uint64_t> compiles;
  for (size_t call = 0; call < prediction.calls.size(); ++call) {
    if (!prediction.calls[call].compiled.empty()) compiles.push_back(call);
    if (compiles.size() == PolicyOutcome::kMaxCallsKept) break;
  }
  if (!compiles.empty()) page.Add("; compiles at " + CallNumbers(compiles, compiles.size()));
  if (!prediction.assumed.empty()) page.Add("; assumed: " + prediction.assumed);
  RenderText(page, options, out);
}

void WriteTally(const ScenarioTally& tally, const ReportOptions& options, llvm::raw_ostream& out) {
  Document page("predict", options.all);
  if (tally.answers == 0 && tally.damaged > 0) return;  // an error says why
  if (tally.answers > 0) page.BlankLine();
  page.Begin(0, 2).Add(TextStyle::kStrong, std::to_string(tally.exact) + " of " +
                                               Counted(tally.answers, "scenario") + " predicted");
  RenderText(page, options, out);
}

Json CallJson(const PredictedCall& call) {
  const auto limit_of = [](const PredictedLimit& limit) -> Json {
    return {{"frame", limit.frame}, {"type", limit.type}};
  };
  return {{"compiled", call.compiled},
          {"ran", call.ran},
          {"eager", call.eager},
          {"error", TextOrNull(call.error)},
          {"limit", ListJson(call.limits, limit_of)}};
}

Json TotalsJson(const PredictedTotals& totals) {
  return {{"graphs", totals.graphs},           {"eager_calls", totals.eager_calls},
          {"error_calls", totals.error_calls}, {"limit_hits", totals.limit_hits},
          {"entries", totals.entries},         {"static_graphs", totals.static_graphs}};
}

Json AnswerJson(const ScenarioAnswer& answer) {
  const Prediction& prediction = answer.prediction;
  Json json = {{"id", answer.id},
               {"confidence", prediction.is_exact ? "exact" : "unmodelled"},
               {"why", prediction.why}};
  if (!prediction.assumed.empty()) json["assumed"] = prediction.assumed;
  if (!prediction.is_exact) {
    json["calls"] = nullptr;
    json["totals"] = nullptr;
    return json;
  }
  json["calls"] = ListJson(prediction.calls, CallJson);
  json["totals"] = TotalsJson(prediction.totals);
  return json;
}

Json BackTestJson(const BackTestRow& row) {
  return {{"verdict", BackTestVerdictName(row.verdict)},
          {"why", TextOrNull(row.why)},
          {"assumed", TextOrNull(row.assumed)},
          {"logged",
           {{"compiles", NumberOrNull(row.logged_compiles)},
            {"failures", row.logged_failures},
            {"limit_hits", row.logged_limit_hits}}},
          {"predicted",
           {{"compiles", NumberOrNull(row.predicted_compiles)},
            {"failures", row.predicted_failures},
            {"limit_hits", row.predicted_limit_hits},
            {"eager_calls", row.predicted_eager_calls}}}};
}

Json OutcomeJson(const PolicyOutcome& outcome) {
  const Prediction& prediction = outcome.prediction;
  const bool has_calls = prediction.is_exact && outcome.has_calls;
  return {{"policy", outcome.policy},
          {"confidence", prediction.is_exact ? "exact" : "unmodelled"},
          {"why", prediction.why},
          {"assumed", TextOrNull(prediction.assumed)},
          {"lower_bound", outcome.is_lower_bound},
          {"not_applicable", TextOrNull(outcome.not_applicable)},
          {"totals", prediction.is_exact ? TotalsJson(prediction.totals) : Json()},
          {"predicted_compile_seconds", SecondsJson(outcome.compile_seconds)},
          {"compile_calls", has_calls ? Json(outcome.compile_calls) : Json()},
          {"limit_call", NumberOrNull(outcome.limit_call)},
          {"eager_call", NumberOrNull(outcome.eager_call)},
          {"error_call", NumberOrNull(outcome.error_call)},
          {"error", TextOrNull(outcome.error)},
          {"traps", outcome.traps}};
}

Json FunctionJson(const FunctionPrediction& function) {
  return {{"where", PlaceJson(function.where)},
          {"rank", function.rank < 0 ? Json() : Json(function.rank)},
          {"frame", TextOrNull(function.frame)},
          {"history", HistoryOriginName(function.origin)},
          {"calls", function.calls},
          {"distinct_calls", function.distinct_calls},
          {"lower_bound", function.is_lower_bound},
          {"probed", function.is_probed},
          {"probe_missed", TextOrNull(function.probe_missed)},
          {"unmodelled", TextOrNull(function.unmodelled)},
          {"logged_compile_seconds", SecondsJson(function.logged_seconds)},
          {"back_test", BackTestJson(function.back_test)},
          {"policies", ListJson(function.outcomes, OutcomeJson)}};
}

Json PolicyJson(const PolicyTotals& policy) {
  return {{"policy", policy.policy},
          {"functions", policy.functions},
          {"unmodelled", policy.unmodelled},
          {"totals", TotalsJson(policy.totals)},
          {"predicted_compile_seconds", SecondsJson(policy.compile_seconds)}};
}

void BeginJson(const ReportOptions& options, llvm::raw_ostream& out) {
  out << "{\n \"schema\": \"shapewise.predict/1\",\n \"tool\": " << JsonText(ToolJson(options))
      << ",\n \"scenarios\": [";
}

void AnswerJson(const ScenarioAnswer& answer, const ReportOptions&, llvm::raw_ostream& out) {
  out << (answer.index == 0 ? "\n  " : ",\n  ") << JsonText(AnswerJson(answer));
}

void EndJson(const ScenarioTally& tally, const ReportOptions&, llvm::raw_ostream& out) {
  out << (tally.answers == 0 ? "]" : "\n ]") << ",\n \"summary\": "
      << JsonText(
             {{"scenarios", tally.answers}, {"exact", tally.exact}, {"damaged", tally.damaged}})
      << "\n}\n";
}

void BeginJsonl(const ReportOptions&, llvm::raw_ostream&) {}

void AnswerJsonl(const ScenarioAnswer& answer, const ReportOptions&, llvm::raw_ostream& out) {
  out << JsonText(AnswerJson(answer)) << "\n";
}

void EndJsonl(const ScenarioTally&, const ReportOptions&, llvm::raw_ostream&) {}

}  // namespace

Document DescribePrediction(const PredictionReport& report, const ReportOptions& options) {
  return PredictionPage(report, options).Make();
}

std::span<const ScenarioFormat> ScenarioFormats() {
  static const ScenarioFormat formats[] = {
      {"text", BeginText, WriteAnswer, WriteTally}, ScenarioJsonFormat(), ScenarioJsonlFormat()};
  return formats;
}

ScenarioFormat ScenarioJsonFormat() { return {"json", BeginJson, AnswerJson, EndJson}; }

ScenarioFormat ScenarioJsonlFormat() { return {"jsonl", BeginJsonl, AnswerJsonl, EndJsonl}; }

void WritePredictionJson(const PredictionReport& report, const ReportOptions& options,
                         llvm::raw_ostream& out) {
  JsonStream object("shapewise.predict/1", options, out);
  object.Member("back_test", {{"equal", report.back_test.equal},
                              {"lower_bound", report.back_test.lower_bound},
                              {"differs", report.back_test.differs},
                              {"not_logged", report.back_test.not_logged},
                              {"unmodelled", report.back_test.unmodelled}});
  object.List("functions", report.functions, FunctionJson);
  object.List("policies", report.policies, PolicyJson);
  object.Member("gaps", report.gaps);
  object.Member("unread", report.unread);
}

void WritePredictionJsonl(const PredictionReport& report, const ReportOptions&,
                          llvm::raw_ostream& out) {
  for (const FunctionPrediction& function : report.functions) {
    out << JsonText(FunctionJson(function)) << "\n";
  }
}

}  // namespace shapewise
