// A replay for people: a table of the runs, and the conclusions for the advice. As JSON: schemas
// shapewise.replay/1 and shapewise.curve/1.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "llvm/Support/FormatVariadic.h"
#include "report/document.h"
#include "report/formats.h"
#include "report/result_json.h"
#include "report/text_finding.h"
#include "result/number_text.h"
#include "support/text_list.h"

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

Json RangeJson(const std::optional<MeasuredRange>& range) {
  return range ? Json{range->low, range->high} : Json();
}

Json ValueJson(const std::optional<MeasuredRange>& range) {
  return range ? Json(range->value) : Json();
}

Json ForecastJson(const PolicyForecast& forecast) {
  return {{"confidence", forecast.is_exact ? "exact" : "unmodelled"},
          {"why", TextOrNull(forecast.why)},
          {"assumed", TextOrNull(forecast.assumed)},
          {"compiles", NumberOrNull(forecast.compiles)},
          {"compile_seconds", SecondsJson(forecast.compile_seconds)},
          {"recompile_limit_hit", NumberOrNull(forecast.hits_limit)},
          {"eager_calls", NumberOrNull(forecast.eager_calls)},
          {"error_calls", NumberOrNull(forecast.error_calls)},
          {"traps", forecast.traps}};
}

Json ReplayedPolicyJson(const ReplayedPolicy& policy) {
  const PolicyMeasurement& measured = policy.measured;
  return {{"name", policy.policy},
          {"actions", policy.actions},
          {"plan", policy.is_plan},
          {"advice", policy.is_advice},
          {"steps", NumberOrNull(measured.steps)},
          {"steps_per_second", ValueJson(measured.steps_per_second)},
          {"steps_per_second_interval", RangeJson(measured.steps_per_second)},
          {"compiles", NumberOrNull(measured.compiles)},
          {"compile_seconds", SecondsJson(measured.compile_seconds)},
          {"recompile_limit_hit", NumberOrNull(measured.hits_limit)},
          {"peak_bytes", NumberOrNull(measured.peak_bytes)},
          {"equal", NumberOrNull(measured.equal)},
          {"equal_why", TextOrNull(measured.equal_why)},
          {"max_abs_error", NumberOrNull(measured.max_abs_error)},
          {"error", TextOrNull(measured.error)},
          {"predicted", ForecastJson(policy.predicted)},
          {"seconds", ValueJson(policy.seconds)},
          {"seconds_interval", RangeJson(policy.seconds)},
          {"verdict", ReplayVerdictName(policy.verdict)},
          {"why", TextOrNull(policy.why)},
          {"break_even_calls", NumberOrNull(policy.break_even_calls)}};
}

Json PointJson(const CurveReport::Point& point) {
  return {{"size", point.size},
          {"seconds", point.seconds.value},
          {"q1", point.seconds.low},
          {"q3", point.seconds.high},
          {"peak_bytes", NumberOrNull(point.peak_bytes)},
          {"compile_seconds", NumberOrNull(point.compile_seconds)},
          {"dynamic", ValueJson(point.dynamic)},
          {"dynamic_quartiles", RangeJson(point.dynamic)},
          {"dynamic_compile_seconds", NumberOrNull(point.dynamic_compile_seconds)},
          {"eager", NumberOrNull(point.eager)},
          {"spread", NumberOrNull(point.spread)}};
}

Json WayJson(const ServingTime& way) {
  return {{"name", way.name},
          {"compiles", way.compiles},
          {"call_seconds", way.call_seconds},
          {"compile_seconds", SecondsJson(way.compile_seconds)},
          {"seconds", SecondsJson(way.seconds)}};
}

constexpr double kReportedDrift = 0.02;

std::string RoundedPercent(double share) { return Fixed(share * 100, share < 0.1 ? 1 : 0) + " %"; }

class CurvePage {
 public:
  CurvePage(const CurveReport& report, const ReportOptions& options)
      : report_(report), page_("replay", options.all) {}

  Document Make() {
    AddHead();
    AddPoints();
    AddRefused();
    AddPlan();
    AddWays();
    if (!report_.gaps.empty()) page_.BlankLine();
    for (const std::string& gap : report_.gaps) page_.Begin(0, 2).Add(TextStyle::kFaint, gap);
    return std::move(page_);
  }

