// Speed of the exact bucket solvers, compared with a direct implementation of the recurrence.
// Prints a table; nothing is tested, because machines differ.
//
//   cmake --preset release -DSHAPEWISE_DEVELOPER=ON
//   cmake --build --preset release --target bench_buckets &&
//   build/release/tests/bench/bench_buckets

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "buckets/frontier.h"
#include "buckets/serving_plan.h"
#include "buckets/size_line.h"

namespace shapewise {
namespace {

/// Of this process: others on the machine do not count.
double CpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Seconds that `work` takes.
template <typename Work>
double SecondsOf(Work work) {
  const double begin = CpuSeconds();
  work();
  return CpuSeconds() - begin;
}

/// `distinct` sizes that each came, most often the ones around a thirtieth of the largest.
SizeHistogram MakeCalls(size_t distinct) {
  std::mt19937 random(1);
  SizeHistogram histogram;
  for (size_t i = 1; i <= distinct; ++i) {
    const double place = std::log(30.0 * static_cast<double>(i) / static_cast<double>(distinct));
    const double often = 1000 * std::exp(-place * place / 2) * static_cast<double>(random() % 100);
    histogram.counts.push_back(
        {.sizes = {static_cast<int64_t>(8 * i), 1, 1}, .calls = 1 + static_cast<uint64_t>(often)});
  }
  return histogram;
}

SizeLine MakeLine(const SizeHistogram& histogram, const CostModel& cost) {
  Expected<SizeLine> line = MakeSizeLine(histogram, cost, {}, true);
  if (!line) std::abort();
  return *line;
}

/// The least cost of exactly `buckets`, every pair of stops looked at in every layer.
double PlainCost(const SizeLine& line, size_t buckets) {
  const size_t columns = line.stops.size() + 1;
  std::vector<double> weight(columns, 0);
  for (size_t j = 1; j < columns; ++j) weight[j] = weight[j - 1] + line.stops[j - 1].weight;
  std::vector<double> before(columns, std::numeric_limits<double>::infinity());
  before[0] = 0;
  for (size_t layer = 0; layer < buckets; ++layer) {
    std::vector<double> after(columns, std::numeric_limits<double>::infinity());
    for (size_t j = 1; j < columns; ++j) {
      for (size_t i = 0; i < j; ++i) {
        const double cost = before[i] + ((weight[j] - weight[i]) * line.stops[j - 1].cost);
        if (cost < after[j]) after[j] = cost;
      }
    }
    before = std::move(after);
  }
  return before.back();
}

/// Seconds of the plain recurrence for one pair of stops in one layer.
double MeasurePlain(const CostModel& cost) {
  constexpr size_t kDistinct = 3000;
  constexpr size_t kBuckets = 16;
  const SizeLine line = MakeLine(MakeCalls(kDistinct), cost);
  const auto stops = static_cast<double>(line.stops.size());
  double plain_cost = 0;
  const double plain = SecondsOf([&] { plain_cost = PlainCost(line, kBuckets); });
  std::vector<BucketSet> frontier;
  const double ours = SecondsOf([&] { frontier = ExactFrontier(line, kBuckets); });
  std::printf("%8zu sizes, %2zu buckets  plain %8.4f s, ours %8.4f s, costs differ by %.0e\n",
              line.stops.size(), kBuckets, plain, ours,
              std::abs(plain_cost / frontier.back().cost - 1));
  return plain / (stops * stops / 2 * kBuckets);
}

std::vector<ServingMode> MakeModes(const SizeLine& line) {
  ServingMode bucket{.kind = ServingKind::kBucket, .price = 1e8};
  ServingMode dynamic{.kind = ServingKind::kDynamic, .price = 1e8};
  ServingMode range{.kind = ServingKind::kDynamicRange, .price = 1e8};
  for (const SizeStop& stop : line.stops) {
    bucket.cost.push_back(stop.cost);
    dynamic.cost.push_back(1.1 * stop.cost);
    range.cost.push_back(1.05 * stop.cost);
  }
  return {bucket, dynamic, range};
}

void Measure(size_t distinct, size_t buckets, const CostModel& cost, double plain_pair) {
  const SizeHistogram calls = MakeCalls(distinct);
  SizeLine line;
  const double make = SecondsOf([&] { line = MakeLine(calls, cost); });
  std::vector<BucketSet> frontier;
  const double exact = SecondsOf([&] { frontier = ExactFrontier(line, buckets); });
  const double price = frontier[buckets / 2].cost - frontier[(buckets / 2) + 1].cost;
  const double priced = SecondsOf([&] { BestAtPrice(line, price); });
  const double all_prices = SecondsOf([&] { PriceFrontier(line, buckets); });
  const std::vector<ServingMode> modes = MakeModes(line);
  const double served = SecondsOf([&] { BestServingPlan(line, modes, std::nullopt); });
  const auto stops = static_cast<double>(line.stops.size());
  const auto layers = static_cast<double>(buckets);
  std::printf(
      "%8zu sizes, %2zu buckets  line %.4f s, frontier %.4f s (%.1f ns a size and bucket, plain "
      "would take %.0f times that), a price %.4f s, all prices %.4f s, modes %.4f s\n",
      line.stops.size(), buckets, make, exact, exact * 1e9 / (stops * layers),
      plain_pair * stops * stops / 2 * layers / exact, priced, all_prices, served);
}

}  // namespace
}  // namespace shapewise

int main() {
  using shapewise::CostModel;
  for (const char* text : {"padding", "quadratic:0.001,1e-6,1e-10"}) {
    llvm::Expected<CostModel> cost = CostModel::Parse(text);
    if (!cost) return 1;
    std::printf("cost %s\n", text);
    const double plain_pair = shapewise::MeasurePlain(*cost);
    shapewise::Measure(14'000, 32, *cost, plain_pair);
    shapewise::Measure(100'000, 64, *cost, plain_pair);
    shapewise::Measure(1'000'000, 64, *cost, plain_pair);
  }
  return 0;
}
