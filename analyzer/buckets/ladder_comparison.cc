#include "buckets/ladders.h"

#include <algorithm>
#include <vector>

#include "buckets/frontier.h"

namespace shapewise {
namespace {

/// Maximum number of our buckets: no ladder in use has as many.
constexpr size_t kMostBuckets = 2048;

/// Try up to this many first, because most ladders are beaten with few.
constexpr size_t kFirstBuckets = 64;

/// The sizes of `ladder` that serve a call, ascending.
std::vector<int64_t> SizesInUse(const SizeLadder& ladder, const CallTable& planned,
                                const CallTable* held) {
  std::vector<int64_t> sizes;
  for (const CallTable* table : {&planned, held}) {
    if (table == nullptr) continue;
    for (const SizeCount& size : table->calls().counts) {
      const std::optional<int64_t> bucket = ladder.AtLeast(size.sizes[0]);
      if (bucket) sizes.push_back(*bucket);
    }
  }
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  return sizes;
}

}  // namespace

LadderComparison CompareLadder(const SizeLadder& ladder, const CallTable& planned,
                               const CallTable* held, const SizeLine& line) {
  LadderComparison comparison;
  comparison.name = ladder.name;
  comparison.source = ladder.source;
  comparison.size_count = ladder.Count();
  comparison.sizes = SizesInUse(ladder, planned, held);
  const std::vector<Sizes> sizes = AsSizes(comparison.sizes);
  const SetScore score = planned.Score(sizes);
  comparison.used = static_cast<size_t>(
      std::ranges::count_if(score.calls_a_bucket, [](uint64_t calls) { return calls > 0; }));
  comparison.padding.train = score.Padding();
  if (held != nullptr) comparison.padding.holdout = held->Score(sizes).Padding();
  comparison.cost_overhead = score.Overhead();
  comparison.out_of_range = score.out_of_range;
  if (comparison.used == 0) return comparison;

  const size_t most = std::min(comparison.used, kMostBuckets);
  for (size_t count = std::min(most, kFirstBuckets);; count = most) {
    const std::vector<BucketSet> sets = ExactFrontier(line, count);
    for (const BucketSet& set : sets) {
      const double overhead = planned.Score(AsSizes(set.sizes)).Overhead();
      if (set.sizes.size() <= most) comparison.same_count_overhead = overhead;
      if (overhead <= comparison.cost_overhead + 1e-12) {
        comparison.same_waste_buckets = set.sizes.size();
        break;
      }
    }
    if (count == most) break;
    if (comparison.same_waste_buckets > 0) break;
  }
  const std::vector<BucketSet> all = ExactFrontier(line, most);
  if (!all.empty()) {
    comparison.same_count_overhead = planned.Score(AsSizes(all.back().sizes)).Overhead();
  }
  return comparison;
}

}  // namespace shapewise
