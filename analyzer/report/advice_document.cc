// Advice for people: one screen, in the order of lint's findings. As JSON: schema
// shapewise.advise/1.

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/Support/FormatVariadic.h"
#include "report/document.h"
#include "report/formats.h"
#include "report/result_json.h"
#include "report/text_finding.h"
#include "result/number_text.h"
#include "support/enum_name.h"
#include "support/terminal_text.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// Limits without --all.
constexpr size_t kMaxWhole = 5;  // actions printed in full
constexpr size_t kMaxBrief = 6;  // other actions, one line each
constexpr size_t kActionColumn = 4;
constexpr size_t kCode = 6;

std::string_view WhereText(PasteAt at) {
  return EnumName<PasteAt::kDecorator>(
      at, {"by hand", "environment", "top of the script, after the imports",
           "argument of torch.compile", "before each call", "above the function"});
}

bool IsOfPythonValue(GuardClass guard_class) {
  switch (guard_class) {
    case GuardClass::kInt:
    case GuardClass::kFloat:
    case GuardClass::kStr:
    case GuardClass::kLength:
    case GuardClass::kIdentity:
      return true;
    default:
      return false;
  }
}

class AdvicePage {
 public:
  AdvicePage(const Advice& advice, const Session& session, const ReportOptions& options)
      : advice_(advice), session_(session), page_("advise", options.all) {}

  Document Make() {
    AddHead();
    size_t whole = 0;
    size_t brief = 0;
    size_t number = 0;
    for (size_t i = 0; i < advice_.actions.size(); ++i) {
      const RankedAction& ranked = advice_.actions[i];
      const bool is_whole = page_.all() || (ranked.is_planned && whole < kMaxWhole) || i == 0;
      // All of the plan is shown, since its line names the numbers.
      if (!is_whole && !ranked.is_planned && brief >= kMaxBrief) continue;
      numbers_.emplace(i, IsToLeave(ranked.action) ? number : ++number);
      if (is_whole) {
        AddAction(i);
        ++whole;
      } else {
        AddBriefly(i);
        ++brief;
      }
    }
    page_.AddRest(whole + brief, advice_.actions.size(), "action");
    AddPlan();
    AddNextSteps();
    AddGaps(advice_.gaps, page_);
    return std::move(page_);
  }

 private:
  void AddHead() {
    if (advice_.actions.empty()) {
      const std::string_view why = advice_.next_steps.empty()
                                       ? advice_.program_failed
                                             ? "No advice: the program failed, but this log "
                                               "does not show that torch.compile is the reason"
                                             : "No advice: nothing in this log needs any"
                                       : "No advice yet: this log does not contain enough";
      page_.Begin(0).Add(TextStyle::kStrong, why);
      return;
    }
    const auto num_left = std::ranges::count_if(
        advice_.actions, [](const RankedAction& ranked) { return IsToLeave(ranked.action); });
    const size_t count = advice_.actions.size() - static_cast<size_t>(num_left);
    page_.Begin(0, 2).Add(TextStyle::kStrong,
                          count == 0 ? NothingText() : Counted(count, "action"));
    if (count > 0) page_.Add(". " + PlanText());
    if (advice_.seconds) {
      page_.Begin(0, 2).Add(TextStyle::kFaint,
                            "The run compiled for " + SecondsText(*advice_.seconds));
    }
  }

  std::string NothingText() const {
    const bool is_certain = std::ranges::none_of(advice_.actions, [](const RankedAction& ranked) {
      return IsToLeaveSometimes(ranked.action);
    });
    return is_certain ? "Nothing has to be done" : "Nothing has to be done if this holds";
  }

  static bool IsEstimated(const RankedAction& action) { return !SavingText(action.saving).empty(); }

  /// What the plan saves, of all compiles of the run: only some of its functions can be simulated.
  std::string PlanText() const {
    std::optional<Saving> together = advice_.together;
    if (together) together->functions = {{.where = {}, .before = advice_.compiles, .after = 0}};
    const std::string saved = SavingText(together);
    if (saved.empty()) {
      return has_estimates_ ? "The savings of the whole plan are not estimated"
                            : "Savings are not estimated";
    }
    const auto others = std::ranges::count_if(
        advice_.plan, [&](size_t index) { return !IsEstimated(advice_.actions[index]); });
    std::string text = "The plan below is predicted to save " + saved;
    if (others > 0) {
      text += "; " + std::to_string(others) + " of its " + Counted(advice_.plan.size(), "action") +
              (others == 1 ? " is" : " are") + " not estimated";
    }
    return text;
  }

