// Plans with a price per bucket instead of a number of buckets: one pass over the stops.

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "buckets/frontier.h"
#include "buckets/line_queue.h"
#include "buckets/stop_arrays.h"

namespace shapewise {
namespace {

/// Solves one line at many prices.
class PriceSolver {
 public:
  explicit PriceSolver(const SizeLine& line)
      : line_(line),
        stops_(line),
        best_(stops_.size() + 1),
        origin_(stops_.size() + 1),
        queue_(stops_.size() + 1) {}

  const StopArrays& stops() const { return stops_; }

  /// The ends (from 1, ascending) of the best set at `price`; ties go to fewer buckets.
  std::vector<uint32_t> Ends(double price) {
    // Costs above the possible savings only lose precision.
    price = std::min(price, (2 * stops_.MostSaved()) + 1);
    price += stops_.Trace(price);
    Solve(price);
    std::vector<uint32_t> ends;
    for (auto at = static_cast<uint32_t>(stops_.size()); at > 0; at = origin_[at]) {
      ends.push_back(at);
    }
    std::ranges::reverse(ends);
    return ends;
  }

  BucketSet Set(double price) { return SetOfEnds(line_, stops_, Ends(price)); }

  /// The set at any sufficiently high price.
  BucketSet Fewest() const {
    std::vector<uint32_t> ends;
    for (size_t j = 1; j <= stops_.size(); ++j) {
      if (stops_.must_end[j] != 0 || j == stops_.size()) ends.push_back(static_cast<uint32_t>(j));
    }
    return SetOfEnds(line_, stops_, ends);
  }

 private:
  void Solve(double price) {
    queue_.Clear();
    best_[0] = 0;
    for (size_t j = 1; j < best_.size(); ++j) {
      if (stops_.must_end[j - 1] != 0) queue_.Clear();
      queue_.Add(stops_.weight[j - 1], best_[j - 1], static_cast<uint32_t>(j - 1));
      const LineQueue::Answer least = stops_.is_monotone
                                          ? queue_.Least(stops_.weight[j], stops_.cost[j])
                                          : queue_.Find(stops_.weight[j], stops_.cost[j]);
      best_[j] = least.cost + price;
      origin_[j] = least.stop;
    }
  }

  const SizeLine& line_;
  StopArrays stops_;
  std::vector<double> best_;
  std::vector<uint32_t> origin_;
  LineQueue queue_;
};

/// The price at which both sets are equally good.
double PriceBetween(const BucketSet& fewer, const BucketSet& more) {
  return (fewer.cost - more.cost) / static_cast<double>(more.sizes.size() - fewer.sizes.size());
}

/// Whether `set` is between the others in number of buckets, and below the straight line between
/// them.
bool IsBelowChord(const BucketSet& fewer, const BucketSet& set, const BucketSet& more,
                  const StopArrays& stops) {
  if (set.sizes.size() <= fewer.sizes.size() || set.sizes.size() >= more.sizes.size()) return false;
  const auto whole = static_cast<double>(more.sizes.size() - fewer.sizes.size());
  const auto part = static_cast<double>(set.sizes.size() - fewer.sizes.size());
  const double gap = ((fewer.cost - more.cost) * (whole - part)) - ((set.cost - more.cost) * whole);
  return gap > stops.Rounding(fewer.cost) * whole;
}

}  // namespace

BucketSet BestAtPrice(const SizeLine& line, double price) { return PriceSolver(line).Set(price); }

std::vector<PriceRange> PriceFrontier(const SizeLine& line, size_t max_ranges) {
  std::vector<PriceRange> ranges;
  if (line.stops.empty() || max_ranges == 0) return ranges;
  PriceSolver solver(line);

  // Sets that are best at some price are the corners of the convex hull of cost over buckets. If
  // there is a corner between two others, it is the best set at the price at which those are equal.
  // Start from the fewest buckets, so that a limit drops the largest sets.
  BucketSet corner = solver.Fewest();
  std::vector<BucketSet> ahead;
  if (BucketSet most = solver.Set(0); most.sizes.size() > corner.sizes.size()) {
    ahead.push_back(std::move(most));
  }
  double to = std::numeric_limits<double>::infinity();
  while (!ahead.empty() && ranges.size() < max_ranges) {
    const double price = PriceBetween(corner, ahead.back());
    BucketSet between = solver.Set(price);
    if (IsBelowChord(corner, between, ahead.back(), solver.stops())) {
      ahead.push_back(std::move(between));
      continue;
    }
    ranges.push_back({.from = price, .to = to, .set = std::move(corner)});
    to = price;
    corner = std::move(ahead.back());
    ahead.pop_back();
  }
  if (ranges.size() < max_ranges) ranges.push_back({.from = 0, .to = to, .set = std::move(corner)});
  std::ranges::reverse(ranges);
  return ranges;
}

}  // namespace shapewise
