// A tune for people: a table of the runs, the best action with text to paste, and withdrawn
// actions. As JSON: schema shapewise.tune/1.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/document.h"
#include "report/formats.h"
#include "report/result_json.h"
#include "report/text_finding.h"
#include "result/number_text.h"

namespace shapewise {
namespace {

std::string EqualText(const TuneRun& run) {
  if (!run.equal) return "?";
  return *run.equal ? "yes" : "NO";
}

/// The result in one sentence: "dynamic=True: 2 compiles instead of 9".
std::string TuneVerdictText(const TuneReport& report) {
  const TuneRun& base = report.baseline;
  if (base.calls == 0) return "No function compiled by torch.compile was called.";
  if (!report.best) {
    return report.is_interrupted ? "Interrupted: no action helped so far."
                                 : "No action helps: " + TuneCountsText(base) + ".";
  }
  const TunedAction& best = report.actions[*report.best];
  return "Best: " + best.policy + ": " + best.why + ".";
}

/// Where to paste a part: " Paste before each call of step (train.py:12):"; for a patch ":".
std::string PasteText(const RankedAction& part) {
  if (part.action.code.empty()) return ":";
  const Place& target = part.action.target;
  std::string function = "the compiled function";
  if (!target.function.empty()) {
    const std::string place = PlaceText(target);
    function = target.function + (place.empty() ? "" : " (" + place + ")");
  }
  switch (part.at) {
    case PasteAt::kEnvironment:
      return " Set in the environment:";
    case PasteAt::kConfig:
      return " Paste before the first compile:";
    case PasteAt::kCompileCall:
      return " Paste as an argument of torch.compile" +
             (target.function.empty() ? "" : " of " + function) + ":";
    case PasteAt::kBeforeCall:
      return " Paste before each call of " + function + ":";
    case PasteAt::kDecorator:
      return " Paste above " + function + ":";
    case PasteAt::kByHand:
      break;
  }
  return " In the code:";
}

class TunePage {
 public:
  TunePage(const TuneReport& report, const ReportOptions& options)
      : report_(report), page_("tune", options.all) {}

  Document Make() {
    AddHead();
    if (report_.baseline.calls > 0) AddTable();
    page_.AddTitle(TuneVerdictText(report_));
    AddFailure();
    AddBest();
    AddConfirmation();
    AddWithdrawn();
    page_.AddList("Not known", report_.gaps);
    return std::move(page_);
  }

 private:
  void AddHead() {
    const TuneRun& base = report_.baseline;
    page_.Begin(0, 2).Add(TextStyle::kStrong, report_.command);
    page_.Add(": " + Counted(base.calls, "call") + " of " +
              Counted(base.functions.size(), "compiled function"));
    if (!report_.device.empty()) page_.Add(" on " + report_.device);
    if (!report_.torch.empty()) page_.Add(", torch " + report_.torch);
    page_.Add(report_.backend.empty() ? ", its own backend"
                                      : ", backend " + report_.backend + " instead of its own");
  }

