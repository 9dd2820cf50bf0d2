// What holds for every plan, checked against a recount of its calls on random input.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "buckets/plan_buckets.h"
#include "support/random.h"

namespace shapewise {
namespace {

/// Sizes of a random run, with its options.
struct RandomRun {
  SizeHistory history;
  std::vector<int64_t> sizes;
  PlanOptions options;
};

RandomRun RunOf(uint64_t seed) {
  Random random(seed);
  RandomRun run;
  const uint64_t distinct = 1 + random.Below(20);
  const uint64_t calls = 1 + random.Below(300);
  const uint64_t largest = 20 + random.Below(2000);
  std::vector<int64_t> known;
  for (uint64_t i = 0; i < distinct; ++i) {
    known.push_back(1 + static_cast<int64_t>(random.Below(largest)));
  }
  for (uint64_t i = 0; i < calls; ++i) run.sizes.push_back(known[random.Below(distinct)]);
  for (const int64_t size : run.sizes) run.history.Add({size, 1, 1});
  if (random.Below(2) == 0) {
    Expected<CostModel> cost = CostModel::Parse("linear:0.001,0.00001");
    REQUIRE(static_cast<bool>(cost));
    run.options.cost = std::move(*cost);
    run.options.steps = uint64_t{1} << (4 + random.Below(24));
    if (random.Below(2) == 0) run.options.prices.dynamic_slowdown = 0.3;
    if (random.Below(3) == 0) run.options.prices.eager_slowdown = 1;
    if (random.Below(3) == 0) run.options.prices.aligned_slowdown = 0.1;
  }
  if (random.Below(2) == 0) run.options.max_buckets = 1 + random.Below(30);
  if (random.Below(4) == 0) run.options.holdout = 0.25;
  if (random.Below(2) == 0) {
    run.options.prices.graph_megabytes = 100;
    run.options.prices.memory_megabytes = 100 + static_cast<double>(random.Below(900));
  }
  return run;
}

/// The graphs that serve a plan, as counted by its parts.
size_t GraphsOf(const BucketReport& report) {
  if (report.mode == BucketMode::kDynamic) return 1;
  if (report.mode != BucketMode::kMixed) return report.boundaries.size();
  const auto has = [&](ServingKind kind) {
    return std::ranges::any_of(report.served,
                               [&](const ServedSizes& span) { return span.kind == kind; });
  };
  return report.boundaries.size() + (has(ServingKind::kDynamic) ? 1 : 0) +
         (has(ServingKind::kAlignedDynamic) ? 1 : 0);
}

/// The size that the plan runs a call of `size` at; 0: none.
int64_t SizeOfCall(const BucketReport& report, int64_t size) {
  if (report.mode != BucketMode::kMixed) {
    for (const Sizes& bucket : report.boundaries) {
      if (size <= bucket[0]) return bucket[0];
    }
    return 0;
  }
  for (size_t i = 0; i < report.served.size(); ++i) {
    if (size > LastServed(report.served, i)) continue;
    const ServedSizes& span = report.served[i];
    if (span.kind == ServingKind::kBucket) return span.last;
    return span.kind == ServingKind::kAlignedDynamic ? (size + 7) / 8 * 8 : size;
  }
  return 0;
}

TEST_CASE("A plan fits in memory, pads as it says, and has few buckets without a call") {
  for (uint64_t seed = 1; seed <= 1500; ++seed) {
    CAPTURE(seed);
    const RandomRun run = RunOf(seed);
    Expected<BucketReport> report = PlanBuckets(run.history, run.options);
    REQUIRE(static_cast<bool>(report));
    if (run.options.prices.memory_megabytes) {
      CHECK(100 * static_cast<double>(GraphsOf(*report)) <= *run.options.prices.memory_megabytes);
    }

    double padded = 0;
    double real = 0;
    std::vector<uint64_t> calls(report->boundaries.size());
    for (size_t i = 0; i < run.sizes.size(); ++i) {
      const int64_t at = SizeOfCall(*report, run.sizes[i]);
      for (size_t bucket = 0; bucket < calls.size(); ++bucket) {
        const bool is_alone = report->mode != BucketMode::kMixed || at > run.sizes[i] ||
                              at == report->boundaries[bucket][0];
        if (at == report->boundaries[bucket][0] && is_alone) ++calls[bucket];
      }
      if (i >= report->planned_calls || at == 0) continue;
      padded += static_cast<double>(at);
      real += static_cast<double>(run.sizes[i]);
    }
    CHECK(report->padding.train == Approx((padded / real) - 1).margin(1e-12));
    if (report->mode != BucketMode::kMixed) CHECK(report->calls_a_bucket == calls);

    // No more buckets than places of sizes; an empty one only if a place has a single call.
    std::vector<int64_t> places;
    for (size_t i = 0; i < report->planned_calls; ++i) {
      const int64_t size = run.sizes[i];
      places.push_back(size <= 32 ? size : (size + 7) / 8 * 8);
    }
    std::vector<int64_t> distinct = places;
    std::ranges::sort(distinct);
    distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
    const bool has_single = std::ranges::any_of(
        distinct, [&](int64_t place) { return std::ranges::count(places, place) == 1; });
    for (const BucketPoint& point : report->frontier) {
      CHECK(point.boundaries.size() <= distinct.size());
      for (const Sizes& bucket : point.boundaries) {
        CHECK((has_single || std::ranges::binary_search(distinct, bucket[0])));
      }
    }
  }
}

TEST_CASE("Held-out calls that fit are compared with the best plan for the same calls") {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    SizeHistory history;
    std::vector<int64_t> sizes;
    for (int i = 0; i < 60; ++i) {
      sizes.push_back(1 + i / 2 + static_cast<int64_t>(random.Below(4)));
      history.Add({sizes.back(), 1, 1});
    }
    PlanOptions options;
    options.buckets = 2;
    Expected<BucketReport> report = PlanBuckets(history, options);
    REQUIRE(static_cast<bool>(report));
    REQUIRE(report->holdout);
    const HoldoutCheck& check = *report->holdout;
    std::vector<int64_t> fitting;
    for (size_t i = check.planned_calls; i < sizes.size(); ++i) {
      if (sizes[i] <= check.boundaries.back()[0]) fitting.push_back(sizes[i]);
    }
    CHECK(check.out_of_range == check.held_calls - fitting.size());
    CHECK(report->padding.holdout.has_value() == (check.out_of_range == 0));
    if (fitting.empty()) continue;
    const auto padding_of = [&](int64_t first, int64_t last) {
      double padded = 0;
      double real = 0;
      for (const int64_t size : fitting) {
        padded += static_cast<double>(size <= first ? first : last);
        real += static_cast<double>(size);
      }
      return (padded / real) - 1;
    };
    const int64_t last = std::ranges::max(fitting);
    double best = padding_of(last, last);
    for (const int64_t first : fitting) best = std::min(best, padding_of(first, last));
    CHECK(check.best_padding == Approx(best).margin(1e-12));
    CHECK(check.padding >= check.best_padding);
  }
}

TEST_CASE("Memory for no graph is an error, and so are more forced sizes than it allows") {
  SizeHistory history;
  for (const int64_t size : {10, 20, 30}) history.Add({size, 1, 1});
  PlanOptions options;
  options.prices.graph_megabytes = 0.1;
  options.prices.memory_megabytes = 0.3;
  Expected<BucketReport> three = PlanBuckets(history, options);
  REQUIRE(static_cast<bool>(three));
  CHECK(three->boundaries.size() == 3);
  CHECK(three->why.find("memory allows 3 graphs") != std::string::npos);
  options.limits.front().forced = {5, 10, 20};
  Expected<BucketReport> forced = PlanBuckets(history, options);
  REQUIRE_FALSE(static_cast<bool>(forced));
  CHECK(llvm::toString(forced.takeError()) ==
        "the limits on sizes need at least 4 buckets, and 3 are allowed");
  options.prices.memory_megabytes = 0.09;
  Expected<BucketReport> none = PlanBuckets(history, options);
  REQUIRE_FALSE(static_cast<bool>(none));
  CHECK(llvm::toString(none.takeError()) ==
        "memory allows no graph: --memory-mb is less than --graph-mb");
}

}  // namespace
}  // namespace shapewise
