#include "buckets/active_cost.h"
#include "support/source_dir.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace shapewise {
namespace {

using CostFunction = std::function<double(int64_t)>;

SizeHistogram HistogramOf(const std::map<int64_t, uint64_t>& counts) {
  SizeHistogram histogram;
  for (const auto& [size, calls] : counts) {
    SizeCount& count = histogram.counts.emplace_back();
    count.sizes[0] = size;
    count.calls = calls;
    histogram.calls += calls;
  }
  return histogram;
}

/// Lengths of a heavy-tailed stream: about 500 sizes that may be buckets.
SizeHistogram SyntheticLengths(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> length(6, 0.8);
  std::map<int64_t, uint64_t> counts;
  constexpr int kCalls = 20000;
  for (int i = 0; i < kCalls; ++i) {
    ++counts[std::clamp<int64_t>(std::llround(length(random)), 1, 4096)];
  }
  return HistogramOf(counts);
}

/// The first column of a table of lengths, or a histogram of them; empty if it is not there.
SizeHistogram ReadLengths(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::map<int64_t, uint64_t> counts;
  std::getline(file, line);
  const bool is_histogram = line.find("count") != std::string::npos;
  while (std::getline(file, line)) {
    const size_t comma = line.find(',');
    if (comma == std::string::npos) continue;
    const int64_t size = std::stoll(line.substr(0, comma));
    if (size > 0) counts[size] += is_histogram ? std::stoull(line.substr(comma + 1)) : 1;
  }
  return HistogramOf(counts);
}

SizeLine LineOf(const SizeHistogram& histogram) {
  Expected<SizeLine> line = MakeSizeLine(histogram, CostModel(), BucketLimits(), true);
  REQUIRE(static_cast<bool>(line));
  return std::move(*line);
}

/// What a plan costs with the costs of `cost`.
double CostOf(const SizeLine& line, const std::vector<int64_t>& sizes, const CostFunction& cost) {
  double sum = 0;
  for (const SizeStop& stop : line.stops) {
    const auto bucket = std::ranges::lower_bound(sizes, stop.size);
    REQUIRE(bucket != sizes.end());
    sum += stop.weight * cost(*bucket);
  }
  return sum;
}

/// What the best plan of at most `buckets` costs, with every size measured.
double LeastCost(SizeLine line, size_t buckets, const CostFunction& cost) {
  double behind = std::numeric_limits<double>::infinity();
  for (size_t i = line.stops.size(); i-- > 0;) {
    behind = std::min(behind, cost(line.stops[i].size));
    line.stops[i].cost = behind;
  }
  line.is_monotone = true;
  double least = std::numeric_limits<double>::infinity();
  for (const BucketSet& set : ExactFrontier(line, buckets)) least = std::min(least, set.cost);
  return least;
}

ActiveCost Run(const SizeLine& line, const ActiveCostOptions& options, const CostFunction& cost) {
  Expected<ActiveCost> active = ActiveCost::Make(line, options);
  REQUIRE(static_cast<bool>(active));
  size_t asked = 0;
  while (const std::optional<int64_t> size = active->NextSize()) {
    REQUIRE(++asked <= options.measurements);
    active->Add(*size, cost(*size));
  }
  return std::move(*active);
}

const std::map<std::string, CostFunction>& CostFunctions() {
  static const std::map<std::string, CostFunction> functions = {
      {"linear", [](int64_t n) { return 1e-4 + 1e-6 * static_cast<double>(n); }},
      {"quadratic",
       [](int64_t n) {
         const auto x = static_cast<double>(n);
         return 1e-4 + 1e-6 * x + 1e-10 * x * x;
       }},
      {"tiles of 128",
       [](int64_t n) {
         const auto x = static_cast<double>(n);
         return 1e-4 + 1.28e-4 * std::ceil(x / 128) + 1e-10 * x * x;
       }},
      {"cliff",
       [](int64_t n) { return (n > 1024 ? 2 : 1) * (1e-4 + 1e-6 * static_cast<double>(n)); }},
  };
  return functions;
}

}  // namespace

