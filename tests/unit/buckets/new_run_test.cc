// What is said of runs to come, checked by simulation: prediction intervals contain what a new run
// pads 95 times in 100, and runs of one process are said to drift once in 100 times.

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "buckets/call_table.h"
#include "buckets/prediction_interval.h"
#include "buckets/set_planner.h"
#include "buckets/validation.h"
#include "support/catch.h"
#include "unit/buckets/size_streams.h"

namespace shapewise {
namespace {

const std::vector<SizeStream>& Streams() {
  static const std::vector<SizeStream> streams = {
      {"independent", StreamKind::kIndependent, 0},
      {"heavy-tailed", StreamKind::kHeavyTailed, 0},
      {"AR(1), 3 calls", StreamKind::kAutoregressive, 3},
      {"AR(1), 10 calls", StreamKind::kAutoregressive, 10},
      {"AR(1), 30 calls", StreamKind::kAutoregressive, 30},
      {"AR(1) and noise, 10 calls", StreamKind::kNoisy, 10},
      {"AR(1) and noise, 40 calls", StreamKind::kNoisy, 40},
      {"two regimes, 20 calls", StreamKind::kSwitching, 20},
      {"two regimes, 100 calls", StreamKind::kSwitching, 100},
  };
  return streams;
}

/// The sizes in the file that SHAPEWISE_LENGTHS names, one a line: real calls, in their order.
std::vector<int64_t> RecordedSizes() {
  const char* const path = std::getenv("SHAPEWISE_LENGTHS");
  std::ifstream file(path == nullptr ? "" : path);
  return {std::istream_iterator<int64_t>(file), std::istream_iterator<int64_t>()};
}

/// Streams that were not used when the constants of the method were chosen.
std::vector<SizeStream> OtherStreams() {
  std::vector<SizeStream> streams = {
      {"Markov, 3 regimes, 5 calls", StreamKind::kMarkov, 5},
      {"Markov, 3 regimes, 20 calls", StreamKind::kMarkov, 20},
      {"ARMA(1,1), 4 calls", StreamKind::kMovingAverage, 4},
      {"ARMA(1,1), 15 calls", StreamKind::kMovingAverage, 15},
      {"daily, 60 calls a day", StreamKind::kDaily, 60},
      {"daily, 1000 calls a day", StreamKind::kDaily, 1000},
  };
  SizeStream recorded = {"recorded, blocks of 50", StreamKind::kRecorded, 50, RecordedSizes()};
  if (!recorded.recorded.empty()) streams.push_back(std::move(recorded));
  return streams;
}

/// How often a new run was predicted, and how often rightly.
struct Coverage {
  int runs = 0;
  int predicted = 0;
  int padding = 0;  ///< inside its interval
  int cost = 0;