 private:
  void AddHead() {
    std::string name = report_.subject.empty() ? report_.graph : report_.subject;
    if (name.empty()) name = "graph";
    page_.Begin(0, 2).Add(TextStyle::kStrong, name);
    page_.Add(": " + Counted(report_.points.size(), "size"));
    if (!report_.symbol.empty()) page_.Add(" of " + report_.symbol);
    for (size_t i = 0; i < report_.dims.size(); ++i) {
      page_.Add((i == 0 ? " of " : i == 1 ? " with " : ", ") + report_.dims[i]);
    }
    if (!report_.device.empty()) page_.Add(" on " + report_.device);
    if (!report_.torch.empty()) page_.Add(", torch " + report_.torch);
    page_.BlankLine();
  }

  void AddPoints() {
    bool has_modes = false;
    for (const CurveReport::Point& point : report_.points) {
      has_modes = has_modes || point.dynamic || point.eager;
    }
    Document::Table table({{"size"},
                           {has_modes ? "static" : "a call"},
                           {"quartiles"},
                           {"dynamic"},
                           {"eager"},
                           {"compiled in"},
                           {"memory"}});
    std::optional<double> dynamic_compile;
    for (const CurveReport::Point& point : report_.points) {
      const MeasuredRange& own = point.seconds;
      table.Row({std::to_string(point.size), CallTimeText(own.value),
                 CallTimeText(own.low) + " - " + CallTimeText(own.high),
                 point.dynamic ? CallTimeText(point.dynamic->value) : "",
                 point.eager ? CallTimeText(*point.eager) : "",
                 point.compile_seconds ? SecondsText(*point.compile_seconds) : "",
                 point.peak_bytes ? BytesText(point.peak_bytes) : ""});
      if (point.dynamic_compile_seconds) dynamic_compile = point.dynamic_compile_seconds;
    }
    page_.AddTable(std::move(table));
    if (dynamic_compile) AddNote("the dynamic graph compiled in " + SecondsText(*dynamic_compile));
    if (report_.drift && *report_.drift >= kReportedDrift) {
      AddNote("the machine drifted by " + RoundedPercent(*report_.drift) +
              " meanwhile, which is taken out of the times");
    }
  }

  void AddNote(const std::string& text) {
    page_.Begin(kPageIndent, kPageIndent).Add(TextStyle::kFaint, text);
  }

  void AddRefused() {
    if (report_.refused.empty()) return;
    page_.BlankLine();
    for (const std::string& refused : report_.refused) {
      page_.Begin(0, 2).Add(TextStyle::kWarning, "not run: ").Add(refused);
    }
  }

  void AddPlan() {
    if (!report_.estimated_gap) return;
    page_.BlankLine();
    std::string sizes = Joined(report_.boundaries, ", ");
    page_.Begin(0, 2).Add(TextStyle::kStrong, "Plan: ").Add(TextStyle::kCode, sizes);
    page_.Begin(0, 2)
        .Add(TextStyle::kLabel, "estimated: ")
        .Add("costs at most " + RoundedPercent(*report_.estimated_gap) +
             " more than the best plan, if costs do not fall with size and times are "
             "off by no more than their spread");
    if (!report_.stopped_because.empty()) {
      page_.Add(TextStyle::kFaint, " (" + report_.stopped_because + ")");
    }
  }

  void AddWays() {
    const std::vector<ServingTime>& ways = report_.ways;
    if (ways.empty()) return;
    const bool is_reported = ways.front().seconds.has_value();
    page_.BlankLine();
    Document::Table table({{"way", Document::Table::Align::kLeft},
                           {"mean call"},
                           {"graphs"},
                           {"compiling"},
                           {is_reported ? Counted(report_.steps, "call") : ""}});
    for (const ServingTime& way : ways) {
      table.Row({way.name, CallTimeText(way.call_seconds), std::to_string(way.compiles),
                 way.compile_seconds && way.compiles > 0 ? SecondsText(*way.compile_seconds) : "",
                 way.seconds ? SecondsText(*way.seconds) : ""});
    }
    page_.AddTable(std::move(table));
    page_.Begin(0, 2).Add(TextStyle::kStrong, "Faster: ").Add(ways.front().name);
    if (is_reported) {
      page_.Add(" in a run of " + Counted(report_.steps, "call") + ", compiling included");
    } else {
      page_.Add(" in calls; how long compiling takes was not measured");
    }
    if (report_.break_even_calls) page_.Add(BreakEvenText());
    AddEquals();
  }

