#include "buckets/joint_plan.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "buckets/frontier.h"

namespace shapewise {
namespace {

JointProblem ProblemOf(size_t dims, const std::vector<SizeCount>& counts) {
  JointProblem problem;
  problem.calls.dims = dims;
  problem.calls.counts = counts;
  for (const SizeCount& count : counts) problem.calls.calls += count.calls;
  return problem;
}

SizeCount Calls(uint64_t calls, int64_t a, int64_t b, int64_t c = 1) {
  return {.sizes = {a, b, c}, .calls = calls, .real = 0};
}

std::vector<JointSet> Planned(const JointProblem& problem, const std::vector<size_t>& counts) {
  Expected<std::vector<JointSet>> sets = PlanJointly(problem, counts);
  REQUIRE(static_cast<bool>(sets));
  REQUIRE(sets->size() == counts.size());
  return std::move(*sets);
}

/// Calls all over a square.
std::vector<SizeCount> Spread(size_t distinct, int64_t widest, size_t dims, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<SizeCount> counts;
  for (size_t i = 0; i < distinct; ++i) {
    SizeCount count = Calls(1 + (random() % 20), 1, 1);
    for (size_t dim = 0; dim < dims; ++dim) {
      count.sizes[dim] = 1 + static_cast<int64_t>(random() % static_cast<uint32_t>(widest));
    }
    counts.push_back(count);
  }
  return counts;
}

TEST_CASE("One bucket has the largest size of each dim", "[buckets]") {
  const JointProblem problem = ProblemOf(2, {Calls(1, 2, 30), Calls(5, 4, 10)});
  const JointSet set = Planned(problem, {1}).front();
  CHECK(set.buckets == std::vector<Sizes>{{4, 30, 1}});
  CHECK(set.cost == 6 * 120);
  CHECK(set.lower_bound == 6 * 120);
}

TEST_CASE("As many buckets as sizes pad nothing, and more are not used", "[buckets]") {
  const JointProblem problem = ProblemOf(2, {Calls(1, 2, 30), Calls(5, 4, 10)});
  const JointSet set = Planned(problem, {9}).front();
  CHECK(set.buckets == std::vector<Sizes>{{2, 30, 1}, {4, 10, 1}});
  CHECK(set.cost == 60 + (5 * 40));
  CHECK(set.lower_bound == set.cost);
}

TEST_CASE("A bucket combines the largest sizes only if a maximum is declared", "[buckets]") {
  JointProblem problem = ProblemOf(2, {Calls(9, 2, 30), Calls(9, 4, 10)});
  problem.limits[0].max = 4;
  CHECK(Planned(problem, {2}).front().buckets == std::vector<Sizes>{{4, 10, 1}, {4, 30, 1}});
  problem.limits[1].max = 61;
  CHECK(Planned(problem, {2}).front().buckets == std::vector<Sizes>{{4, 30, 1}, {4, 64, 1}});
}

TEST_CASE("Calls beyond a declared maximum are left out", "[buckets]") {
  JointProblem problem = ProblemOf(2, {Calls(9, 2, 30), Calls(9, 4, 10), Calls(1, 3, 900)});
  problem.limits[1].max = 30;
  const JointSet set = Planned(problem, {1}).front();
  CHECK(set.buckets == std::vector<Sizes>{{4, 30, 1}});
  CHECK(set.cost == 18 * 120);
  uint64_t unserved = 0;
  CHECK(CostWith(problem.calls, problem.cost, set.buckets, unserved) == set.cost);
  CHECK(unserved == 1);
}

TEST_CASE("Sizes are aligned beyond 32, and forbidden ones are passed by", "[buckets]") {
  JointProblem problem = ProblemOf(2, {Calls(9, 7, 33), Calls(9, 9, 70)});
  problem.limits[1].alignment = 16;
  problem.limits[1].forbidden = {80};
  problem.limits[0].forbidden = {7, 8};
  CHECK(Planned(problem, {2}).front().buckets == std::vector<Sizes>{{9, 48, 1}, {9, 96, 1}});
}

TEST_CASE("Without a call, or with limits that contradict each other, there is no plan",
          "[buckets]") {
  JointProblem problem = ProblemOf(2, {});
  Expected<std::vector<JointSet>> none = PlanJointly(problem, {1});
  CHECK_FALSE(static_cast<bool>(none));
  llvm::consumeError(none.takeError());
  problem = ProblemOf(2, {Calls(1, 5, 5)});
  problem.limits[0].max = 4;
  Expected<std::vector<JointSet>> beyond = PlanJointly(problem, {1});
  CHECK_FALSE(static_cast<bool>(beyond));
  llvm::consumeError(beyond.takeError());
  problem.limits[0].max = 6;
  problem.limits[0].min = 7;
  Expected<std::vector<JointSet>> crossed = PlanJointly(problem, {1});
  CHECK_FALSE(static_cast<bool>(crossed));
  llvm::consumeError(crossed.takeError());
}

TEST_CASE("With one row a plan is the exact one of the line, and the bound is its cost",
          "[buckets]") {
  for (const char* text : {"padding", "quadratic:64,1,0.0001", "tile:1,1,0.001,128"}) {
    for (uint32_t seed = 0; seed < 20; ++seed) {
      std::vector<SizeCount> counts = Spread(200, 900, 1, seed);
      std::ranges::sort(counts, {}, &SizeCount::sizes);
      SizeHistogram line_calls = ProblemOf(1, counts).calls;
      const CostModel cost = *CostModel::Parse(text);
      Expected<SizeLine> line = MakeSizeLine(line_calls, cost, {}, false);
      REQUIRE(static_cast<bool>(line));
      const std::vector<BucketSet> exact = ExactFrontier(*line, 12);
      for (SizeCount& count : counts) count.sizes = {1, count.sizes[0], 1};
      JointProblem problem = ProblemOf(2, counts);
      problem.cost = cost;
      const std::vector<JointSet> sets = Planned(problem, {1, 2, 5, 12});
      for (size_t i = 0; i < sets.size(); ++i) {
        const size_t count = std::array<size_t, 4>{1, 2, 5, 12}[i];
        CAPTURE(text, seed, count);
        CHECK(sets[i].cost == Approx(exact[count - 1].cost).epsilon(1e-12));
        CHECK(sets[i].lower_bound == Approx(sets[i].cost).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE("The order of calls plays no part, nor does how they are split", "[buckets]") {
  const JointProblem problem = ProblemOf(2, Spread(150, 60, 2, 3));
  const std::vector<JointSet> sets = Planned(problem, {4, 9, 20});
  std::vector<SizeCount> counts = problem.calls.counts;
  counts.push_back(counts.front());
  counts.front().calls -= 1;
  counts.back().calls = 1;
  std::mt19937 random(1);
  std::shuffle(counts.begin(), counts.end(), random);
  const std::vector<JointSet> again = Planned(ProblemOf(2, counts), {4, 9, 20});
  for (size_t i = 0; i < sets.size(); ++i) {
    CHECK(sets[i].buckets == again[i].buckets);
    CHECK(sets[i].cost == again[i].cost);
    CHECK(sets[i].lower_bound == again[i].lower_bound);
  }
}

TEST_CASE("A larger number of buckets never costs more", "[buckets]") {
  for (const size_t dims : {size_t{2}, size_t{3}}) {
    const JointProblem problem = ProblemOf(dims, Spread(120, 12, dims, 5));
    std::vector<size_t> counts;
    for (size_t count = 1; count <= 24; ++count) counts.push_back(count);
    const std::vector<JointSet> sets = Planned(problem, counts);
    for (size_t i = 1; i < sets.size(); ++i) {
      CAPTURE(dims, i);
      CHECK(sets[i].buckets.size() <= counts[i]);
      CHECK(sets[i].cost <= sets[i - 1].cost);
      CHECK(sets[i].lower_bound <= sets[i].cost);
      CHECK(sets[i].lower_bound <= sets[i - 1].lower_bound);
    }
  }
}

TEST_CASE(
    "Beyond what can be looked at sizes are left out, the answer says so, and the bound holds",
    "[buckets]") {
  // Nearly all calls come to three sizes, the others fit in them.
  const std::vector<Sizes> known = {{6000, 9000, 1}, {9000, 4000, 1}, {10000, 10000, 1}};
  std::vector<SizeCount> counts = Spread(3000, 3900, 2, 4);
  for (const Sizes& sizes : known) counts.push_back(Calls(1000000, sizes[0], sizes[1]));
  JointProblem problem = ProblemOf(2, counts);
  for (BucketLimits& limits : problem.limits) limits.alignment = 1;
  uint64_t unserved = 0;
  const double possible = CostWith(problem.calls, problem.cost, known, unserved);
  REQUIRE(unserved == 0);
  const JointSet set = Planned(problem, {3}).front();
  CHECK(set.is_coarse);
  CHECK(set.cost <= possible);
  CHECK(CostWith(problem.calls, problem.cost, set.buckets, unserved) == set.cost);
  CHECK(unserved == 0);
  CHECK(set.lower_bound <= possible);
  CHECK(set.lower_bound >= 0.9 * possible);
}

TEST_CASE("A bucket for every one of many sizes is planned at once", "[buckets]") {
  const JointProblem problem = ProblemOf(2, Spread(4000, 100, 2, 9));
  const JointSet set = Planned(problem, {100000}).front();
  uint64_t unserved = 0;
  CHECK(CostWith(problem.calls, problem.cost, set.buckets, unserved) == set.cost);
  CHECK(set.lower_bound <= set.cost);
}

}  // namespace
}  // namespace shapewise
