// Batches of a chat service, as calls of rows and length: for tests and benchmarks of joint plans.

#ifndef SHAPEWISE_TESTS_SUPPORT_CHAT_STREAM_H_
#define SHAPEWISE_TESTS_SUPPORT_CHAT_STREAM_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "buckets/joint_plan.h"

namespace shapewise {

/// Even in 0..1, the same on every machine.
inline double EvenlyIn01(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

/// Batches of 1 to 32 requests in a row, log-uniform; each as long as its longest, a multiple
/// of 64.
inline JointProblem BatchesOf(const std::vector<int64_t>& lengths, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::map<Sizes, uint64_t> batches;
  for (size_t next = 0; next < lengths.size();) {
    const auto wanted = static_cast<size_t>(std::pow(33, EvenlyIn01(random)));
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
inline std::vector<int64_t> ChatLengths(size_t calls) {
  constexpr std::array kShares = {0.0, .005, .01, .025, .05, .1,  .2,   .25, .3,   .4, .5,
                                  .6,  .7,   .75, .8,   .9,  .95, .975, .99, .995, 1.0};
  constexpr std::array kLengths = {2.0,    16.0,   29.0,   120.0,  181.0,  207.0,  387.0,
                                   396.0,  403.0,  703.0,  1020.0, 1071.0, 1130.0, 1189.0,
                                   1315.0, 2735.0, 4083.0, 4092.0, 4142.0, 4831.0, 14050.0};
  std::mt19937_64 random(2023);
  std::vector<int64_t> lengths;
  for (size_t i = 0; i < calls; ++i) {
    const double share = EvenlyIn01(random);
    size_t right = 1;
    while (kShares.at(right) < share) ++right;
    const double part =
        (share - kShares.at(right - 1)) / (kShares.at(right) - kShares.at(right - 1));
    lengths.push_back(static_cast<int64_t>(std::round(
        kLengths.at(right - 1) * std::pow(kLengths.at(right) / kLengths.at(right - 1), part))));
  }
  return lengths;
}

/// What the calls cost at their own sizes.
inline double WithoutPadding(const JointProblem& problem) {
  double cost = 0;
  for (const SizeCount& count : problem.calls.counts) {
    cost += static_cast<double>(count.calls) * problem.cost.Of(count.sizes, problem.calls.dims);
  }
  return cost;
}

/// First column of a CSV file of whole numbers with a header; empty if there is no such file.
inline std::vector<int64_t> LengthsOf(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::vector<int64_t> lengths;
  while (std::getline(file, line)) lengths.push_back(std::stoll(line));
  return lengths;
}

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_SUPPORT_CHAT_STREAM_H_