  /// Adds the ways that are not significantly slower than the fastest.
  void AddEquals() {
    const ServingTime& best = report_.ways.front();
    const auto seconds_of = [](const ServingTime& way) {
      return way.seconds.value_or(way.call_seconds);
    };
    const double calls = best.seconds ? static_cast<double>(report_.steps) : 1;
    const double limit = seconds_of(best) + (report_.noise * best.call_seconds * calls);
    std::string equals;
    for (const ServingTime& way : report_.ways) {
      if (&way == &best || seconds_of(way) > limit) continue;
      equals += (equals.empty() ? "" : ", ") + way.name;
    }
    if (equals.empty()) return;
    page_.Begin(0, 2).Add(TextStyle::kStrong, "As fast").Add(" within what was measured (±");
    page_.Add(RoundedPercent(report_.noise) + "): " + equals);
  }

  std::string BreakEvenText() const {
    const ServingTime* faster = nullptr;
    for (const ServingTime& way : report_.ways) {
      if (way.compiles == 0) continue;
      if (faster == nullptr || way.call_seconds < faster->call_seconds) faster = &way;
    }
    return "; of graphs, " + faster->name + (faster->compiles == 1 ? " is" : " are") +
           " the faster way from " + Counted(*report_.break_even_calls, "call") + " on";
  }

  const CurveReport& report_;
  Document page_;
};

}  // namespace

Document DescribeReplay(const ReplayReport& report, const ReportOptions& options) {
  return ReplayPage(report, options).Make();
}

void WriteReplayJson(const ReplayReport& report, const ReportOptions& options,
                     llvm::raw_ostream& out) {
  const auto name_of = [&](size_t index) { return Json(report.policies[index].policy); };
  JsonStream object("shapewise.replay/1", options, out);
  object.Member("subject", TextOrNull(report.subject));
  object.Member("device", TextOrNull(report.device));
  object.Member("torch", TextOrNull(report.torch));
  object.Member("script", TextOrNull(report.script));
  object.Member("where", PlaceJson(report.where));
  object.Member("history", {{"origin", report.history},
                            {"calls", report.calls},
                            {"recorded_calls", report.recorded_calls},
                            {"lower_bound", report.is_lower_bound}});
  object.Member("judged_calls", report.judged_calls);
  object.List("policies", report.policies, ReplayedPolicyJson);
  object.Member("best", report.best ? name_of(*report.best) : Json());
  object.Member("as_good", ListJson(report.as_good, name_of));
  object.Member("gaps", report.gaps);
  object.Member("unread", report.unread);
}

void WriteCurveJson(const CurveReport& report, const ReportOptions& options,
                    llvm::raw_ostream& out) {
  JsonStream object("shapewise.curve/1", options, out);
  object.Member("subject", TextOrNull(report.subject));
  object.Member("dims", report.dims);
  object.Member("graph", TextOrNull(report.graph));
  object.Member("symbol", TextOrNull(report.symbol));
  object.Member("device", TextOrNull(report.device));
  object.Member("torch", TextOrNull(report.torch));
  object.List("points", report.points, PointJson);
  object.Member("drift", NumberOrNull(report.drift));
  object.Member("refused", report.refused);
  object.Member("candidates", NumberOrNull(report.candidates));
  object.Member("estimated_gap", NumberOrNull(report.estimated_gap));
  object.Member("boundaries", report.boundaries);
  object.Member("stopped_because", TextOrNull(report.stopped_because));
  object.Member("steps", report.ways.empty() ? Json() : Json(report.steps));
  object.List("ways", report.ways, WayJson);
  object.Member("noise", report.ways.empty() ? Json() : Json(report.noise));
  object.Member("break_even_calls", NumberOrNull(report.break_even_calls));
  object.Member("gaps", report.gaps);
}

Document DescribeCurve(const CurveReport& report, const ReportOptions& options) {
  return CurvePage(report, options).Make();
}

void WriteCostFile(const CurveReport& report, llvm::raw_ostream& out) {
  const auto add = [&](const std::optional<double>& seconds) {
    out << ",";
    if (seconds) out << llvm::formatv("{0:E6}", *seconds);
  };
  out << "size,seconds,dynamic,eager,compile_seconds,dynamic_compile_seconds,spread\n";
  for (const CurveReport::Point& point : report.points) {
    out << point.size;
    add(point.seconds.value);
    add(point.dynamic ? std::optional(point.dynamic->value) : std::nullopt);
    add(point.eager);
    add(point.compile_seconds);
    add(point.dynamic_compile_seconds);
    add(point.spread);
    out << "\n";
  }
}

}  // namespace shapewise
