#include "buckets/outcomes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "buckets/serving_plan.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

std::string SizesText(const Sizes& sizes, size_t dims) {
  std::string text;
  for (size_t dim = 0; dim < dims; ++dim) {
    text += (dim > 0 ? " x " : "") + std::to_string(sizes[dim]);
  }
  return text;
}

double Share(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// The total cost of the calls with sizes number `first` to `end` (exclusive) in a mode without
/// padding.
double SumOf(const CallTable& table, const ServingTerms& terms, ServingKind kind, size_t first,
             size_t end) {
  double sum = 0;
  for (size_t i = first; i < end; ++i) {
    const SizeCount& size = table.calls().counts[i];
    sum += static_cast<double>(size.calls) * terms.CallCost(kind, size.sizes);
  }
  return sum;
}

/// The cost of one call at each stop in `kind`: the mean of its calls.
std::vector<double> CostsAtStops(const CallTable& table, const SizeLine& line,
                                 const ServingTerms& terms, ServingKind kind) {
  std::vector<double> costs;
  costs.reserve(line.stops.size());
  size_t first = 0;
  for (const SizeStop& stop : line.stops) {
    if (kind == ServingKind::kBucket) {
      costs.push_back(stop.cost);
      continue;
    }
    const size_t end = table.FirstAbove(stop.size);
    if (kind == ServingKind::kCaptured || first == end) {
      costs.push_back(terms.CallCost(kind, Sizes{stop.size, 1, 1}));
    } else {
      costs.push_back(SumOf(table, terms, kind, first, end) /
                      static_cast<double>(table.CallsBefore(end) - table.CallsBefore(first)));
    }
    first = end;
  }
  return costs;
}

/// The modes that a mix may combine; costs are scaled to all expected calls.
std::vector<ServingMode> ModesOf(const CallTable& table, const SizeLine& line,
                                 const ServingTerms& terms, double scale) {
  std::vector<ServingMode> modes;
  for (const ServingKind kind :
       {ServingKind::kBucket, ServingKind::kDynamic, ServingKind::kAlignedDynamic,
        ServingKind::kCaptured, ServingKind::kEager}) {
    if (!terms.Knows(kind)) continue;
    ServingMode mode;
    mode.kind = kind;
    mode.cost = CostsAtStops(table, line, terms, kind);
    for (double& cost : mode.cost) cost *= scale;
    switch (kind) {
      case ServingKind::kBucket:
        mode.price = terms.BucketPrice();
        break;
      case ServingKind::kCaptured:
        mode.price = terms.CapturePrice();
        mode.base_price = terms.DynamicPrice();
        break;
      case ServingKind::kDynamic:
      case ServingKind::kAlignedDynamic:
        mode.price = terms.DynamicPrice();
        break;
      case ServingKind::kDynamicRange:
      case ServingKind::kEager:
        break;
    }
    modes.push_back(std::move(mode));
  }
  return modes;
}

/// "5 buckets and one dynamic graph".
std::string MixName(size_t buckets, size_t captures, bool has_dynamic, bool has_aligned,
                    bool has_eager) {
  std::vector<std::string> parts;
  if (buckets > 0) parts.push_back(Counted(buckets, "bucket"));
  if (captures > 0) {
    parts.push_back("a dynamic graph captured at " + Counted(captures, "size"));
  }
  if (has_dynamic) parts.emplace_back("one dynamic graph");
  if (has_aligned) parts.emplace_back("one dynamic graph of aligned sizes");
  if (has_eager) parts.emplace_back("eager");
  std::string name;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) name += i + 1 == parts.size() ? " and " : ", ";
    name += parts[i];
  }
  return name;
}

