// Holds the solvers of buckets against every set of buckets, on small lines of sizes. The law: no
// set of any number of buckets costs less than the solver's, at no price either.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>

#include "buckets/frontier.h"
#include "unit/buckets/every_set.h"

namespace shapewise {
namespace {

bool IsSameCost(double left, double right) {
  return std::abs(left - right) <= 1e-9 * std::max(1.0, std::abs(right));
}

/// Three bytes a stop, at most ten: how many calls, what one costs, whether a bucket may be here.
SizeLine LineOf(const uint8_t* data, size_t size) {
  SizeLine line;
  for (size_t at = 0; at + 3 <= size && line.stops.size() < 10; at += 3) {
    SizeStop& stop = line.stops.emplace_back();
    stop.size = stop.bucket = static_cast<int64_t>(line.stops.size());
    stop.weight = data[at];
    stop.cost = static_cast<double>(data[at + 1]) / 4;
    stop.may_end = data[at + 2] % 8 != 0;
    stop.must_end = stop.may_end && data[at + 2] % 8 == 1;
  }
  if (line.stops.empty()) return line;
  line.stops.back().may_end = true;
  // As MakeSizeLine tells it: costs rise but behind what must end.
  const SizeStop* before = nullptr;
  for (const SizeStop& stop : line.stops) {
    if (!stop.may_end) continue;
    if (before != nullptr && !before->must_end && stop.cost < before->cost) {
      line.is_monotone = false;
    }
    before = &stop;
  }
  return line;
}

}  // namespace
}  // namespace shapewise

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 4) return 0;
  const double price = static_cast<double>(data[0]);
  const shapewise::SizeLine line = shapewise::LineOf(data + 1, size - 1);
  const std::map<size_t, double> least = shapewise::LeastCosts(line);
  const size_t fewest = least.begin()->first;
  const size_t most = least.rbegin()->first;
  const std::vector<shapewise::BucketSet> frontier = shapewise::ExactFrontier(line, most);
  if (frontier.size() != most + 1 - fewest) std::abort();
  double at_most = least.begin()->second;
  double at_price = at_most + price * static_cast<double>(fewest);
  for (size_t i = 0; i < frontier.size(); ++i) {
    const auto known = least.find(fewest + i);
    if (known != least.end()) {
      at_most = std::min(at_most, known->second);
      at_price = std::min(at_price, known->second + price * static_cast<double>(fewest + i));
    }
    if (!shapewise::IsSameCost(frontier[i].cost, at_most)) std::abort();
  }
  const shapewise::BucketSet best = shapewise::BestAtPrice(line, price);
  const double total = best.cost + price * static_cast<double>(best.sizes.size());
  if (!shapewise::IsSameCost(total, at_price)) std::abort();
  return 0;
}