TEST_CASE("25 measurements give a plan within 2 % of the plan with every size measured") {
  const SizeLine line = LineOf(SyntheticLengths(5));
  REQUIRE(line.stops.size() > 400);
  for (const auto& [name, cost] : CostFunctions()) {
    for (const size_t buckets : {4, 8, 16}) {
      ActiveCostOptions options;
      options.max_buckets = buckets;
      const ActiveCost active = Run(line, options, cost);
      CAPTURE(name, buckets);
      CHECK(active.measurements() <= 25);
      CHECK(active.plan().sizes.size() <= buckets);
      const double regret =
          CostOf(line, active.plan().sizes, cost) / LeastCost(line, buckets, cost) - 1;
      CHECK(regret <= 0.02);
      CHECK(regret <= active.gap() + 1e-9);
    }
  }
}

TEST_CASE("noise of 2 % does not lead it astray") {
  const SizeLine line = LineOf(SyntheticLengths(6));
  for (const auto& [name, cost] : CostFunctions()) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> error(-0.02, 0.02);
    ActiveCostOptions options;
    options.noise = 0.021;
    const ActiveCost active =
        Run(line, options, [&](int64_t size) { return cost(size) * (1 + error(random)); });
    const double regret = CostOf(line, active.plan().sizes, cost) / LeastCost(line, 8, cost) - 1;
    CAPTURE(name);
    CHECK(regret <= 0.02);
    CHECK(regret <= active.gap() + 1e-9);
  }
}

TEST_CASE("lengths of real traces need no more measurements") {
  const std::filesystem::path folder =
      std::filesystem::path(SourceDir()) / ".." / "shared" / "data" / "lengths";
  for (const char* name :
       {"azure_code.csv", "squad11_384.hist.csv", "wikipedia_bert512.hist.csv"}) {
    const SizeHistogram lengths = ReadLengths(folder / name);
    if (lengths.counts.empty()) continue;  // only where that data lies
    const SizeLine line = LineOf(lengths);
    for (const auto& [function, cost] : CostFunctions()) {
      const ActiveCost active = Run(line, ActiveCostOptions(), cost);
      const double regret = CostOf(line, active.plan().sizes, cost) / LeastCost(line, 8, cost) - 1;
      CAPTURE(name, function);
      CHECK(regret <= 0.02);
    }
  }
}

TEST_CASE("the estimated gap is never less than the true one if its assumptions hold") {
  std::mt19937_64 random(11);
  const auto upto = [&](size_t most) {
    return std::uniform_int_distribution<size_t>(0, most)(random);
  };
  size_t reached = 0;
  for (int round = 0; round < 2000; ++round) {
    SizeLine line;
    std::map<int64_t, double> costs;
    double cost = 1 + static_cast<double>(upto(5));
    const size_t count = 1 + upto(9);
    for (size_t i = 0; i < count; ++i) {
      SizeStop& stop = line.stops.emplace_back();
      stop.size = static_cast<int64_t>(i + 1) * 8;
      stop.bucket = stop.size;
      stop.weight = static_cast<double>(upto(9));
      stop.may_end = i + 1 == count || upto(4) > 0;
      cost += upto(2) == 0 ? 0 : static_cast<double>(upto(20)) / 4;
      costs[stop.size] = cost;
    }
    ActiveCostOptions options;
    options.max_buckets = 1 + upto(3);
    options.price = upto(1) == 0 ? 0 : static_cast<double>(upto(20)) / 2;
    options.gap = 0.05;
    options.noise = upto(1) == 0 ? 0 : 0.05;
    options.measurements = 2 + upto(8);
    // Measurements are off by the allowed noise, at most.
    std::uniform_real_distribution<double> error(-options.noise / 2, options.noise / 2);
    const ActiveCost active =
        Run(line, options, [&](int64_t size) { return costs.at(size) * (1 + error(random)); });
    if (active.plan().sizes.empty()) continue;  // fewer measurements than ends
    // Every set of buckets.
    double least = std::numeric_limits<double>::infinity();
    for (size_t set = 0; set < size_t{1} << (count - 1); ++set) {
      std::vector<int64_t> sizes;
      bool is_allowed = true;
      for (size_t i = 0; i < count; ++i) {
        if (i + 1 < count && ((set >> i) & 1) == 0) continue;
        is_allowed = is_allowed && line.stops[i].may_end;
        sizes.push_back(line.stops[i].size);
      }
      if (!is_allowed || sizes.size() > options.max_buckets) continue;
      const double whole = CostOf(line, sizes, [&](int64_t size) { return costs.at(size); }) +
                           options.price * static_cast<double>(sizes.size());
      least = std::min(least, whole);
    }
    if (least <= 0) continue;  // no call
    const std::vector<int64_t>& sizes = active.plan().sizes;
    const double own = CostOf(line, sizes, [&](int64_t size) { return costs.at(size); }) +
                       options.price * static_cast<double>(sizes.size());
    CAPTURE(round, count, options.max_buckets, options.price, options.noise);
    CHECK(own <= least * (1 + active.gap()) + 1e-9);
    if (active.ending() == ActiveCost::Ending::kGap) ++reached;
  }
  CHECK(reached > 500);  // the bound is of use
}

