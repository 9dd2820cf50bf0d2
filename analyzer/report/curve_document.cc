// Costs by size for people: a table of measurements, and the resulting value of buckets.

#include <string>
#include <vector>

#include "llvm/Support/FormatVariadic.h"
#include "report/document.h"
#include "report/formats.h"
#include "report/text_finding.h"
#include "result/number_text.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

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