/// Records that `way` is best from `calls` on. Small increases in buckets are ignored: a set is
/// reported when it has grown by half.
void AddPoint(double calls, const ServingWay& way, std::vector<BreakEven>& points) {
  const auto from = static_cast<uint64_t>(calls);
  // Lines that cross between two whole numbers of calls: keep the last one.
  if (!points.empty() && points.back().from_calls == from) points.pop_back();
  if (!points.empty() && way.buckets > 1 && points.back().buckets > 1 &&
      way.buckets * 2 < points.back().buckets * 3) {
    return;
  }
  points.push_back({from, way.name, way.buckets, way.Seconds(calls) / calls});
}

/// Ways within this relative time are equally fast, however well costs are known.
constexpr double kAsFast = 0.01;

}  // namespace

double ServingWay::SecondsWithin(double calls, double noise) const {
  return Seconds(calls) + std::max(kAsFast * Seconds(calls), noise * call * calls);
}

ServingWay BucketWay(const std::vector<Sizes>& buckets, const SetScore& score, size_t dims,
                     const ServingTerms& terms) {
  ServingWay way;
  way.buckets = buckets.size();
  way.compiles = buckets.size();
  way.mode = buckets.size() == 1 ? BucketMode::kStatic : BucketMode::kBuckets;
  way.name = buckets.size() == 1 ? "padded to " + SizesText(buckets.front(), dims)
                                 : Counted(buckets.size(), "bucket");
  way.call = Share(score.cost, static_cast<double>(score.calls));
  way.overhead = score.Overhead();
  way.prices = terms.BucketPrice() * static_cast<double>(buckets.size());
  return way;
}

std::vector<ServingWay> PlainWays(const CallTable& table, const ServingTerms& terms,
                                  int64_t alignment) {
  std::vector<ServingWay> ways;
  const auto calls = static_cast<double>(table.calls().calls);
  const auto add = [&](ServingKind kind, std::string name, size_t compiles) {
    if (!terms.Knows(kind)) return;
    ServingWay way;
    way.kind = kind;
    way.mode = BucketMode::kDynamic;
    way.name = std::move(name);
    way.compiles = compiles;
    const double sum = SumOf(table, terms, kind, 0, table.calls().counts.size());
    way.call = Share(sum, calls);
    way.overhead = table.Ideal() > 0 ? (sum / table.Ideal()) - 1 : 0;
    way.prices = static_cast<double>(compiles) * terms.DynamicPrice();
    way.is_assumed = terms.IsAssumed(kind);
    ways.push_back(std::move(way));
  };
  add(ServingKind::kDynamic, "one dynamic graph", 1);
  add(ServingKind::kAlignedDynamic,
      "one dynamic graph, sizes padded to multiples of " + std::to_string(alignment), 1);
  add(ServingKind::kEager, "eager", 0);
  return ways;
}

MixedWay BestMix(const CallTable& table, const SizeLine& line, const ServingTerms& terms,
                 double steps, std::optional<size_t> max_graphs) {
  const auto calls = static_cast<double>(table.calls().calls);
  const std::vector<ServingMode> modes = ModesOf(table, line, terms, steps / calls);
  const ServingPlan plan = BestServingPlan(line, modes, max_graphs, terms.GraphsInMemory());
  MixedWay mix;
  mix.way.mode = BucketMode::kMixed;
  mix.way.prices = plan.prices;
  size_t captures = 0;
  bool has_dynamic = false;
  bool has_aligned = false;
  bool has_eager = false;
  double cost = 0;
  size_t first = 0;
  int64_t from = 1;
  for (const ServedRange& range : plan.ranges) {
    const SizeStop& stop = line.stops[range.last];
    const size_t end = table.FirstAbove(stop.size);
    int64_t bucket = 0;
    if (range.kind == ServingKind::kBucket) bucket = stop.bucket;
    if (range.kind == ServingKind::kCaptured) bucket = stop.size;
    mix.served.push_back({range.kind, from, bucket > 0 ? bucket : stop.size});
    mix.way.buckets += range.kind == ServingKind::kBucket ? 1 : 0;
    captures += range.kind == ServingKind::kCaptured ? 1 : 0;
    has_dynamic |= range.kind == ServingKind::kDynamic;
    has_aligned |= range.kind == ServingKind::kAlignedDynamic;
    has_eager |= range.kind == ServingKind::kEager;
    cost += bucket > 0 ? static_cast<double>(table.CallsBefore(end) - table.CallsBefore(first)) *
                             terms.CallCost(range.kind, Sizes{bucket, 1, 1})
                       : SumOf(table, terms, range.kind, first, end);
    from = stop.size + 1;
    first = end;
  }
  mix.way.compiles =
      mix.way.buckets + (has_dynamic || captures > 0 ? 1 : 0) + (has_aligned ? 1 : 0);
  mix.way.name = MixName(mix.way.buckets, captures, has_dynamic, has_aligned, has_eager);
  mix.way.call = Share(cost, calls);
  mix.way.overhead = table.Ideal() > 0 ? (cost / table.Ideal()) - 1 : 0;
  mix.way.is_assumed = has_dynamic && terms.IsAssumed(ServingKind::kDynamic);
  return mix;
}