TEST_CASE("costs that fall are noticed, and the cheaper size behind is planned with") {
  SizeLine line;
  for (const int64_t size : {8, 16, 24, 32}) {
    SizeStop& stop = line.stops.emplace_back();
    stop.size = stop.bucket = size;
    stop.weight = 1;
  }
  ActiveCostOptions options;
  options.max_buckets = 3;
  options.gap = 0;
  options.noise = 0;
  const std::map<int64_t, double> costs = {{8, 1}, {16, 9}, {24, 3}, {32, 4}};
  const ActiveCost active = Run(line, options, [&](int64_t size) { return costs.at(size); });
  CHECK_FALSE(active.is_monotone());
  CHECK(active.plan().sizes == std::vector<int64_t>{8, 24, 32});
  CHECK(active.plan().cost == Approx(1 + 3 + 3 + 4));
}

TEST_CASE("nothing more is measured once the gap is below what measured costs are off by") {
  const SizeLine line = LineOf(SyntheticLengths(5));
  const CostFunction& cost = CostFunctions().at("linear");
  const auto run = [&](double spread) {
    ActiveCostOptions options;
    options.gap = 0;
    options.measurements = 60;
    Expected<ActiveCost> active = ActiveCost::Make(line, options);
    REQUIRE(static_cast<bool>(active));
    while (const std::optional<int64_t> size = active->NextSize()) {
      active->Add(*size, cost(*size), spread);
    }
    return std::move(*active);
  };
  const ActiveCost exact = run(0);
  CHECK(exact.ending() != ActiveCost::Ending::kNoise);
  const ActiveCost noisy = run(0.3);
  CHECK(noisy.ending() == ActiveCost::Ending::kNoise);
  CHECK(noisy.gap() <= (1.3 * 1.3 * 1.3) - 1);
  CHECK(noisy.measurements() < exact.measurements());
}

TEST_CASE("a size that cannot be run is no bucket, but for the largest, which has to be") {
  SizeLine line;
  for (const int64_t size : {8, 16, 24}) {
    SizeStop& stop = line.stops.emplace_back();
    stop.size = stop.bucket = size;
    stop.weight = 1;
  }
  ActiveCostOptions options;
  options.gap = 0;
  Expected<ActiveCost> active = ActiveCost::Make(line, options);
  REQUIRE(static_cast<bool>(active));
  REQUIRE(active->NextSize() == std::optional<int64_t>(24));
  CHECK(llvm::toString(active->Refuse(24)).find("24 cannot be run") != std::string::npos);
  active->Add(24, 3);
  REQUIRE(active->NextSize() == std::optional<int64_t>(8));
  REQUIRE_FALSE(static_cast<bool>(active->Refuse(8)));
  while (const std::optional<int64_t> size = active->NextSize()) {
    CHECK(*size == 16);
    active->Add(*size, 2);
  }
  CHECK(active->plan().sizes == std::vector<int64_t>{16, 24});
}

}  // namespace shapewise
