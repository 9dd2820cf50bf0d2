#include "every_set.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "llvm/Support/Error.h"

namespace shapewise {
namespace {

int64_t Between(std::mt19937_64& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}

bool OneIn(std::mt19937_64& random, int64_t times) { return Between(random, 1, times) == 1; }

CostModel RandomCost(std::mt19937_64& random, CostKind kind, int64_t largest) {
  const auto number = [&random] { return std::to_string(Between(random, 0, 30)) + "e-1"; };
  std::string text = "padding";
  if (kind == CostKind::kLinear) text = "linear:" + number() + ",0.7";
  if (kind == CostKind::kQuadratic) text = "quadratic:" + number() + "," + number() + ",0.01";
  if (kind == CostKind::kTile) {
    text = "tile:" + number() + ",0.3,0," + std::to_string(Between(random, 1, 24));
  }
  if (kind != CostKind::kRisingCurve && kind != CostKind::kWildCurve) {
    Expected<CostModel> model = CostModel::Parse(text);
    return llvm::cantFail(std::move(model));
  }
  CostCurve curve;
  double seconds = 1;
  for (int64_t size = Between(random, 1, 5); size < largest + 10; size += Between(random, 1, 12)) {
    // Stretches of equal cost are what kernels have between two tiles.
    if (kind == CostKind::kWildCurve) {
      seconds = static_cast<double>(Between(random, 1, 40)) / 8;
    } else if (!OneIn(random, 3)) {
      seconds += static_cast<double>(Between(random, 1, 20)) / 10;
    }
    curve.points.push_back({.size = size, .seconds = seconds});
  }
  Expected<CostModel> model = CostModel::OfCurve(std::move(curve));
  return llvm::cantFail(std::move(model));
}

}  // namespace

SmallProblem RandomProblem(std::mt19937_64& random, CostKind kind) {
  SmallProblem problem;
  // Short calls, where every size may be a bucket; or long ones, where multiples may.
  const bool is_short = OneIn(random, 2);
  problem.limits.alignment = is_short ? Between(random, 1, 64) : Between(random, 3, 16);
  if (!is_short) problem.limits.min = Between(random, 27, 60);
  const int64_t low = is_short ? Between(random, 0, 4) : problem.limits.min - 20;
  const int64_t high =
      is_short ? low + Between(random, 1, 6)
               : problem.limits.min + (problem.limits.alignment * Between(random, 1, 5));
  if (is_short && OneIn(random, 3)) problem.limits.min = Between(random, 0, high);
  std::map<int64_t, uint64_t> counts;
  for (int64_t call = Between(random, 1, 12); call > 0; --call) {
    ++counts[Between(random, low, high)];
  }
  if (OneIn(random, 2)) counts[high] += static_cast<uint64_t>(Between(random, 1, 30));
  problem.calls.rows = OneIn(random, 2) ? 1 : Between(random, 2, 5);
  for (const auto& [size, calls] : counts) {
    problem.calls.counts.push_back({.sizes = {size, 1, 1}, .calls = calls});
    problem.calls.calls += calls;
  }
  const int64_t smallest = counts.begin()->first;
  const int64_t largest = counts.rbegin()->first;
  if (OneIn(random, 3)) {
    // Sometimes below the largest call, which then is not served.
    const int64_t least = std::max({smallest, problem.limits.min, int64_t{1}});
    problem.limits.max = Between(random, least, std::max(least, largest + 3));
  }
  problem.cost = RandomCost(random, kind, high + 16);
  problem.mix_tail = OneIn(random, 3);
  std::vector<int64_t> possible = PossibleSizes(problem);
  for (int64_t forced = OneIn(random, 3) ? Between(random, 1, 3) : 0; forced > 0; --forced) {
    // Forced sizes need not be multiples.
    const int64_t least = std::max(problem.limits.min, int64_t{1});
    const int64_t most = problem.limits.max > 0 ? problem.limits.max : possible.back();
    problem.limits.forced.push_back(Between(random, least, std::max(least, most)));
  }
  for (int64_t forbidden = OneIn(random, 3) ? Between(random, 1, 3) : 0; forbidden > 0;
       --forbidden) {
    const int64_t size = possible[random() % possible.size()];
    if (std::ranges::count(problem.limits.forced, size) == 0) {
      problem.limits.forbidden.push_back(size);
    }
  }
  return problem;
}

std::vector<int64_t> PossibleSizes(const SmallProblem& problem) {
  const BucketLimits& limits = problem.limits;
  const auto has = [](const std::vector<int64_t>& sizes, int64_t size) {
    return std::ranges::count(sizes, size) > 0;
  };
  int64_t max = limits.max;
  if (max == 0) {
    max = std::max(problem.calls.counts.back().sizes[0], int64_t{1});
    for (const int64_t size : limits.forced) max = std::max(max, size);
  }
  std::vector<int64_t> possible;
  for (int64_t size = std::max(limits.min, int64_t{1});; ++size) {
    const bool is_aligned = size <= 32 || size % limits.alignment == 0;
    if (has(limits.forced, size) || (is_aligned && !has(limits.forbidden, size))) {
      possible.push_back(size);
      if (size >= max) return possible;
    }
  }
}

std::map<int64_t, double> ExpectedCalls(const SmallProblem& problem) {
  const std::vector<int64_t> possible = PossibleSizes(problem);
  const int64_t top = possible.back();
  std::vector<int64_t> sizes;
  for (const SizeCount& count : problem.calls.counts) {
    for (uint64_t call = 0; call < count.calls; ++call) {
      if (problem.limits.max == 0 || count.sizes[0] <= problem.limits.max) {
        sizes.push_back(count.sizes[0]);
      }
    }
  }
  const auto calls = static_cast<double>(sizes.size());
  // Sizes are served together at the next possible size.
  std::map<int64_t, int> calls_at;
  for (const int64_t size : sizes) ++calls_at[*std::ranges::lower_bound(possible, size)];
  const auto single = static_cast<double>(
      std::ranges::count(calls_at, 1, [](const auto& place) { return place.second; }));
  const double share =
      problem.mix_tail && top > 1 ? std::min(0.5 / std::sqrt(calls), single / calls) : 0;
  std::map<int64_t, double> expected;
  for (const int64_t size : sizes) expected[size] += 1 - share;
  if (share == 0) return expected;
  const int64_t median = std::clamp(sizes[sizes.size() / 2], int64_t{1}, top - 1);
  int64_t before = median;
  for (const int64_t size : possible) {
    if (size <= median) continue;
    expected[size] += share * calls *
                      std::log(static_cast<double>(size) / static_cast<double>(before)) /
                      std::log(static_cast<double>(top) / static_cast<double>(median));
    before = size;
  }
  return expected;
}

double DirectCost(const SmallProblem& problem, const std::map<int64_t, double>& expected,
                  const std::vector<int64_t>& buckets) {
  double sum = 0;
  for (const auto& [size, calls] : expected) {
    const int64_t bucket = *std::ranges::find_if(buckets, [&](int64_t b) { return b >= size; });
    sum += calls * problem.cost.Of(problem.calls.rows, bucket);
  }
  return sum;
}

std::map<size_t, double> LeastCosts(const SmallProblem& problem) {
  const std::vector<int64_t> possible = PossibleSizes(problem);
  const std::map<int64_t, double> expected = ExpectedCalls(problem);
  assert(possible.size() <= 16);
  std::map<size_t, double> least;
  std::vector<int64_t> buckets;
  for (size_t chosen = 0; chosen < size_t{1} << possible.size(); ++chosen) {
    buckets.clear();
    bool is_allowed = (chosen >> (possible.size() - 1)) == 1;
    for (size_t i = 0; i < possible.size(); ++i) {
      if ((chosen >> i) % 2 == 1) {
        buckets.push_back(possible[i]);
      } else if (std::ranges::count(problem.limits.forced, possible[i]) > 0) {
        is_allowed = false;
      }
    }
    if (!is_allowed) continue;
    const double cost = DirectCost(problem, expected, buckets);
    const auto [place, is_new] = least.emplace(buckets.size(), cost);
    if (!is_new) place->second = std::min(place->second, cost);
  }
  return least;
}

std::map<size_t, double> LeastCosts(const SizeLine& line) {
  const size_t stops = line.stops.size();
  assert(stops <= 16);
  std::map<size_t, double> least;
  for (size_t chosen = size_t{1} << (stops - 1); chosen < size_t{1} << stops; ++chosen) {
    bool is_allowed = true;
    size_t buckets = 0;
    double waiting = 0;
    double cost = 0;
    for (size_t i = 0; i < stops; ++i) {
      const SizeStop& stop = line.stops[i];
      waiting += stop.weight;
      if ((chosen >> i) % 2 == 1) {
        is_allowed = is_allowed && stop.may_end;
        cost += waiting * stop.cost;
        waiting = 0;
        ++buckets;
      } else if (stop.must_end) {
        is_allowed = false;
      }
    }
    if (!is_allowed) continue;
    const auto [place, is_new] = least.emplace(buckets, cost);
    if (!is_new) place->second = std::min(place->second, cost);
  }
  return least;
}

SizeLine RandomLine(std::mt19937_64& random, size_t stops, int range, bool is_whole,
                    bool is_monotone) {
  SizeLine line;
  line.stops.resize(stops);
  const auto number = [&] {
    const auto whole = static_cast<double>(Between(random, 0, range));
    return is_whole ? whole : whole + (static_cast<double>(Between(random, 0, 999)) / 1000);
  };
  const bool has_limits = OneIn(random, 2);
  double cost = number();
  for (size_t i = 0; i < stops; ++i) {
    SizeStop& stop = line.stops[i];
    stop.size = stop.bucket = static_cast<int64_t>(i) + 1;
    stop.weight = OneIn(random, 4) ? 0 : number();
    stop.must_end = has_limits && OneIn(random, 6);
    stop.may_end = stop.must_end || i + 1 == stops || !has_limits || !OneIn(random, 4);
    stop.cost = cost;
    if (is_monotone) {
      cost = OneIn(random, 4) ? cost : cost + number();
      // After a mandatory bucket, costs may start over.
      if (stop.must_end) cost = number();
      // Where no bucket may be, the cost means nothing.
      if (!stop.may_end) stop.cost = number();
    } else {
      cost = number();
    }
  }
  line.is_monotone = is_monotone;
  return line;
}

}  // namespace shapewise