  /// "2. "; what is to be left as it is has no number.
  std::string NumberText(size_t index) const {
    return IsToLeave(advice_.actions[index].action) ? "- "
                                                    : std::to_string(numbers_.at(index)) + ". ";
  }

  void AddAction(size_t index) {
    const RankedAction& ranked = advice_.actions[index];
    const Action& action = ranked.action;
    page_.BlankLine();
    was_brief_ = false;
    page_.Begin(0, kActionColumn).Add(TextStyle::kStrong, NumberText(index));
    page_.Add(action.text);
    page_.AddCode(kCode, action.code);

    page_.Begin(kActionColumn, kActionColumn + 2).Add(TextStyle::kLabel, WhereText(ranked.at));
    const std::string place = PlaceText(action.target);
    if (!place.empty()) page_.Add(": " + place);
    if (!action.torch.empty()) page_.Add(TextStyle::kFaint, " (torch " + action.torch + ")");

    AddSaving(ranked);
    AddMeasured(ranked.measured);
    if (!action.trap.empty()) {
      page_.Begin(kActionColumn, kActionColumn + 2)
          .Add(TextStyle::kLabel, "caveat: ")
          .Add(action.trap);
    }
  }

  /// Adds an action outside the plan: an alternative to a planned action, or one with unknown
  /// savings.
  void AddBriefly(size_t index) {
    const RankedAction& ranked = advice_.actions[index];
    if (!was_brief_) page_.BlankLine();
    was_brief_ = true;
    page_.Begin(0, kActionColumn).Add(TextStyle::kStrong, NumberText(index));
    page_.Add(ranked.action.text);
    const std::string saved = SavingText(ranked.saving);
    const std::string effect = ranked.is_experiment ? "experiment"
                               : saved.empty()      ? NoSavingText(ranked.saving)
                                                    : "predicted: saves " + saved;
    if (!effect.empty()) page_.Add(TextStyle::kFaint, " (" + effect + ")");
    const bool is_setting = std::string_view(ranked.action.code).starts_with("torch.") &&
                            IsOneOf(ranked.action.kind, {"config", "raise_limit"}) &&
                            ranked.action.code.find('\n') == std::string::npos;
    if (is_setting) page_.AddCode(kCode, ranked.action.code);
  }

  void AddSaving(const RankedAction& ranked) {
    page_.Begin(kActionColumn, kActionColumn + 2);
    const std::string saved = SavingText(ranked.saving);
    std::vector<std::string> texts;
    if (ranked.is_experiment) {
      page_.Add(TextStyle::kWarning, "experiment: ")
          .Add("it can cost speed; replay the run with it before keeping it");
      texts.emplace_back();
    } else if (saved.empty()) {
      const std::string effect = NoSavingText(ranked.saving);
      if (!effect.empty()) texts.push_back(effect);
    } else {
      page_.Add(TextStyle::kLabel, "predicted: ").Add("saves " + saved);
      texts.emplace_back(" (simulated)");
    }
    for (const std::string& source : {ranked.rule, EvidenceText(ranked.action.evidence)}) {
      if (!source.empty()) texts.push_back(source);
    }
    page_.Add(TextStyle::kFaint, Joined(texts, ", "));
  }

  /// What to print in place of a saving.
  std::string NoSavingText(const std::optional<Saving>& saving) const {
    if (!HasFigures(saving)) return has_estimates_ ? "not estimated" : "";
    return saving->raises > 0 ? "predicted: raises an error" : "predicted: saves nothing";
  }

  void AddMeasured(const std::optional<MeasuredSaving>& measured) {
    if (!measured) return;
    page_.Begin(kActionColumn, kActionColumn + 2);
    page_.Add(measured->is_kept ? TextStyle::kLabel : TextStyle::kWarning,
              measured->is_kept ? "measured: " : "withdrawn: ");
    page_.Add(MeasuredText(*measured));
    if (!measured->why.empty()) page_.Add("; " + measured->why);
  }

