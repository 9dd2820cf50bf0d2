#include "buckets/call_table.h"

#include <algorithm>

namespace shapewise {

CallTable::CallTable(const SizeHistogram& calls, const CostModel& cost)
    : calls_(calls), cost_(cost) {
  const size_t count = calls.counts.size();
  ideal_.reserve(count);
  calls_before_.reserve(count + 1);
  real_before_.reserve(count + 1);
  ideal_before_.reserve(count + 1);
  calls_before_.push_back(0);
  real_before_.push_back(0);
  ideal_before_.push_back(0);
  for (const SizeCount& size : calls.counts) {
    ideal_.push_back(CostOf(size.sizes));
    calls_before_.push_back(calls_before_.back() + size.calls);
    real_before_.push_back(real_before_.back() + size.real);
    ideal_before_.push_back(ideal_before_.back() +
                            (static_cast<double>(size.calls) * ideal_.back()));
  }
}

double CallTable::CostOf(const Sizes& sizes) const {
  return cost_.Of(sizes, calls_.dims, calls_.rows);
}

double CallTable::ElementsOf(const Sizes& sizes) const {
  auto elements = static_cast<double>(calls_.rows);
  for (size_t dim = 0; dim < calls_.dims; ++dim) elements *= static_cast<double>(sizes[dim]);
  return elements;
}

size_t CallTable::FirstAbove(int64_t size) const {
  const auto found = std::ranges::upper_bound(calls_.counts, size, {},
                                              [](const SizeCount& c) { return c.sizes[0]; });
  return static_cast<size_t>(found - calls_.counts.begin());
}

void CallTable::AddShare(size_t first, size_t end, const Sizes& bucket, SetScore& score) const {
  const uint64_t calls = calls_before_[end] - calls_before_[first];
  score.calls_a_bucket.push_back(calls);
  if (first == end) return;
  const double cost = CostOf(bucket);
  score.calls += calls;
  score.real += real_before_[end] - real_before_[first];
  score.padded += static_cast<double>(calls) * ElementsOf(bucket);
  score.cost += static_cast<double>(calls) * cost;
  score.ideal += ideal_before_[end] - ideal_before_[first];
  const double least = *std::min_element(ideal_.begin() + static_cast<std::ptrdiff_t>(first),
                                         ideal_.begin() + static_cast<std::ptrdiff_t>(end));
  if (least > 0) score.worst_call = std::max(score.worst_call, (cost / least) - 1);
}

SetScore CallTable::Score(const std::vector<Sizes>& buckets) const {
  if (calls_.dims > 1) return ScoreJointly(buckets);
  SetScore score;
  size_t first = 0;
  for (const Sizes& bucket : buckets) {
    const size_t end = FirstAbove(bucket[0]);
    AddShare(first, end, bucket, score);
    first = end;
  }
  score.out_of_range = calls_before_.back() - score.calls;
  return score;
}

SetScore CallTable::ScoreJointly(const std::vector<Sizes>& buckets) const {
  SetScore score;
  score.calls_a_bucket.assign(buckets.size(), 0);
  std::vector<double> costs;
  for (const Sizes& bucket : buckets) costs.push_back(CostOf(bucket));
  for (size_t i = 0; i < calls_.counts.size(); ++i) {
    const SizeCount& size = calls_.counts[i];
    const size_t best = CheapestBucket(buckets, costs, size.sizes);
    if (best == buckets.size()) {
      score.out_of_range += size.calls;
      continue;
    }
    const auto calls = static_cast<double>(size.calls);
    score.calls_a_bucket[best] += size.calls;
    score.calls += size.calls;
    score.real += size.real;
    score.padded += calls * ElementsOf(buckets[best]);
    score.cost += calls * costs[best];
    score.ideal += calls * ideal_[i];
    if (ideal_[i] > 0) score.worst_call = std::max(score.worst_call, (costs[best] / ideal_[i]) - 1);
  }
  return score;
}

size_t CheapestBucket(const std::vector<Sizes>& buckets, const std::vector<double>& costs,
                      const Sizes& sizes) {
  size_t best = buckets.size();
  for (size_t i = 0; i < buckets.size(); ++i) {
    const bool is_cheaper = best == buckets.size() || costs[i] < costs[best];
    if (is_cheaper && Holds(buckets[i], sizes)) best = i;
  }
  return best;
}

std::vector<Sizes> AsSizes(const std::vector<int64_t>& sizes) {
  std::vector<Sizes> result;
  result.reserve(sizes.size());
  for (const int64_t size : sizes) result.push_back(Sizes{size, 1, 1});
  return result;
}

}  // namespace shapewise
