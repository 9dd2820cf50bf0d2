#include "buckets/plan_buckets.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/random.h"

namespace shapewise {
namespace {

SizeHistory LinearHistory(const std::vector<int64_t>& sizes) {
  SizeHistory history;
  for (const int64_t size : sizes) history.Add(Sizes{size, 1, 1});
  return history;
}

BucketReport PlannedOf(const SizeHistory& history, const PlanOptions& options) {
  Expected<BucketReport> report = PlanBuckets(history, options);
  REQUIRE(static_cast<bool>(report));
  return std::move(*report);
}

CostModel Model(std::string_view text) {
  Expected<CostModel> model = CostModel::Parse(text);
  REQUIRE(static_cast<bool>(model));
  return *model;
}

/// What anybody finds who pads each call up to the least of `buckets` that holds it.
double PaddingBy(const std::vector<Sizes>& buckets, const SizeHistogram& calls) {
  double padded = 0;
  double real = 0;
  for (const SizeCount& size : calls.counts) {
    for (const Sizes& bucket : buckets) {
      if (bucket[0] < size.sizes[0]) continue;
      padded += static_cast<double>(bucket[0]) * static_cast<double>(size.calls);
      real += static_cast<double>(size.sizes[0]) * static_cast<double>(size.calls);
      break;
    }
  }
  return (padded / real) - 1;
}

/// Lengths with a heavy tail.
std::vector<int64_t> TailedSizes(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < count; ++i) {
    const double share = random.Share();
    sizes.push_back(1 + static_cast<int64_t>(200 / (0.02 + share)));
  }
  return sizes;
}

TEST_CASE("The padding of the frontier is that of its sets, and never increases") {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const SizeHistory history = LinearHistory(TailedSizes(30 + (seed * 20), seed));
    PlanOptions options;
    options.buckets = 1 + (seed % 20);
    const BucketReport report = PlannedOf(history, options);
    CAPTURE(seed);
    REQUIRE(report.frontier.size() >= report.chosen + 1);
    CHECK(report.boundaries == report.frontier[report.chosen].boundaries);
    CHECK(report.boundaries.size() <= *options.buckets);
    double before = 1e300;
    for (const BucketPoint& point : report.frontier) {
      CHECK(point.boundaries.size() <= point.buckets);
      CHECK(std::ranges::is_sorted(point.boundaries));
      CHECK(point.padding.train == Approx(PaddingBy(point.boundaries, report.histogram)));
      CHECK(point.padding.train <= before);
      before = point.padding.train;
    }
    CHECK(report.calls_a_bucket.size() == report.boundaries.size());
    uint64_t calls = 0;
    for (const uint64_t here : report.calls_a_bucket) calls += here;
    CHECK(calls == history.calls());
  }
}