  /// "1 compile instead of 8, 2.00 s of compiling instead of 16.0 s, 99 steps/s instead of 100"
  static std::string MeasuredText(const MeasuredSaving& measured) {
    std::string text = measured.verdict;
    std::ranges::replace(text, '_', ' ');
    if (measured.compiles && measured.compiles_before) {
      text += ": " + Counted(*measured.compiles, "compile") + " instead of " +
              std::to_string(*measured.compiles_before);
    }
    if (measured.compile_seconds && measured.compile_seconds_before) {
      text += ", " + SecondsText(*measured.compile_seconds) + " of compiling instead of " +
              SecondsText(*measured.compile_seconds_before);
    }
    if (measured.steps_per_second && measured.steps_per_second_before) {
      text += ", " + RateText(*measured.steps_per_second) + " steps/s instead of " +
              RateText(*measured.steps_per_second_before);
    }
    if (measured.equal) text += *measured.equal ? ", results equal" : ", RESULTS DIFFER";
    return text;
  }

  static std::string RateText(double rate) {
    return rate < 100 ? llvm::formatv("{0:F2}", rate).str() : llvm::formatv("{0:F0}", rate).str();
  }

  /// "run.log:4, 13 and 22"
  std::string EvidenceText(const std::vector<size_t>& events) const {
    constexpr size_t kMaxPlaces = 3;
    std::string text;
    size_t shown = 0;
    uint32_t last_input = 0;
    for (const size_t index : events) {
      if (index >= session_.events().size()) continue;
      if (shown == kMaxPlaces) return text + " ...";
      const Event& event = session_.events()[index];
      if (shown == 0 || event.input != last_input) {
        text += shown == 0 ? "" : ", ";
        text += LinesPrefix(event.input, events.size() > 1, session_);
      } else {
        text += ", ";
      }
      text += std::to_string(event.line);
      last_input = event.input;
      ++shown;
    }
    return text;
  }

  void AddPlan() {
    if (advice_.plan.empty()) {
      if (!advice_.measured_together) return;
      page_.BlankLine();
      page_.Begin(0, 2).Add(TextStyle::kStrong, "Together: nothing; none of the plan pays");
      return;
    }
    page_.BlankLine();
    page_.Begin(0, 2).Add(TextStyle::kStrong, "Together: ");
    page_.Add(Joined(advice_.plan, ", ",
                     [&](size_t index) { return std::to_string(numbers_.at(index)); }));
    AddCompiles();
    AddMeasured(advice_.measured_together);
    if (MayHideOthers()) {
      page_.Begin(2, 4).Add(TextStyle::kFaint,
                            "Record again after the changes: Dynamo prints only the first guard "
                            "that fails, so other values may follow");
    }
    const bool is_whole = std::ranges::all_of(
        advice_.plan, [&](size_t index) { return !advice_.actions[index].policy.empty(); });
    if (advice_.measured_together && !is_whole) {
      page_.Begin(kActionColumn)
          .Add(TextStyle::kFaint, "(what a person has to follow was not run)");
    }
    const bool can_paste = std::ranges::any_of(
        advice_.plan, [&](size_t index) { return !advice_.actions[index].action.code.empty(); });
    if (!can_paste) return;
    page_.Begin(2, 4).Add(TextStyle::kFaint,
                          "To paste: shapewise advise --emit patch|env|config|markdown");
  }

  /// Whether the plan is about a Python value that changed: another one may have changed with it.
  /// All sizes become dynamic in one compile.
  bool MayHideOthers() const {
    return std::ranges::any_of(advice_.plan, [&](size_t index) {
      return std::ranges::any_of(advice_.actions[index].action.evidence, [&](size_t event) {
        if (event >= session_.events().size()) return false;
        const EventDetail& detail = session_.detail(session_.events()[event]);
        return std::ranges::any_of(detail.reasons(), [&](ReasonId id) {
          return IsOfPythonValue(session_.reason(id).guard_class);
        });
      });
    });
  }

  void AddCompiles() {
    if (!advice_.together) return;
    for (const FunctionCompiles& function : advice_.together->functions) {
      page_.Begin(2, 4).Add(PlaceText(function.where) + ": " + Counted(function.before, "compile") +
                            ", predicted " + std::to_string(function.after));
    }
  }

  void AddNextSteps() {
    if (advice_.next_steps.empty()) return;
    page_.AddTitle("To learn more");
    for (const NextStep& step : advice_.next_steps) {
      page_.Begin(2, 4).Add("- " + step.text);
      page_.AddCode(4, step.code);
    }
  }

