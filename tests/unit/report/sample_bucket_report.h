// Plans of buckets, made by hand, for the tests of their writers.

#ifndef SHAPEWISE_TESTS_UNIT_REPORT_SAMPLE_BUCKET_REPORT_H_
#define SHAPEWISE_TESTS_UNIT_REPORT_SAMPLE_BUCKET_REPORT_H_

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "report/report.h"

namespace shapewise {

inline std::string WrittenBy(const BucketFormat& format, const BucketReport& report,
                             const ReportOptions& options = {}) {
  std::string text;
  llvm::raw_string_ostream out(text);
  format.write(report, options, out);
  out.flush();
  return text;
}

inline void AddCalls(BucketReport& report, const Sizes& sizes, uint64_t calls) {
  double elements = static_cast<double>(calls);
  for (const int64_t size : sizes) elements *= static_cast<double>(size);
  report.histogram.counts.push_back({sizes, calls, elements});
  report.histogram.calls += calls;
  report.histogram.real += elements;
}

/// 100 calls of 4 lengths, served by 2 buckets: of 16, 60 calls of 10 and 20 of 16; of 40, 15
/// calls of 20 and 5 of 40. 1280 - 920 elements of padding below, 800 - 500 above.
inline BucketReport SampleBucketReport() {
  BucketReport report;
  report.columns = {"length"};
  report.inputs = {"lengths.csv"};
  AddCalls(report, {10, 1, 1}, 60);
  AddCalls(report, {16, 1, 1}, 20);
  AddCalls(report, {20, 1, 1}, 15);
  AddCalls(report, {40, 1, 1}, 5);
  report.histogram.dims = 1;
  report.cost_model = "padding only";
  report.steps = 100;
  report.boundaries = {{16, 1, 1}, {40, 1, 1}};
  report.padding = {(1280.0 + 800) / 1420 - 1, 0.5};
  report.cost_overhead = report.padding.train;
  report.padding_95 = ShareInterval{0.4, 0.52};
  report.cost_overhead_95 = report.padding_95;
  report.calls_a_bucket = {80, 20};
  const auto point = [&](std::vector<Sizes> boundaries, double train, double holdout,
                         double worst) {
    BucketPoint one;
    one.buckets = boundaries.size();
    one.compiles = boundaries.size();
    one.boundaries = std::move(boundaries);
    one.padding = {train, holdout};
    one.cost_overhead = train;
    one.worst_call = worst;
    report.frontier.push_back(one);
  };
  point({{40, 1, 1}}, 4000.0 / 1420 - 1, 1.9, 3.0);
  point({{16, 1, 1}, {40, 1, 1}}, report.padding.train, 0.5, 1.0);
  point({{10, 1, 1}, {20, 1, 1}, {40, 1, 1}}, (600.0 + 700 + 200) / 1420 - 1, 0.125, 0.25);
  report.chosen = 1;
  report.why = "a third bucket was not asked for";
  report.outcomes = {{"2 buckets", BucketMode::kBuckets, 2, report.padding.train, {}, false},
                     {"one dynamic graph", BucketMode::kDynamic, 1, 0.6, {}, true}};
  report.dynamic_slowdown = 0.6;
  report.break_even_slowdown = 0.46;
  report.warm_up = {{40, 1, 1}, {16, 1, 1}};
  report.recompile_limit = 8;
  LadderComparison ladder;
  ladder.name = "pow2";
  ladder.source = "powers of two";
  ladder.sizes = {16, 32, 64};
  ladder.size_count = 7;
  ladder.used = 3;
  ladder.padding = {(1280.0 + 480 + 320) / 1420 - 1, {}};
  ladder.cost_overhead = ladder.padding.train;
  ladder.same_waste_buckets = 2;
  ladder.same_count_overhead = (600.0 + 700 + 200) / 1420 - 1;
  report.ladders = {ladder};
  report.simulations = {
      {"buckets(x, 1, 16|40) + mark_static(x, 1)", 2, 0, {}},
      {"buckets(x, 1, 16|40)", 2, 0, {"the second size makes a dynamic graph of all"}}};
  report.assumptions = {"a dynamic graph is 60 % slower"};
  report.gaps = {"It is not known whether the model masks its padding."};
  return report;
}

/// The sample with every text replaced by one that tries to break out of where it is printed, and
/// with numbers that nothing should produce.
inline BucketReport HostileBucketReport() {
  const std::string evil =
      "\"\"\"\n</text></svg><script>&lt; ]]> --> ''' \\ \x1b[31m\r\x9b \xff\xed\xa0\x80 "
      "\xe2\x80\xa8x: [1] # $(touch /tmp/x) `x` '; x\n\"\x01\x7f\xc2\x9b\xef\xbf\xbf";
  BucketReport report = SampleBucketReport();
  report.columns = {evil};
  report.inputs = {evil};
  report.cost_model = evil;
  report.why = evil;
  for (ModeOutcome& outcome : report.outcomes) outcome.name = evil;
  report.outcomes[0].seconds = std::numeric_limits<double>::infinity();
  report.break_even = {{~uint64_t{0}, evil, 3, -1}};
  for (LadderComparison& ladder : report.ladders) ladder.name = ladder.source = evil;
  for (PlanSimulation& simulation : report.simulations) {
    simulation.policy = evil;
    simulation.traps = {evil, ""};
  }
  report.assumptions = report.gaps = report.unread = {evil, ""};
  report.padding.holdout = std::numeric_limits<double>::quiet_NaN();
  report.frontier[0].padding.train = 1e300;
  report.frontier[0].lower_bound = -std::numeric_limits<double>::infinity();
  report.frontier[2].worst_call = std::numeric_limits<double>::infinity();
  report.out_of_range = ~uint64_t{0};
  report.is_censored = true;
  report.drift = SizeDrift{0.5, 0.1, 1e9, true, 1000};
  return report;
}

/// A plan of `sizes` and nothing else.
inline BucketReport PlanOf(BucketMode mode, size_t dims, std::vector<Sizes> sizes) {
  BucketReport report;
  report.dims = dims;
  report.mode = mode;
  report.boundaries = std::move(sizes);
  report.recompile_limit = 8;
  while (report.recompile_limit < report.boundaries.size() + 1) report.recompile_limit *= 2;
  return report;
}

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_UNIT_REPORT_SAMPLE_BUCKET_REPORT_H_