bool IsRealMix(const MixedWay& mix) {
  return mix.served.size() > 1 && mix.served.size() > mix.way.buckets &&
         !BucketsOf(mix.served).empty();
}

std::vector<Sizes> BucketsOf(const std::vector<ServedSizes>& served) {
  std::vector<Sizes> buckets;
  for (const ServedSizes& span : served) {
    if (IsPaddedKind(span.kind)) buckets.push_back(Sizes{span.last, 1, 1});
  }
  return buckets;
}

SetScore ScoreMix(const CallTable& table, const std::vector<ServedSizes>& served,
                  const ServingTerms& terms, int64_t alignment) {
  SetScore score;
  size_t first = 0;
  for (size_t number = 0; number < served.size(); ++number) {
    const ServedSizes& span = served[number];
    const size_t end = table.FirstAbove(LastServed(served, number));
    uint64_t in_span = 0;
    for (size_t i = first; i < end; ++i) {
      const SizeCount& size = table.calls().counts[i];
      const auto calls = static_cast<double>(size.calls);
      Sizes padded = size.sizes;
      if (IsPaddedKind(span.kind)) padded[0] = span.last;
      if (span.kind == ServingKind::kAlignedDynamic) {
        padded[0] = (padded[0] + alignment - 1) / alignment * alignment;
      }
      in_span += size.calls;
      score.real += size.real;
      score.padded += calls * table.ElementsOf(padded);
      score.cost += calls * terms.CallCost(span.kind, padded);
      score.ideal += calls * table.IdealOf(i);
    }
    score.calls += in_span;
    if (IsPaddedKind(span.kind)) score.calls_a_bucket.push_back(in_span);
    first = end;
  }
  score.out_of_range = table.calls().calls - score.calls;
  return score;
}

std::vector<BreakEven> BreakEvens(const std::vector<ServingWay>& ways) {
  constexpr double kFirst = 1e2;
  constexpr double kLast = 1e9;
  std::vector<BreakEven> points;
  if (ways.empty()) return points;
  const auto is_before = [](const ServingWay& a, const ServingWay& b, double calls) {
    const double left = a.Seconds(calls);
    const double right = b.Seconds(calls);
    return left != right ? left < right : a.call < b.call;
  };
  const ServingWay* best = &ways.front();
  for (const ServingWay& way : ways) {
    if (is_before(way, *best, kFirst)) best = &way;
  }
  double calls = kFirst;
  while (true) {
    // A crossing at a whole number of calls may be computed slightly above it.
    AddPoint(std::ceil(calls * (1 - 1e-9)), *best, points);
    const ServingWay* next = nullptr;
    double at = kLast;
    for (const ServingWay& way : ways) {
      if (way.call >= best->call) continue;
      const double crossing = (way.prices - best->prices) / (best->call - way.call);
      if (crossing < at || (next != nullptr && crossing == at && way.call < next->call)) {
        next = &way;
        at = crossing;
      }
    }
    if (next == nullptr) return points;
    best = next;
    calls = std::max(calls, at);
  }
}

}  // namespace shapewise