  const Advice& advice_;
  const Session& session_;
  /// If not, the head says so, once for all actions.
  const bool has_estimates_ = std::ranges::any_of(advice_.actions, IsEstimated);
  bool was_brief_ = false;
  std::map<size_t, size_t> numbers_;  ///< of the actions that are shown
  Document page_;
};

/// The simulated saving; null: unknown.
Json SavingJson(const std::optional<Saving>& saving) {
  if (!HasFigures(saving)) return {};
  const auto row_of = [](const FunctionCompiles& function) {
    Json row = PlaceJson(function.where);
    row["before"] = function.before;
    row["after"] = function.after;
    return row;
  };
  return {{"compiles", saving->compiles},
          {"seconds", SecondsJson(saving->seconds)},
          {"eager_functions", saving->eager_functions},
          {"raises", saving->raises},
          {"functions", ListJson(saving->functions, row_of)}};
}

/// The measured results; null: not run.
Json MeasuredJson(const std::optional<MeasuredSaving>& measured) {
  if (!measured) return {};
  return {{"policy", measured->policy},
          {"verdict", measured->verdict},
          {"why", TextOrNull(measured->why)},
          {"compiles", NumberOrNull(measured->compiles)},
          {"compiles_before", NumberOrNull(measured->compiles_before)},
          {"compiles_predicted", NumberOrNull(measured->predicted_compiles)},
          {"compile_seconds", SecondsJson(measured->compile_seconds)},
          {"compile_seconds_before", SecondsJson(measured->compile_seconds_before)},
          {"steps_per_second", NumberOrNull(measured->steps_per_second)},
          {"steps_per_second_before", NumberOrNull(measured->steps_per_second_before)},
          {"equal", NumberOrNull(measured->equal)},
          {"error", TextOrNull(measured->error)}};
}

Json ValidatedJson(const std::optional<MeasuredSaving>& measured) {
  return measured ? Json(measured->is_kept) : Json();
}

Json RankedJson(const RankedAction& ranked) {
  Json json = ActionJson(ranked.action);
  json["paste"] = TextOrNull(PasteAtName(ranked.at));
  json["policy"] = TextOrNull(ranked.policy);
  json["experiment"] = ranked.is_experiment;
  json["rule"] = TextOrNull(ranked.rule);
  json["severity"] = SeverityName(ranked.severity);
  json["predicted"] = SavingJson(ranked.saving);
  json["in_plan"] = ranked.is_planned;
  json["validated"] = ValidatedJson(ranked.measured);
  json["measured"] = MeasuredJson(ranked.measured);
  return json;
}

/// The actions of the plan that belong in one of `places`.
std::vector<const RankedAction*> Planned(const Advice& advice, std::vector<PasteAt> places) {
  std::vector<const RankedAction*> planned;
  for (const size_t index : advice.plan) {
    const RankedAction& ranked = advice.actions[index];
    if (std::ranges::find(places, ranked.at) != places.end()) planned.push_back(&ranked);
  }
  return planned;
}

void WriteComment(std::string_view text, llvm::raw_ostream& out) {
  out << "# " << MakePrintable(text) << "\n";
}

void WriteHead(const RankedAction& ranked, llvm::raw_ostream& out) {
  const std::string saved = SavingText(ranked.saving);
  WriteComment(ranked.action.text, out);
  if (!saved.empty()) WriteComment("predicted to save " + saved, out);
  if (!ranked.action.trap.empty()) WriteComment(ranked.action.trap, out);
}

template <typename WriteLine>
void ForLines(std::string_view text, const WriteLine& write) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    write(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
}

/// Says what there is if nothing is planned.
void WriteEmptyPlan(const Advice& advice, llvm::raw_ostream& out) {
  WriteComment(advice.actions.empty() ? "Nothing to advise"
                                      : "Nothing is planned: it is not known that one of " +
                                            Counted(advice.actions.size(), "action") +
                                            " saves anything (shapewise advise)",
               out);
}

/// Lists the other actions of the plan, to show that this text is not complete.
void WriteRest(const Advice& advice, size_t written, llvm::raw_ostream& out) {
  if (written < advice.plan.size()) {
    WriteComment("The plan has " + Counted(advice.plan.size() - written, "other action") +
                     " of another form: shapewise advise",
                 out);
  }
  if (advice.plan.empty()) WriteEmptyPlan(advice, out);
}

