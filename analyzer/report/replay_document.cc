// A replay for people: a table of the runs, and the conclusions for the advice.

#include <algorithm>
#include <string>
#include <vector>

#include "report/document.h"
#include "report/formats.h"
#include "report/measured_text.h"
#include "report/text_finding.h"
#include "result/number_text.h"

namespace shapewise {
namespace {

template <typename Number>
std::string NumberText(const std::optional<Number>& number) {
  return number ? std::to_string(*number) : "-";
}

class ReplayPage {
 public:
  ReplayPage(const ReplayReport& report, const ReportOptions& options)
      : report_(report), page_("replay", options.all) {}

  Document Make() {
    AddHead();
    AddTable();
    AddVerdicts();
    page_.AddList("Not visible in this replay", report_.gaps);
    return std::move(page_);
  }

 private:
  void AddHead() {
    page_.Begin(0, 2).Add(TextStyle::kStrong, report_.subject);
    page_.Add(": " + Counted(report_.calls, "call") + " of " + report_.function);
    if (!report_.device.empty()) page_.Add(" on " + report_.device);
    if (!report_.torch.empty()) page_.Add(", torch " + report_.torch);
    page_.BlankLine();
  }

  void AddTable() {
    Document::Table table({{"steps/s"},
                           {"compiles"},
                           {"predicted"},
                           {"compile s"},
                           {"memory"},
                           {"equal"},
                           {"policy", Document::Table::Align::kLeft}});
    for (const ReplayedPolicy& policy : report_.policies) {
      const PolicyMeasurement& measured = policy.measured;
      const std::string equal =
          measured.equal ? (*measured.equal ? "yes" : "NO") : std::string("-");
      table.Row({RangeText(measured.steps_per_second), NumberText(measured.compiles),
                 NumberText(policy.predicted.compiles),
                 measured.compile_seconds ? SecondsText(*measured.compile_seconds) : "-",
                 BytesText(measured.peak_bytes), equal, policy.policy});
    }
    page_.AddTable(std::move(table));
  }

  void AddVerdicts() {
    page_.BlankLine();
    for (const ReplayedPolicy& policy : report_.policies) {
      if (policy.verdict == ReplayVerdict::kBaseline) continue;
      AddVerdict(policy);
    }
    AddAssumed();
    if (report_.best) {
      page_.Begin(0, 2).Add(TextStyle::kStrong, "Best: ");
      page_.Add(TextStyle::kCode, report_.policies[*report_.best].policy);
      for (size_t i = 0; i < report_.as_good.size(); ++i) {
        page_.Add(i == 0 ? "; within noise as good: " : ", ");
        page_.Add(TextStyle::kCode, report_.policies[report_.as_good[i]].policy);
      }
      page_.Add(TextStyle::kFaint,
                " (time of " + Counted(report_.judged_calls, "call") + ", compiling included)");
    }
    if (!report_.script.empty()) {
      page_.Begin(0, 2).Add(TextStyle::kFaint, "To run it again: " + report_.script);
    }
  }

  void AddAssumed() {
    std::vector<std::string> assumed;
    for (const ReplayedPolicy& policy : report_.policies) {
      const std::string& one = policy.predicted.assumed;
      if (!one.empty() && std::ranges::find(assumed, one) == assumed.end()) assumed.push_back(one);
    }
    for (const std::string& one : assumed) {
      page_.Begin(0, 2).Add(TextStyle::kFaint, "Predictions assume: " + one);
    }
  }

  void AddVerdict(const ReplayedPolicy& policy) {
    const bool is_kept = IsKept(policy.verdict);
    const bool was_run = policy.verdict != ReplayVerdict::kNotRun;
    const TextStyle style = !was_run  ? TextStyle::kNote
                            : is_kept ? TextStyle::kStrong
                                      : TextStyle::kWarning;
    std::string_view head = "not run: ";
    if (was_run && policy.is_advice) head = is_kept ? "holds: " : "withdrawn: ";
    if (was_run && !policy.is_advice) head = is_kept ? "pays: " : "does not pay: ";
    page_.Begin(0, 4).Add(style, head);
    page_.Add(TextStyle::kCode, policy.policy);
    if (policy.is_plan) page_.Add(TextStyle::kFaint, " (the plan)");
    page_.Add(": " + VerdictText(policy));
    const PolicyForecast& predicted = policy.predicted;
    const bool differs = predicted.compiles && policy.measured.compiles &&
                         *predicted.compiles != *policy.measured.compiles;
    if (differs) {
      page_.Begin(4, 6).Add(TextStyle::kWarning,
                            "predicted " + Counted(*predicted.compiles, "compile") + ", measured " +
                                std::to_string(*policy.measured.compiles));
    }
    if (!predicted.is_exact && !predicted.why.empty()) {
      page_.Begin(4, 6).Add(TextStyle::kFaint, "not predicted: " + predicted.why);
    }
  }

  std::string VerdictText(const ReplayedPolicy& policy) const {
    switch (policy.verdict) {
      case ReplayVerdict::kFaster:
        return (policy.why.empty() ? ComparedSeconds(policy) : policy.why) + BreakEvenText(policy);
      case ReplayVerdict::kFewer:
        return "it compiles less, and takes as long within noise" + BreakEvenText(policy);
      case ReplayVerdict::kSlower:
        return ComparedSeconds(policy) + BreakEvenText(policy);
      case ReplayVerdict::kNotRun:
        return "nothing came back of it";
      default:
        return policy.why + BreakEvenText(policy);
    }
  }

  /// "12.3 s instead of 20.1 s"
  std::string ComparedSeconds(const ReplayedPolicy& policy) const {
    const std::optional<MeasuredRange>& before = report_.policies.front().seconds;
    if (!policy.seconds || !before) return "no time was measured";
    return SecondsText(policy.seconds->value) + " instead of " + SecondsText(before->value);
  }

  std::string BreakEvenText(const ReplayedPolicy& policy) const {
    if (!policy.break_even_calls) return {};
    const PolicyMeasurement& base = report_.policies.front().measured;
    const bool compiles_less = policy.measured.compile_seconds && base.compile_seconds &&
                               *policy.measured.compile_seconds < *base.compile_seconds;
    return std::string(compiles_less ? "; it is the faster one up to "
                                     : "; it is the faster one from ") +
           Counted(*policy.break_even_calls, "call") + (compiles_less ? "" : " on");
  }

  const ReplayReport& report_;
  Document page_;
};

}  // namespace

Document DescribeReplay(const ReplayReport& report, const ReportOptions& options) {
  return ReplayPage(report, options).Make();
}

}  // namespace shapewise
