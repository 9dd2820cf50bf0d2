// Batches of a chat service: how many rows and how long, planned together. The stream is the one on
// which methods were compared (analyzer/docs/buckets.md).

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "shapewise/buckets/joint_plan.h"

namespace shapewise {
namespace {

/// Even in 0..1, the same on every machine.
double Uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

/// Batches of 1 to 32 requests in a row, log-uniform; each as long as its longest, a multiple
/// of 64.
JointProblem BatchesOf(const std::vector<int64_t>& lengths, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::map<Sizes, uint64_t> batches;
  for (size_t next = 0; next < lengths.size();) {
    const auto wanted = static_cast<size_t>(std::pow(33, Uniform(random)));
    const size_t end = std::min(next + wanted, lengths.size());
    int64_t longest = 0;
    const auto rows = static_cast<int64_t>(end - next);
    for (; next < end; ++next) longest = std::max(longest, lengths[next]);
    ++batches[{rows, (longest + 63) / 64 * 64, 1}];
  }
  JointProblem problem;
  problem.calls.dims = 2;
  for (const auto& [sizes, calls] : batches) {
    problem.calls.counts.push_back({.sizes = sizes, .calls = calls, .real = 0});
  }
  problem.cost = *CostModel::Parse("quadratic:256,1,0.0001220703125");
  problem.limits[1].alignment = 64;
  return problem;
}

/// Prompt lengths of the Azure LLM inference trace of 2023 (conversations), drawn from its
/// quantiles, log-linear between them.
std::vector<int64_t> ChatLengths(size_t calls) {
  constexpr std::array kShares = {0.0, .005, .01, .025, .05, .1,  .2,   .25, .3,   .4, .5,
                                  .6,  .7,   .75, .8,   .9,  .95, .975, .99, .995, 1.0};
  constexpr std::array kLengths = {2.0,    16.0,   29.0,   120.0,  181.0,  207.0,  387.0,
                                   396.0,  403.0,  703.0,  1020.0, 1071.0, 1130.0, 1189.0,
                                   1315.0, 2735.0, 4083.0, 4092.0, 4142.0, 4831.0, 14050.0};
  std::mt19937_64 random(2023);
  std::vector<int64_t> lengths;
  for (size_t i = 0; i < calls; ++i) {
    const double share = Uniform(random);
    size_t right = 1;
    while (kShares.at(right) < share) ++right;
    const double part =
        (share - kShares.at(right - 1)) / (kShares.at(right) - kShares.at(right - 1));
    lengths.push_back(static_cast<int64_t>(std::round(
        kLengths.at(right - 1) * std::pow(kLengths.at(right) / kLengths.at(right - 1), part))));
  }
  return lengths;
}

/// Least cost: every batch at its own sizes.
double WithoutPadding(const JointProblem& problem) {
  double cost = 0;
  for (const SizeCount& count : problem.calls.counts) {
    cost += static_cast<double>(count.calls) * problem.cost.Of(count.sizes, 2);
  }
  return cost;
}

/// `most`: cost overhead with 16, 32 and 64 buckets.
void CheckStream(const JointProblem& problem, const std::array<double, 3>& most) {
  Expected<std::vector<JointSet>> sets = PlanJointly(problem, {16, 32, 64});
  REQUIRE(static_cast<bool>(sets));
  const double without = WithoutPadding(problem);
  for (size_t i = 0; i < sets->size(); ++i) {
    const JointSet& set = (*sets)[i];
    CAPTURE(i, set.cost / without - 1, set.cost / set.lower_bound - 1);
    CHECK_FALSE(set.is_coarse);
    CHECK(set.cost / without - 1 <= most.at(i));
    CHECK(set.cost / set.lower_bound - 1 <= 0.01);
  }
}

TEST_CASE("Batches of chat requests: little padding, proven near the best", "[buckets]") {
  // Spread between quantiles, lengths repeat less often than in the trace, and more is padded.
  CheckStream(BatchesOf(ChatLengths(19366), 1), {0.49, 0.28, 0.15});
}

TEST_CASE("Batches of the recorded trace: little padding, proven near the best", "[buckets]") {
  // Read where it is: the trace is not part of this repository.
  std::ifstream file("../shared/data/lengths/azure_conv.csv");
  std::string line;
  std::getline(file, line);
  std::vector<int64_t> lengths;
  while (std::getline(file, line)) lengths.push_back(std::stoll(line));
  if (lengths.empty()) return;
  for (const uint64_t seed : {1, 2, 3}) {
    CheckStream(BatchesOf(lengths, seed), {0.46, 0.24, 0.12});
  }
}

}  // namespace
}  // namespace shapewise