/// Whether it is a setting of the program that may save something.
bool IsUsefulSetting(const RankedAction& ranked) {
  const bool saves_nothing =
      ranked.saving && ranked.saving->compiles == 0 && ranked.saving->eager_functions == 0;
  return ranked.at == PasteAt::kConfig && !ranked.is_experiment && !saves_nothing;
}

}  // namespace

Document DescribeAdvice(const Advice& advice, const Session& session,
                        const ReportOptions& options) {
  return AdvicePage(advice, session, options).Make();
}

std::string SavingText(const std::optional<Saving>& saving) {
  if (!HasFigures(saving) || saving->raises > 0) return {};
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  uint64_t before = 0;
  for (const FunctionCompiles& function : saving->functions) before += function.before;
  if (saving->compiles > 0) {
    add(std::to_string(saving->compiles) + " of " + Counted(before, "compile"));
  }
  if (saving->seconds && *saving->seconds > 0) add(SecondsText(*saving->seconds) + " of compiling");
  if (saving->eager_functions > 0) {
    add(Counted(saving->eager_functions, "function") + " from running eagerly");
  }
  return text;
}

void WriteAdviceJson(const Advice& advice, const Session& session, const ReportOptions& options,
                     llvm::raw_ostream& out) {
  JsonStream object("shapewise.advise/1", options, out);
  object.Member("inputs",
                ListJson(session.inputs(), [](const Input& input) { return Json(input.name); }));
  object.Member("run", {{"compiles", advice.compiles}, {"seconds", SecondsJson(advice.seconds)}});
  object.List("actions", advice.actions, RankedJson);
  object.List("next_steps", advice.next_steps, NextStepJson);
  object.Member("plan", {{"actions", advice.plan},
                         {"predicted", SavingJson(advice.together)},
                         {"validated", ValidatedJson(advice.measured_together)},
                         {"measured", MeasuredJson(advice.measured_together)}});
  object.Member("gaps", advice.gaps);
  object.Member("unread", advice.unread);
}

void WriteAdviceEnvironment(const Advice& advice, const Session& /*session*/,
                            const ReportOptions& /*options*/, llvm::raw_ostream& out) {
  const auto planned = Planned(advice, {PasteAt::kEnvironment});
  for (const RankedAction* ranked : planned) {
    WriteHead(*ranked, out);
    ForLines(ranked->action.code, [&](std::string_view line) {
      out << (line.starts_with("export ") ? "" : "export ") << MakePrintable(line) << "\n";
    });
  }
  WriteRest(advice, planned.size(), out);
}

void WriteAdviceConfig(const Advice& advice, const Session& /*session*/,
                       const ReportOptions& /*options*/, llvm::raw_ostream& out) {
  size_t written = 0;
  for (const RankedAction* ranked : Planned(advice, {PasteAt::kConfig, PasteAt::kEnvironment})) {
    std::string code;
    bool is_whole = true;
    ForLines(ranked->action.code, [&](std::string_view line) {
      const std::string statement =
          ranked->at == PasteAt::kConfig ? std::string(line) : ConfigOfVariable(line);
      is_whole = is_whole && !statement.empty();
      code += statement + "\n";
    });
    if (!is_whole) continue;
    ++written;
    WriteHead(*ranked, out);
    ForLines(code, [&](std::string_view line) { out << MakePrintable(line) << "\n"; });
  }
  WriteRest(advice, written, out);
  if (!advice.plan.empty()) return;
  for (const RankedAction& ranked : advice.actions) {
    if (!IsUsefulSetting(ranked)) continue;
    WriteHead(ranked, out);
    ForLines(ranked.action.code, [&](std::string_view line) { WriteComment(line, out); });
  }
}

/// Other text comes before the diff: programs that apply patches skip it.
void WriteAdvicePatch(const Advice& advice, const Session& /*session*/,
                      const ReportOptions& /*options*/, llvm::raw_ostream& out) {
  if (advice.plan.empty()) WriteEmptyPlan(advice, out);
  if (!advice.patch) return;
  for (const std::string& skipped : advice.patch->skipped) WriteComment(skipped, out);
  out << advice.patch->diff;
}

}  // namespace shapewise