TEST_CASE("With prices the plan is the point of least expected seconds") {
  const SizeHistory history = LinearHistory(TailedSizes(400, 3));
  for (const uint64_t steps : {100U, 10'000U, 1'000'000U, 100'000'000U}) {
    PlanOptions options;
    options.cost = Model("quadratic:0.0006,0.00001,0.000000001");
    options.steps = steps;
    const BucketReport report = PlannedOf(history, options);
    for (const BucketPoint& point : report.frontier) {
      CHECK(*point.expected_seconds >= *report.frontier[report.chosen].expected_seconds);
      const double worth = *point.expected_seconds - (30 * static_cast<double>(point.compiles));
      CHECK(worth > 0);
    }
    REQUIRE(!report.break_even.empty());
    CHECK(report.break_even.front().from_calls == 100);
    CHECK(report.assumptions.size() == 3);
    // Outcomes are listed from the fastest on.
    CHECK(std::ranges::is_sorted(report.outcomes, {}, &ModeOutcome::seconds));
  }
}

TEST_CASE("More calls to come are worth more graphs") {
  const SizeHistory history = LinearHistory(TailedSizes(400, 5));
  size_t before = 0;
  for (const uint64_t steps : {100U, 10'000U, 1'000'000U, 100'000'000U}) {
    PlanOptions options;
    options.cost = Model("linear:0,0.00001");
    options.steps = steps;
    const size_t buckets = PlannedOf(history, options).boundaries.size();
    CHECK(buckets >= before);
    before = buckets;
  }
  CHECK(before > 8);
}

TEST_CASE("Memory for three graphs is two buckets and a dynamic graph, or three buckets") {
  PlanOptions options;
  options.cost = Model("linear:0,0.00001");
  options.steps = 100'000'000;
  options.prices.graph_megabytes = 10;
  options.prices.memory_megabytes = 39;
  const SizeHistory history = LinearHistory(TailedSizes(400, 5));
  const BucketReport mixed = PlannedOf(history, options);
  CHECK(mixed.mode == BucketMode::kMixed);
  CHECK(mixed.boundaries.size() == 2);
  options.prices.dynamic_slowdown = 10;
  CHECK(PlannedOf(history, options).boundaries.size() == 3);
}

TEST_CASE("Without prices the fewest buckets are taken that cost within 1 % of eight") {
  // Two sizes: two buckets waste nothing, so that no more are taken.
  std::vector<int64_t> sizes;
  for (int i = 0; i < 50; ++i) sizes.insert(sizes.end(), {16, 64});
  const BucketReport report = PlannedOf(LinearHistory(sizes), PlanOptions());
  CHECK(report.boundaries == std::vector<Sizes>{{16, 1, 1}, {64, 1, 1}});
  CHECK(report.mode == BucketMode::kBuckets);
  CHECK(report.warm_up == std::vector<Sizes>{{64, 1, 1}, {16, 1, 1}});
  CHECK(report.recompile_limit == 8);
}

TEST_CASE("A measured dynamic graph that is faster than padding is recommended") {
  PlanOptions options;
  options.max_buckets = 1;
  options.prices.dynamic_slowdown = 0.05;
  std::vector<int64_t> sizes;
  for (int i = 0; i < 50; ++i) sizes.insert(sizes.end(), {16, 64});
  const BucketReport report = PlannedOf(LinearHistory(sizes), options);
  CHECK(report.mode == BucketMode::kDynamic);
  CHECK(report.break_even_slowdown == Approx(0.6));
  // 48 of 80 elements of two calls would be padding.
  CHECK(report.why ==
        "one dynamic graph is 5.0 % slower, padded to 64 costs 60.0 % more than no "
        "padding");
}

TEST_CASE("The prediction interval contains the padding, and is the same each time") {
  const SizeHistory history = LinearHistory(TailedSizes(2000, 9));
  PlanOptions options;
  options.buckets = 8;
  const BucketReport first = PlannedOf(history, options);
  const BucketReport second = PlannedOf(history, options);
  REQUIRE(first.padding_95);
  // A plan pads the calls that it was made from less than others, so the interval lies around more
  // than it pads there, and may begin above it.
  const double middle = (first.padding_95->low + first.padding_95->high) / 2;
  CHECK(middle > first.padding.train);
  int inside = 0;
  for (uint64_t seed = 100; seed < 140; ++seed) {
    double real = 0;
    double padded = 0;
    for (const int64_t size : TailedSizes(2000, seed)) {
      const auto bucket = std::ranges::lower_bound(first.boundaries, Sizes{size, 1, 1});
      if (bucket == first.boundaries.end()) continue;
      real += static_cast<double>(size);
      padded += static_cast<double>((*bucket)[0]);
    }
    const double padding = (padded / real) - 1;
    inside += first.padding_95->low <= padding && padding <= first.padding_95->high ? 1 : 0;
  }
  // The share varies from plan to plan; new_run_test.cc checks it over many plans.
  CHECK(inside >= 30);
  CHECK(first.padding_95->low == second.padding_95->low);
  CHECK(first.padding_95->high == second.padding_95->high);

  // The same calls without an order: about as sure.
  SizeHistory unordered = history;
  unordered.SetUnordered();
  const BucketReport third = PlannedOf(unordered, options);
  REQUIRE(third.padding_95);
  CHECK(third.padding_95->low == Approx(first.padding_95->low).epsilon(0.1));
  CHECK(third.padding_95->high == Approx(first.padding_95->high).epsilon(0.1));
  CHECK(!third.holdout);
  CHECK(!third.drift);
}

TEST_CASE("Calls that are all alike do not drift, and calls that change do") {
  std::vector<int64_t> sizes;
  for (int i = 0; i < 200; ++i) sizes.push_back(16 + (i % 4) * 16);
  PlanOptions options;
  options.buckets = 2;
  const BucketReport steady = PlannedOf(LinearHistory(sizes), options);
  REQUIRE(steady.drift);
  CHECK(!steady.drift->is_drifting);
  CHECK(steady.drift->distance == Approx(0).margin(1e-9));

  std::ranges::sort(sizes);
  const BucketReport changing = PlannedOf(LinearHistory(sizes), options);
  REQUIRE(changing.drift);
  CHECK(changing.drift->distance == Approx(1));
  CHECK(changing.drift->is_drifting);
  CHECK(changing.drift->replan_every_calls == 50);
}

TEST_CASE("Held-out calls change nothing in the plan that is made before them") {
  std::vector<int64_t> sizes = TailedSizes(300, 11);
  PlanOptions options;
  options.buckets = 6;
  options.holdout = 0.5;
  options.limits = {
      BucketLimits{.alignment = 8, .min = 0, .max = 16'000, .forced = {}, .forbidden = {}}};
  const BucketReport report = PlannedOf(LinearHistory(sizes), options);
  std::reverse(sizes.begin() + 150, sizes.end());
  for (size_t i = 150; i < sizes.size(); ++i) sizes[i] = 1 + (sizes[i] * 7 % 900);
  CHECK(PlannedOf(LinearHistory(sizes), options).boundaries == report.boundaries);
  REQUIRE(report.holdout);
  CHECK(report.holdout->held_calls == 150);
  CHECK(report.holdout->best_padding <= report.holdout->padding);
}

TEST_CASE("A plan needs sizes, and room for what is forced") {
  CHECK(llvm::toString(PlanBuckets(SizeHistory(), PlanOptions()).takeError()) ==
        "no sizes to plan with");
  PlanOptions options;
  options.buckets = 1;
  options.limits.front().forced = {16, 32};
  CHECK(llvm::toString(PlanBuckets(LinearHistory({10, 50}), options).takeError()) ==
        "the limits on sizes need at least 3 buckets, and 1 is allowed");
}

/// Batches of one to eight rows, `calls` of them.
SizeHistory BatchesOf(size_t calls) {
  Random random(5);
  SizeHistory history(2);
  for (size_t i = 0; i < calls; ++i) {
    history.Add(Sizes{static_cast<int64_t>(1 + random.Below(8)),
                      static_cast<int64_t>(8 + random.Below(500)), 1});
  }
  return history;
}

TEST_CASE("A joint plan has the cost of a call at each bucket, and a lower bound") {
  PlanOptions options;
  options.buckets = 6;
  options.cost = Model("linear:100,1");
  const BucketReport report = PlannedOf(BatchesOf(2000), options);
  REQUIRE(report.boundaries.size() > 1);
  REQUIRE(report.cost_a_bucket.size() == report.boundaries.size());
  for (size_t i = 0; i < report.boundaries.size(); ++i) {
    CHECK(report.cost_a_bucket[i] == Approx(options.cost.Of(report.boundaries[i], 2)));
  }
  const BucketPoint& plan = report.frontier[report.chosen];
  REQUIRE(plan.lower_bound.has_value());
  CHECK(*plan.lower_bound <= plan.cost_overhead);
  CHECK(report.holdout.has_value());
  CHECK(report.drift.has_value());
}

TEST_CASE("A ladder is listed with the number of our buckets for the same padding") {
  std::vector<int64_t> sizes;
  for (int i = 0; i < 30; ++i) sizes.insert(sizes.end(), {33, 65});
  PlanOptions options;
  options.buckets = 2;
  options.ladders = {{"mine", "a list", StretchesOf({64, 128, 256})}};
  const BucketReport report = PlannedOf(LinearHistory(sizes), options);
  REQUIRE(report.ladders.size() == 1);
  const LadderComparison& ladder = report.ladders.front();
  CHECK(ladder.used == 2);
  CHECK(ladder.padding.train == Approx(94.0 / 98.0));
  // One bucket, 72, pads 46 of 98; two, 40 and 72, pad 14.
  CHECK(ladder.same_waste_buckets == 1);
  CHECK(ladder.same_count_overhead == Approx(14.0 / 98.0));
}

}  // namespace
}  // namespace shapewise
