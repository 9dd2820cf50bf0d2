// The optimiser over modes against every plan of thousands of small problems.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "buckets/serving_plan.h"
#include "every_set.h"

namespace shapewise {
namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();

bool IsPadded(ServingKind kind) {
  return kind == ServingKind::kBucket || kind == ServingKind::kCaptured;
}

bool IsCounted(ServingKind kind) { return IsPadded(kind) || kind == ServingKind::kDynamicRange; }

const ServingMode* Find(const std::vector<ServingMode>& modes, ServingKind kind) {
  const auto found = std::ranges::find(modes, kind, &ServingMode::kind);
  return found == modes.end() ? nullptr : &*found;
}

/// What the definition says of a plan; infinity if it is not allowed.
double TotalOf(const SizeLine& line, const std::vector<ServingMode>& modes,
               const std::vector<ServedRange>& ranges) {
  const bool has_padded =
      std::ranges::any_of(modes, [](const ServingMode& mode) { return IsPadded(mode.kind); });
  std::map<ServingKind, size_t> used;
  double total = 0;
  for (const ServedRange& range : ranges) {
    const ServingMode& mode = *Find(modes, range.kind);
    for (size_t stop = range.first; stop <= range.last; ++stop) {
      const bool ends_padded = stop == range.last && IsPadded(mode.kind);
      if (has_padded && line.stops[stop].must_end && !ends_padded) return kImpossible;
      const double cost = mode.cost[IsPadded(mode.kind) ? range.last : stop];
      if (cost == kImpossible) return kImpossible;
      total += line.stops[stop].weight * cost;
    }
    const SizeStop& last = line.stops[range.last];
    if (IsPadded(mode.kind) && !last.may_end) return kImpossible;
    if (++used[mode.kind] == 1 || IsCounted(mode.kind)) total += mode.price;
  }
  const ServingMode* captured = Find(modes, ServingKind::kCaptured);
  const ServingMode* dynamic = Find(modes, ServingKind::kDynamic);
  if (used.contains(ServingKind::kCaptured) && !used.contains(ServingKind::kDynamic)) {
    // The dynamic graph is one that captures may belong to as well.
    total +=
        dynamic != nullptr ? std::min(captured->base_price, dynamic->price) : captured->base_price;
  }
  return total;
}

size_t CountOf(const std::vector<ServedRange>& ranges) {
  return static_cast<size_t>(std::ranges::count_if(
      ranges, [](const ServedRange& range) { return IsCounted(range.kind); }));
}

/// The same with the graphs that ranges share; eager needs none.
size_t CountWithShared(const std::vector<ServedRange>& ranges) {
  std::set<ServingKind> used;
  for (const ServedRange& range : ranges) used.insert(range.kind);
  const bool has_dynamic =
      used.contains(ServingKind::kDynamic) || used.contains(ServingKind::kCaptured);
  return CountOf(ranges) + (has_dynamic ? 1 : 0) + used.count(ServingKind::kAlignedDynamic);
}

/// The least totals of all plans, by the number of graphs: `own` without shared ones, `all` with
/// them.
struct LeastTotals {
  std::vector<double> own;
  std::vector<double> all;
};

/// Adds the plans that go on from `ranges`.
void TryAll(const SizeLine& line, const std::vector<ServingMode>& modes,
            std::vector<ServedRange>& ranges, LeastTotals& least) {
  const size_t first = ranges.empty() ? 0 : ranges.back().last + 1;
  if (first == line.stops.size()) {
    const double total = TotalOf(line, modes, ranges);
    double& own = least.own[CountOf(ranges)];
    double& all = least.all[CountWithShared(ranges)];
    own = std::min(own, total);
    all = std::min(all, total);
    return;
  }
  for (const ServingMode& mode : modes) {
    for (size_t last = first; last < line.stops.size(); ++last) {
      ranges.push_back({.kind = mode.kind, .first = first, .last = last});
      TryAll(line, modes, ranges, least);
      ranges.pop_back();
      if (!IsCounted(mode.kind)) break;  // longer ones are the same as several of one stop
    }
  }
}

std::vector<ServingMode> RandomModes(std::mt19937_64& random, const SizeLine& line, int range) {
  const auto number = [&] {
    return static_cast<double>(random() % static_cast<uint64_t>(range)) / 4;
  };
  std::vector<ServingMode> modes;
  for (int kind = 0; kind <= static_cast<int>(ServingKind::kEager); ++kind) {
    if (random() % 3 == 0) continue;
    ServingMode mode;
    mode.kind = static_cast<ServingKind>(kind);
    mode.price = mode.kind == ServingKind::kEager ? 0 : number();
    if (mode.kind == ServingKind::kCaptured) mode.base_price = number();
    const bool is_rising = random() % 3 > 0;
    const bool is_partial = random() % 4 == 0;
    double cost = number();
    for (size_t stop = 0; stop < line.stops.size(); ++stop) {
      mode.cost.push_back(is_partial && random() % 4 == 0 ? kImpossible : cost);
      cost = is_rising ? cost + (number() / 4) : number();
    }
    modes.push_back(mode);
  }
  return modes;
}

void CheckPlan(const SizeLine& line, const std::vector<ServingMode>& modes,
               std::optional<size_t> max_graphs, std::optional<size_t> max_total, double least) {
  const ServingPlan plan = BestServingPlan(line, modes, max_graphs, max_total);
  if (least == kImpossible) {
    CHECK(plan.ranges.empty());
    CHECK(plan.Total() == kImpossible);
    return;
  }
  CHECK(std::abs(plan.Total() - least) <= 1e-12 * least);
  REQUIRE_FALSE(plan.ranges.empty());
  CHECK(std::abs(TotalOf(line, modes, plan.ranges) - least) <= 1e-12 * least);
  if (max_graphs) CHECK(CountOf(plan.ranges) <= *max_graphs);
  if (max_total) CHECK(CountWithShared(plan.ranges) <= *max_total);
  size_t first = 0;
  for (size_t i = 0; i < plan.ranges.size(); ++i) {
    CHECK(plan.ranges[i].first == first);
    first = plan.ranges[i].last + 1;
    const bool is_as_before = i > 0 && plan.ranges[i].kind == plan.ranges[i - 1].kind;
    CHECK((IsCounted(plan.ranges[i].kind) || !is_as_before));
  }
  CHECK(first == line.stops.size());
}

TEST_CASE("No plan over modes is better than the optimiser's, for any number of graphs",
          "[buckets]") {
  std::mt19937_64 random(11);
  for (int instance = 0; instance < 6000; ++instance) {
    INFO("instance " << instance);
    const int range = instance % 2 == 0 ? 6 : 1000;
    const SizeLine line = RandomLine(random, 1 + (random() % 5), range, instance % 4 < 2, true);
    const std::vector<ServingMode> modes = RandomModes(random, line, range);
    LeastTotals least;
    least.own.resize(line.stops.size() + 1, kImpossible);
    least.all.resize(line.stops.size() + 3, kImpossible);
    std::vector<ServedRange> ranges;
    TryAll(line, modes, ranges, least);
    CheckPlan(line, modes, {}, {}, *std::ranges::min_element(least.own));
    double so_far = kImpossible;
    for (size_t graphs = 0; graphs < least.own.size(); ++graphs) {
      so_far = std::min(so_far, least.own[graphs]);
      CheckPlan(line, modes, graphs, {}, so_far);
    }
    so_far = kImpossible;
    for (size_t graphs = 0; graphs < least.all.size(); ++graphs) {
      so_far = std::min(so_far, least.all[graphs]);
      CheckPlan(line, modes, {}, graphs, so_far);
    }
  }
}

}  // namespace
}  // namespace shapewise
