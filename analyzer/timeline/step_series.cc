#include "timeline/step_series.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

#include "support/median.h"

namespace shapewise {
namespace {

// Fewer steps have no meaningful baseline.
constexpr size_t kMinSteps = 8;

// A step is slow if it exceeds the median by all of these: a number of standard deviations
// (estimated from the median absolute deviation), a share of the median, and a time above the
// resolution of log clocks.
constexpr double kSlowDeviations = 6;
constexpr double kDeviationOfMad = 1.4826;  // for a normal distribution
constexpr double kSlowPart = 0.1;
constexpr double kMinSlowSeconds = 0.001;

void Measure(StepSeries& series) {
  std::vector<double> values;
  for (const TimedStep& step : series.steps) {
    values.push_back(step.seconds);
    series.total += step.seconds;
  }
  series.median = MedianOf(values);
  for (double& value : values) value = std::abs(value - series.median);
  series.deviation = MedianOf(values);
  if (series.steps.size() < kMinSteps || !(series.median > 0)) return;
  series.slow_from = series.median + std::max({kSlowDeviations * kDeviationOfMad * series.deviation,
                                               kSlowPart * series.median, kMinSlowSeconds});
}

}  // namespace

std::vector<StepSeries> FindStepSeries(const Session& session) {
  std::map<std::tuple<uint32_t, int32_t, std::string_view>, StepSeries> by_process;
  for (const Span& span : session.spans()) {
    if (span.kind != SpanKind::kStep) continue;
    StepSeries& series = by_process[{span.input, span.rank, session.text(span.process)}];
    if (series.steps.empty()) {
      series.input = span.input;
      series.rank = span.rank;
      series.process = span.process;
      series.clock = span.clock;
    }
    // One clock per series: an input that stops printing times cannot be compared with anything.
    if (span.clock != series.clock) series.clock = Clock::kUnknown;
    const uint64_t previous = series.steps.empty() ? 0 : series.steps.back().line;
    series.steps.push_back({span.begin, span.seconds, span.number, span.line, previous});
  }

  std::vector<StepSeries> all;
  for (auto& [key, series] : by_process) {
    if (series.clock == Clock::kUnknown) {
      double begin = 0;
      for (TimedStep& step : series.steps) {
        step.begin = begin;
        begin += step.seconds;
      }
    } else {
      std::stable_sort(series.steps.begin(), series.steps.end(),
                       [](const TimedStep& a, const TimedStep& b) { return a.begin < b.begin; });
    }
    Measure(series);
    all.push_back(std::move(series));
  }
  return all;
}

}  // namespace shapewise
