#include "buckets/size_ladder.h"

#include <algorithm>

namespace shapewise {

uint64_t SizeLadder::Count() const {
  uint64_t count = 0;
  for (const SizeStretch& stretch : stretches) {
    count += static_cast<uint64_t>((stretch.last - stretch.first) / stretch.step) + 1;
  }
  return count;
}

std::optional<int64_t> SizeLadder::AtLeast(int64_t size) const {
  const auto found = std::ranges::lower_bound(stretches, size, {}, &SizeStretch::last);
  if (found == stretches.end()) return std::nullopt;
  if (size <= found->first) return found->first;
  const int64_t steps = (size - found->first + found->step - 1) / found->step;
  return found->first + (steps * found->step);
}

std::vector<SizeStretch> StretchesOf(const std::vector<int64_t>& sizes) {
  std::vector<SizeStretch> stretches;
  stretches.reserve(sizes.size());
  for (const int64_t size : sizes) stretches.push_back({size, 1, size});
  return stretches;
}

}  // namespace shapewise
