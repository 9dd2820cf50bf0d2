// Plans for small problems, compared with the best of all sets of buckets.

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <random>
#include <vector>

#include "buckets/joint_plan.h"

namespace shapewise {
namespace {

using Generator = std::mt19937;

int64_t Draw(Generator& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}

CostModel RandomCost(Generator& random) {
  switch (random() % 5) {
    case 0:
      return {};
    case 1:
      return *CostModel::Parse("quadratic:3,1,0.25");
    case 2:
      return *CostModel::Parse("tile:1,1,0.01,7");
    case 3:
      return *CostModel::Parse("linear:20,0.5");
    default: {
      CostCurve curve;
      for (int64_t size = 1; size < 90; size += Draw(random, 1, 9)) {
        curve.points.push_back({.size = size, .seconds = static_cast<double>(Draw(random, 1, 40))});
      }
      return *CostModel::OfCurve(curve);
    }
  }
}

/// Calls of few sizes; in half of the problems from 33 on, where sizes are aligned.
JointProblem RandomProblem(Generator& random, size_t dims) {
  JointProblem problem;
  problem.calls.dims = dims;
  problem.cost = RandomCost(random);
  const int64_t widest = dims == 2 ? 6 : 3;
  std::array<int64_t, kMaxSizeDims> unit{1, 1, 1};
  std::array<int64_t, kMaxSizeDims> base{0, 0, 0};
  for (size_t dim = 0; dim < dims; ++dim) {
    if (random() % 2 == 0) continue;
    unit[dim] = 4;
    base[dim] = 40;
    problem.limits[dim].alignment = 8;
  }
  const auto calls = static_cast<size_t>(Draw(random, 1, 9));
  for (size_t i = 0; i < calls; ++i) {
    SizeCount count;
    for (size_t dim = 0; dim < dims; ++dim) {
      count.sizes[dim] = base[dim] + (unit[dim] * Draw(random, 1, widest));
    }
    count.calls = static_cast<uint64_t>(random() % 3 == 0 ? Draw(random, 1, 100) : 1);
    problem.calls.counts.push_back(count);
  }
  for (size_t dim = 0; dim < dims; ++dim) {
    BucketLimits& limits = problem.limits[dim];
    if (random() % 6 == 0) limits.max = base[dim] + (unit[dim] * widest);
    if (random() % 6 == 0) limits.min = base[dim] + (unit[dim] * 2);
    if (random() % 4 == 0) limits.forbidden = {base[dim] + (unit[dim] * Draw(random, 2, widest))};
  }
  return problem;
}

/// Sizes of one dim at which a bucket may lie, by the words of BucketLimits; but for those that
/// hold no call.
std::vector<int64_t> AllowedSizesOf(const JointProblem& problem, size_t dim) {
  const BucketLimits& limits = problem.limits[dim];
  int64_t largest = std::max<int64_t>(limits.max, limits.min);
  int64_t smallest = problem.calls.counts.front().sizes[dim];
  for (const SizeCount& count : problem.calls.counts) {
    largest = std::max(largest, count.sizes[dim]);
    smallest = std::min(smallest, count.sizes[dim]);
  }
  std::vector<int64_t> sizes;
  for (int64_t size = std::max(limits.min, smallest); size <= 200; ++size) {
    if (size > kEverySizeTo && size % limits.alignment != 0) continue;
    if (std::ranges::find(limits.forbidden, size) != limits.forbidden.end()) continue;
    sizes.push_back(size);
    if (size >= largest) break;
  }
  return sizes;
}

/// Tries all sets of up to `most` buckets.
class BruteForce {
 public:
  BruteForce(const JointProblem& problem, size_t most) : problem_(problem) {
    std::array<std::vector<int64_t>, kMaxSizeDims> axes{{{1}, {1}, {1}}};
    for (size_t dim = 0; dim < problem.calls.dims; ++dim) {
      axes[dim] = AllowedSizesOf(problem, dim);
      must_hold_corner_ = must_hold_corner_ || problem.limits[dim].max > 0;
    }
    for (const int64_t a : axes[0]) {
      for (const int64_t b : axes[1]) {
        for (const int64_t c : axes[2]) all_.push_back({a, b, c});
      }
    }
    best_.assign(most + 1, std::numeric_limits<double>::infinity());
    const std::vector<double> none(problem.calls.counts.size(),
                                   std::numeric_limits<double>::infinity());
    Extend(0, 0, none, !must_hold_corner_);
  }

  /// The least cost of up to `count` buckets.
  double Best(size_t count) const { return best_[count]; }