  double Predicted() const { return 100.0 * predicted / runs; }
  double OfPadding() const { return 100.0 * padding / predicted; }
  double OfCost() const { return 100.0 * cost / predicted; }
};

bool Contains(const ShareInterval& interval, double share) {
  return interval.low <= share && share <= interval.high;
}

Coverage Simulate(const SizeStream& stream, uint64_t calls, uint64_t new_calls, size_t buckets,
                  int runs) {
  const std::vector<BucketLimits> limits(1);
  Expected<CostModel> cost = CostModel::Parse("quadratic:0.0002,0.000001,0.000000001");
  REQUIRE(static_cast<bool>(cost));
  Coverage coverage;
  coverage.runs = runs;
  for (int run = 0; run < runs; ++run) {
    const auto seed = (static_cast<uint64_t>(run) * 2654435761U) + (calls * 97) + buckets;
    const SizeHistory history = CallsOf(stream, calls, seed);
    const SetPlanner planner(*cost, limits);
    const std::vector<Sizes> plan = planner.PlanOne(history.Histogram(), buckets, Foresight::kTail);
    const NewRunPrediction prediction = PredictNewRun({.history = history,
                                                       .planned_calls = calls,
                                                       .buckets = plan,
                                                       .limits = limits,
                                                       .cost = *cost,
                                                       .new_calls = new_calls});
    if (!prediction.padding) {
      CHECK(!prediction.gap.empty());
      continue;
    }
    ++coverage.predicted;
    const SizeHistogram later = CallsOf(stream, new_calls, ~seed).Histogram();
    const SetScore score = CallTable(later, *cost).Score(plan);
    coverage.padding += Contains(*prediction.padding, score.Padding()) ? 1 : 0;
    coverage.cost += Contains(*prediction.cost_overhead, score.Overhead()) ? 1 : 0;
  }
  std::cout << std::fixed << std::setprecision(1) << std::setw(28) << stream.name << std::setw(8)
            << calls << std::setw(9) << new_calls << std::setw(9) << buckets << std::setw(11)
            << coverage.Predicted();
  if (coverage.predicted > 0) {
    std::cout << std::setw(9) << coverage.OfPadding() << std::setw(7) << coverage.OfCost();
  }
  std::cout << "\n";
  return coverage;
}

void PrintHead() {
  std::cout << std::setw(28) << "stream" << std::setw(8) << "calls" << std::setw(9) << "new run"
            << std::setw(9) << "buckets" << std::setw(11) << "predicted" << std::setw(9)
            << "padding" << std::setw(7) << "cost" << "   (% of runs, % inside)\n";
}

/// The share of runs whose halves are said to differ by more than chance, in per cent.
double AlarmsOf(const SizeStream& stream, uint64_t calls, int runs, double shift = 0) {
  const std::vector<BucketLimits> limits(1);
  const CostModel cost;
  int alarms = 0;
  for (int run = 0; run < runs; ++run) {
    const auto seed = (static_cast<uint64_t>(run) * 2654435761U) + calls;
    const std::optional<SizeDrift> drift =
        FindDrift(CallsOf(stream, calls, seed, shift), cost, limits, 6);
    REQUIRE(drift);
    alarms += drift->distance > drift->noise ? 1 : 0;
  }
  const double share = 100.0 * alarms / runs;
  std::cout << std::fixed << std::setprecision(2) << std::setw(28) << stream.name << std::setw(8)
            << calls << std::setw(7) << shift << std::setw(9) << share << "\n";
  return share;
}

/// Whether a run of so many calls has enough independent ones: a correlation that falls by the
/// factor e within n calls leaves about one in 2 n.
bool IsLongEnough(const SizeStream& stream, uint64_t calls) {
  return static_cast<double>(calls) >= 300 * stream.length;
}

TEST_CASE("A new run pads what its 95 % interval says, in bursts as well") {
  PrintHead();
  Coverage all;
  for (const SizeStream& stream : {Streams()[0], Streams()[2], Streams()[5], Streams()[7]}) {
    const uint64_t calls = IsLongEnough(stream, 1500) ? 1500 : 6000;
    const Coverage coverage = Simulate(stream, calls, calls, 6, 80);
    CHECK(coverage.Predicted() >= 80);
    all.runs += coverage.runs;
    all.predicted += coverage.predicted;
    all.padding += coverage.padding;
    all.cost += coverage.cost;
  }
  CHECK(all.OfPadding() >= 93);
  CHECK(all.OfPadding() <= 97);
  CHECK(all.OfCost() >= 93);
  CHECK(all.OfCost() <= 97);
}

TEST_CASE("Nothing is predicted from runs that are short compared to their bursts") {
  PrintHead();
  CHECK(Simulate(Streams()[4], 1000, 1000, 6, 60).Predicted() <= 10);
  CHECK(Simulate(Streams()[8], 1000, 1000, 6, 60).Predicted() <= 10);
  CHECK(Simulate(Streams()[0], 150, 1000, 6, 20).Predicted() == 0);
  CHECK(Simulate(Streams()[0], 1000, 20, 6, 20).Predicted() == 0);
}

/// What the number of alarms in `runs` exceeds with a probability of at most `tail` where each
/// comes with that of `share`: the binomial distribution.
int MostAlarms(int runs, double share, double tail) {
  double term = std::pow(1 - share, runs);
  double sum = term;
  int most = 0;
  while (1 - sum > tail) {
    term *= share / (1 - share) * (runs - most) / (most + 1);
    sum += term;
    ++most;
  }
  return most;
}

TEST_CASE("Runs of one process are said to drift about once in a hundred times") {
  // The test exchanges blocks, a twentieth of a run each: they have to be long compared to bursts.
  // At the nominal level these 600 runs have more alarms than allowed once in a thousand times.
  constexpr int kRuns = 150;
  double alarms = 0;
  for (const SizeStream& stream : {Streams()[0], Streams()[1], Streams()[2], Streams()[5]}) {
    alarms += AlarmsOf(stream, IsLongEnough(stream, 1000) ? 1000 : 4000, kRuns) * kRuns / 100;
  }
  CHECK(alarms <= MostAlarms(4 * kRuns, 0.01, 0.001));
  // Sizes that are a fifth larger in the second half.
  CHECK(AlarmsOf(Streams()[0], 2000, 20, 0.2) >= 90);
  CHECK(AlarmsOf(Streams()[2], 6000, 20, 0.3) >= 90);
}

TEST_CASE("Intervals contain 93 to 97 % of new runs on every stream", "[.nightly]") {
  PrintHead();
  for (const SizeStream& stream : Streams()) {
    for (const uint64_t calls : {1000, 4000, 16'000, 32'000}) {
      for (const uint64_t part : {2, 20}) {  // half as long, five times as long
        if (!IsLongEnough(stream, calls)) continue;
        const size_t buckets = part == 2 ? 8 : 4;
        const Coverage coverage = Simulate(stream, calls, calls * part / 4, buckets, 1000);
        CAPTURE(stream.name, calls, part);
        CHECK(coverage.Predicted() >= 80);
        CHECK(coverage.OfPadding() >= 93);
        CHECK(coverage.OfPadding() <= 97);
        CHECK(coverage.OfCost() >= 93);
        CHECK(coverage.OfCost() <= 97);
      }
    }
  }
}

TEST_CASE("Intervals contain most new runs of streams they were not made for", "[.nightly]") {
  PrintHead();
  for (const SizeStream& stream : OtherStreams()) {
    for (const uint64_t calls : {1000, 4000, 16'000}) {
      for (const uint64_t part : {2, 20}) {
        const bool has_bursts =
            stream.kind != StreamKind::kDaily && stream.kind != StreamKind::kRecorded;
        if ((has_bursts && !IsLongEnough(stream, calls)) || calls * part > 100'000) continue;
        const Coverage coverage = Simulate(stream, calls, calls * part / 4, part == 2 ? 8 : 4, 400);
        CAPTURE(stream.name, calls, part);
        if (coverage.predicted == 0) continue;
        // At 95 %, fewer than 92 % of 400 runs are inside once in two hundred times. Real calls are
        // not a stationary stream: analyzer/docs/buckets.md has what was observed.
        if (stream.kind == StreamKind::kRecorded) continue;
        CHECK(coverage.OfPadding() >= 92);
        CHECK(coverage.OfCost() >= 92);
      }
    }
  }
}

TEST_CASE("False alarms of drift keep to their level on every stream", "[.nightly]") {
  for (const SizeStream& stream : Streams()) {
    for (const uint64_t calls : {200, 1000, 4000, 16'000}) {
      if (IsLongEnough(stream, calls)) CHECK(AlarmsOf(stream, calls, 2000) <= 1.6);
    }
  }
}

}  // namespace
}  // namespace shapewise