  void AddTable() {
    using Align = Document::Table::Align;
    Document::Table table({{"compiles"},
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
    add(report_.baseline, "", "unchanged", TextStyle::kPlain);
    for (size_t i = 0; i < report_.actions.size(); ++i) {
      const TunedAction& action = report_.actions[i];
      if (!action.run) continue;
      add(*action.run, EqualText(*action.run), action.policy,
          report_.best == i ? TextStyle::kStrong : TextStyle::kPlain);
    }
    page_.BlankLine();
    page_.AddTable(std::move(table));
  }

  void AddFailure() {
    const TuneRun& base = report_.baseline;
    if (!base.HasFailed() && base.errors == 0) return;
    page_.Begin(0, 2).Add(TextStyle::kWarning, "The unchanged program fails: ");
    page_.Add((base.error_call ? "call " + std::to_string(*base.error_call) + " raises " : "") +
              base.error);
  }

  void AddBest() {
    if (!report_.best) return;
    const TunedAction& best = report_.actions[*report_.best];
    for (const RankedAction& part : best.parts) {
      page_.Begin(2, 4).Add(part.action.text + PasteText(part));
      page_.AddCode(4, part.action.code);
    }
    for (const TunePatch& patch : best.patches) page_.AddCode(4, patch.diff);
    if (best.run->equal) return;
    page_.Begin(0, 2).Add(TextStyle::kWarning, "It is not known whether results are equal: ");
    page_.Add(best.run->equal_why);
  }

  void AddConfirmation() {
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
  }

  void AddWithdrawn() {
    std::vector<std::string> withdrawn;
    for (const TunedAction& action : report_.actions) {
      if (!action.run || action.verdict == TuneVerdict::kBetter) continue;
      withdrawn.push_back(action.policy + ": " + action.why);
    }
    page_.AddList("Withdrawn", withdrawn);
  }

  const TuneReport& report_;
  Document page_;
};

Json TunedFunctionJson(const TunedFunction& function) {
  return {{"function", function.name},
          {"calls", function.calls},
          {"eager_calls", function.eager_calls}};
}

Json RunJson(const TuneRun& run) {
  const auto& rate = run.steps_per_second;
  return {{"folder", TextOrNull(run.folder)},
          {"end", TuneEndName(run.end)},
          {"status", run.status},
          {"run_seconds", SecondsJson(run.run_seconds)},
          {"calls", run.calls},
          {"compiles", run.compiles},
          {"recompiles", run.recompiles},
          {"graph_breaks", run.graph_breaks},
          {"limit_hits", run.limit_hits},
          {"eager_calls", run.eager_calls},
          {"errors", run.errors},
          {"error", TextOrNull(run.error)},
          {"error_call", NumberOrNull(run.error_call)},
          {"compile_seconds", SecondsJson(run.compile_seconds)},
          {"wall_seconds", SecondsJson(run.wall_seconds)},
          {"steps_per_second", rate ? Json(rate->value) : Json()},
          {"steps_per_second_interval", rate ? Json{rate->low, rate->high} : Json()},
          {"peak_bytes", NumberOrNull(run.peak_bytes)},
          {"functions", ListJson(run.functions, TunedFunctionJson)},
          {"equal", NumberOrNull(run.equal)},
          {"equal_why", TextOrNull(run.equal_why)}};
}

Json RunOrNull(const std::optional<TuneRun>& run) { return run ? RunJson(*run) : Json(); }

Json PartJson(const RankedAction& part) {
  return {{"policy", TextOrNull(part.policy)},
          {"text", part.action.text},
          {"code", TextOrNull(part.action.code)},
          {"at", TextOrNull(PasteAtName(part.at))},
          {"target", PlaceJson(part.action.target)}};
}

Json TunedActionJson(const TunedAction& action) {
  std::string diff;
  for (const TunePatch& patch : action.patches) diff += patch.diff;
  return {{"policy", action.policy},
          {"origin", action.origin},
          {"parts", ListJson(action.parts, PartJson)},
          {"patch", TextOrNull(diff)},
          {"run", RunOrNull(action.run)},
          {"verdict", TuneVerdictName(action.verdict)},
          {"why", TextOrNull(action.why)}};
}

}  // namespace

Document DescribeTune(const TuneReport& report, const ReportOptions& options) {
  return TunePage(report, options).Make();
}

void WriteTuneJson(const TuneReport& report, const ReportOptions& options, llvm::raw_ostream& out) {
  JsonStream object("shapewise.tune/1", options, out);
  object.Member("command", report.command);
  object.Member("folder", report.folder);
  object.Member("backend", TextOrNull(report.backend));
  object.Member("torch", TextOrNull(report.torch));
  object.Member("device", TextOrNull(report.device));
  object.Member("baseline", RunJson(report.baseline));
  object.Member("repeated", RunOrNull(report.repeated));
  object.List("actions", report.actions, TunedActionJson);
  object.Member("best", report.best ? Json(*report.best) : Json());
  object.Member("confirmed", report.confirmed ? TunedActionJson(*report.confirmed) : Json());
  object.Member("confirmed_baseline", RunOrNull(report.confirmed_before));
  object.Member("interrupted", report.is_interrupted);
  object.Member("gaps", report.gaps);
}

}  // namespace shapewise