 private:
  void Extend(size_t next, size_t used, const std::vector<double>& costs, bool holds_corner) {
    double total = 0;
    for (size_t i = 0; i < costs.size(); ++i) {
      total += static_cast<double>(problem_.calls.counts[i].calls) * costs[i];
    }
    if (holds_corner) {
      for (size_t count = used; count < best_.size(); ++count) {
        best_[count] = std::min(best_[count], total);
      }
    }
    if (used + 1 == best_.size()) return;
    for (size_t i = next; i < all_.size(); ++i) {
      std::vector<double> with = costs;
      const double cost = problem_.cost.Of(all_[i], problem_.calls.dims);
      for (size_t j = 0; j < with.size(); ++j) {
        const Sizes& sizes = problem_.calls.counts[j].sizes;
        if (sizes[0] <= all_[i][0] && sizes[1] <= all_[i][1] && sizes[2] <= all_[i][2]) {
          with[j] = std::min(with[j], cost);
        }
      }
      Extend(i + 1, used + 1, with, holds_corner || HoldsCorner(all_[i]));
    }
  }

  bool HoldsCorner(const Sizes& bucket) const {
    for (size_t dim = 0; dim < problem_.calls.dims; ++dim) {
      int64_t largest = problem_.limits[dim].max;
      for (const SizeCount& count : problem_.calls.counts) {
        largest = std::max(largest, count.sizes[dim]);
      }
      if (bucket[dim] < largest) return false;
    }
    return true;
  }

  const JointProblem& problem_;
  bool must_hold_corner_ = false;
  std::vector<Sizes> all_;
  std::vector<double> best_;  ///< by number of buckets
};

struct Tally {
  size_t plans = 0;
  size_t best = 0;    ///< plans that cost as little as the best set
  size_t proven = 0;  ///< and whose bound says so
};

Tally CheckProblems(size_t dims, size_t problems, size_t most, uint32_t seed) {
  Generator random(seed);
  std::vector<size_t> counts;
  for (size_t count = 1; count <= most; ++count) counts.push_back(count);
  Tally tally;
  for (size_t i = 0; i < problems; ++i) {
    const JointProblem problem = RandomProblem(random, dims);
    Expected<std::vector<JointSet>> sets = PlanJointly(problem, counts);
    if (!sets) {
      llvm::consumeError(sets.takeError());
      continue;
    }
    const BruteForce brute(problem, most);
    REQUIRE(sets->size() == most);
    for (size_t count = 1; count <= most; ++count) {
      CAPTURE(dims, i, count);
      const JointSet& set = (*sets)[count - 1];
      const double best = brute.Best(count);
      REQUIRE(set.buckets.size() <= count);
      REQUIRE(set.cost >= best * (1 - 1e-9));
      REQUIRE(set.lower_bound <= best * (1 + 1e-12));
      uint64_t unserved = 0;
      const double cost = CostWith(problem.calls, problem.cost, set.buckets, unserved);
      REQUIRE(set.cost == Approx(cost).epsilon(1e-12));
      REQUIRE(unserved == 0);
      if (count > 1) {
        REQUIRE(set.cost <= (*sets)[count - 2].cost);
        REQUIRE(set.lower_bound <= (*sets)[count - 2].lower_bound);
      }
      ++tally.plans;
      if (set.cost <= best * (1 + 1e-9)) ++tally.best;
      if (set.cost <= set.lower_bound * (1 + 1e-6)) ++tally.proven;
    }
  }
  return tally;
}

TEST_CASE("In two dims the bound is below the best of all sets, and plans are nearly always it",
          "[buckets]") {
  const Tally tally = CheckProblems(2, 3000, 3, 7);
  CAPTURE(tally.plans, tally.best, tally.proven);
  CHECK(tally.plans > 5000);
  CHECK(tally.best * 1000 >= tally.plans * 995);
  CHECK(tally.proven * 10 >= tally.plans * 9);
}

TEST_CASE("In three dims the bound is below the best of all sets, and plans are nearly always it",
          "[buckets]") {
  const Tally tally = CheckProblems(3, 2000, 3, 11);
  CAPTURE(tally.plans, tally.best, tally.proven);
  CHECK(tally.plans > 5000);
  CHECK(tally.best * 100 >= tally.plans * 99);
  CHECK(tally.proven * 10 >= tally.plans * 9);
}

TEST_CASE("In one dim the plan is the best of all sets, and the bound says so", "[buckets]") {
  const Tally tally = CheckProblems(1, 1000, 4, 13);
  CHECK(tally.plans > 2000);
  CHECK(tally.best == tally.plans);
  CHECK(tally.proven == tally.plans);
}

}  // namespace
}  // namespace shapewise
