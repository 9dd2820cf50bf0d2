// Plans from measured costs that are off by something: no plan is made to fit noise.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "buckets/plan_buckets.h"

namespace shapewise {
namespace {

struct Row {
  int64_t size = 0;
  double own = 0;
  double dynamic = 0;
  double eager = 0;
};

/// A model of one column.
CostModel ModelOf(const std::vector<Row>& rows, double Row::* column) {
  CostCurve curve;
  for (const Row& row : rows) curve.points.push_back({.size = row.size, .seconds = row.*column});
  Expected<CostModel> model = CostModel::OfCurve(std::move(curve));
  REQUIRE(static_cast<bool>(model));
  return std::move(*model);
}

/// What `buckets --cost` plans with: all columns, and what they say of noise.
PlanOptions OptionsOf(const std::vector<Row>& rows, std::optional<double> spread = {}) {
  PlanOptions options;
  options.cost = ModelOf(rows, &Row::own);
  options.mode_costs.dynamic = ModelOf(rows, &Row::dynamic);
  options.mode_costs.eager = ModelOf(rows, &Row::eager);
  CostCurve curve;
  for (const Row& row : rows) {
    CostPoint& point = curve.points.emplace_back();
    point.size = row.size;
    point.seconds = row.own;
    point.dynamic = row.dynamic;
    point.eager = row.eager;
    point.spread = spread;
  }
  options.noise = NoiseOf(curve);
  options.prices.compile_seconds = 10;
  options.prices.dynamic_compile_seconds = 15;
  return options;
}

BucketReport Planned(const SizeHistory& history, const PlanOptions& options) {
  Expected<BucketReport> report = PlanBuckets(history, options);
  REQUIRE(static_cast<bool>(report));
  return std::move(*report);
}

/// As many calls of each size.
SizeHistory HistoryOf(const std::vector<int64_t>& sizes, int calls = 10) {
  SizeHistory history;
  for (int call = 0; call < calls; ++call) {
    for (const int64_t size : sizes) history.Add(Sizes{size, 1, 1});
  }
  return history;
}

/// Run time with the recommended way, by its name.
double RecommendedSeconds(const BucketReport& report) {
  if (report.mode == BucketMode::kBuckets || report.mode == BucketMode::kStatic) {
    return *report.frontier[report.chosen].expected_seconds;
  }
  const auto is_it = [&](const ModeOutcome& outcome) {
    if (report.mode == BucketMode::kMixed) return outcome.mode == BucketMode::kMixed;
    return outcome.name == "one dynamic graph";
  };
  return *std::ranges::find_if(report.outcomes, is_it)->seconds;
}

// Captions of 17 to 25 tokens, timed one size after the other on a machine that drifted by a fifth.
const std::vector<Row> kDrifted = {
    {17, 3.95e-3, 3.53e-3, 4.06e-3}, {20, 5.17e-3, 4.91e-3, 4.77e-3},
    {21, 3.51e-3, 3.56e-3, 3.43e-3}, {22, 4.36e-3, 3.73e-3, 3.76e-3},
    {23, 4.52e-3, 4.36e-3, 4.71e-3}, {25, 4.78e-3, 4.97e-3, 5.55e-3},
};

}  // namespace

TEST_CASE("times that fall and rise by a fifth give one dynamic graph") {
  const SizeHistory history =
      HistoryOf({17, 18, 19, 19, 20, 20, 20, 21, 21, 21, 22, 22, 22, 23, 23, 25});
  PlanOptions options = OptionsOf(kDrifted);
  options.steps = 100'000;
  CHECK(options.noise.share == Approx(0.22).margin(0.02));
  const BucketReport report = Planned(history, options);
  CHECK(report.mode == BucketMode::kDynamic);
  CHECK(report.way == ServingKind::kDynamic);
  CHECK(report.served.empty());
  CAPTURE(report.why);
  CHECK(report.why.find("one dynamic graph, as fast within what was measured (\u00b1") !=
        std::string::npos);
  CHECK(std::ranges::any_of(report.gaps, [](const std::string& gap) {
    return gap.starts_with("Some measured times fall where sizes grow");
  }));
  // Who believes the table mixes three ways.
  options.noise = {};
  CHECK(Planned(history, options).mode == BucketMode::kMixed);
}

TEST_CASE("buckets that pay on a clean curve remain with any small spread") {
  const std::vector<Row> rows = {
      {16, 1e-3, 1.5e-3, 2e-3}, {32, 2e-3, 3e-3, 4e-3}, {64, 4e-3, 6e-3, 8e-3}};
  const SizeHistory history = HistoryOf({16, 32, 64}, 1000);
  for (const double spread : {0.0, 0.02, 0.06}) {
    PlanOptions options = OptionsOf(rows, spread);
    options.steps = 100'000;
    const BucketReport report = Planned(history, options);
    CAPTURE(spread, report.why);
    CHECK(report.mode == BucketMode::kBuckets);
    CHECK(report.boundaries == std::vector<Sizes>{{16, 1, 1}, {32, 1, 1}, {64, 1, 1}});
    CHECK(report.why.find("within what was measured") == std::string::npos);
  }
  // Three graphs save 12.5 % of two: times with an error of 20 % cannot distinguish them.
  PlanOptions options = OptionsOf(rows, 0.2);
  options.steps = 100'000;
  const BucketReport report = Planned(history, options);
  CHECK(report.boundaries == std::vector<Sizes>{{32, 1, 1}, {64, 1, 1}});
  CHECK(report.cost_noise == 0.2);
}

TEST_CASE("noise measured for other ways does not excuse an assumption about a dynamic graph") {
  const std::vector<Row> rows = {{16, 1e-3, 1e-3, 1}, {32, 2e-3, 2e-3, 1}, {64, 4e-3, 4e-3, 1}};
  PlanOptions options = OptionsOf(rows, 0.08);
  options.steps = 1'000'000;
  const SizeHistory history = HistoryOf({16, 32, 64}, 1000);
  CHECK(Planned(history, options).mode == BucketMode::kDynamic);
  options.mode_costs.dynamic.reset();
  options.prices.dynamic_slowdown = 0.05;
  CHECK(Planned(history, options).mode == BucketMode::kDynamic);  // given is not assumed
  options.prices.dynamic_slowdown.reset();
  CHECK(Planned(history, options).mode == BucketMode::kBuckets);
}

TEST_CASE("the recommended way is within the noise of the best, and the simplest of those") {
  std::mt19937_64 random(29);
  const auto upto = [&](int most) { return static_cast<int>(random() % (most + 1)); };
  std::array<int, 4> modes{};
  int by_noise = 0;
  for (int round = 0; round < 1500; ++round) {
    std::vector<Row> rows;
    std::vector<int64_t> sizes;
    double cost = 1 + upto(5);
    for (int i = 0; i < 3 + upto(4); ++i) {
      const int64_t size = 8 * (i + 1);
      cost += upto(20) / 4.0;
      const auto noisy = [&](double value) {
        return 1e-3 * value * (1 + ((upto(20) - 10) / 50.0));
      };
      rows.push_back({size, noisy(cost), noisy(cost * (1 + upto(4) / 10.0)), noisy(2 * cost)});
      for (int calls = upto(6); calls >= 0; --calls) sizes.push_back(size - upto(7));
    }
    sizes.push_back(rows.back().size);
    std::optional<double> spread;
    if (upto(1) == 0) spread = upto(10) / 50.0;
    PlanOptions options = OptionsOf(rows, spread);
    options.steps = 1000 * (1 + upto(200));
    if (upto(3) == 0) options.max_buckets = 1 + upto(3);
    const SizeHistory history = HistoryOf(sizes, 1);
    const BucketReport report = Planned(history, options);
    const double steps = static_cast<double>(*options.steps);
    const double own = RecommendedSeconds(report);
    // The best of all: every point of the frontier, and every reported way.
    double best = std::numeric_limits<double>::infinity();
    for (const BucketPoint& point : report.frontier) {
      if (options.max_buckets && point.boundaries.size() > *options.max_buckets) continue;
      best = std::min(best, *point.expected_seconds);
    }
    for (const ModeOutcome& outcome : report.outcomes) {
      if (outcome.name != "eager") best = std::min(best, *outcome.seconds);
    }
    const double limit = best * (1 + std::max(0.01, options.noise.share));
    CAPTURE(round, report.why, options.noise.share, steps);
    REQUIRE(own <= limit * (1 + 1e-12));
    ++modes.at(static_cast<size_t>(report.mode));
    if (own > best * 1.01) ++by_noise;
    // No graph too many. Calls are all but the price of what is compiled: what is below this is
    // within the noise in any case.
    const double surely = best + (options.noise.share * (best - (15 + 10 * 8)));
    const double dynamic =
        *std::ranges::find(report.outcomes, "one dynamic graph", &ModeOutcome::name)->seconds;
    if (dynamic <= surely) CHECK(report.mode == BucketMode::kDynamic);
    if (report.mode == BucketMode::kMixed) {
      for (const ModeOutcome& outcome : report.outcomes) {
        if (outcome.mode == BucketMode::kMixed || outcome.name == "eager") continue;
        CHECK(*outcome.seconds > own * 1.01);
        CHECK(*outcome.seconds > surely);
      }
    }
  }
  // All kinds came, and noise decided often.
  for (const BucketMode mode : {BucketMode::kBuckets, BucketMode::kDynamic, BucketMode::kMixed}) {
    CHECK(modes.at(static_cast<size_t>(mode)) > 20);
  }
  CHECK(by_noise > 100);
}

}  // namespace shapewise
