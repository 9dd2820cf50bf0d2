#include "buckets/allowed_sizes.h"

#include <algorithm>
#include <string>

namespace shapewise {
namespace {

void SortUnique(std::vector<int64_t>& sizes) {
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
}

Error CheckRange(const char* what, int64_t value, int64_t least) {
  if (value >= least && value <= kMaxSize) return Error::success();
  return MakeError(std::string(what) + " has to be " + std::to_string(least) + " to " +
                   std::to_string(kMaxSize) + ", not " + std::to_string(value));
}

/// Checks each number by itself.
Error CheckNumbers(const BucketLimits& limits) {
  if (Error error = CheckRange("the alignment", limits.alignment, 1)) return error;
  if (Error error = CheckRange("the smallest bucket", limits.min, 0)) return error;
  if (Error error = CheckRange("the largest size to serve", limits.max, 0)) return error;
  for (const int64_t size : limits.forced) {
    if (Error error = CheckRange("a forced size", size, 1)) return error;
  }
  for (const int64_t size : limits.forbidden) {
    if (Error error = CheckRange("a forbidden size", size, 1)) return error;
  }
  if (limits.max > 0 && limits.min > limits.max) {
    return MakeError("no bucket may be below " + std::to_string(limits.min) +
                     ", but the largest size to serve is " + std::to_string(limits.max));
  }
  return Error::success();
}

}  // namespace

int64_t AlignedSize(int64_t size, const BucketLimits& limits) {
  const int64_t least = std::max({size, limits.min, int64_t{1}});
  if (least <= kEverySizeTo) return least;
  const int64_t alignment = std::max(limits.alignment, int64_t{1});
  return (least + alignment - 1) / alignment * alignment;
}

Expected<AllowedSizes> AllowedSizes::Make(const BucketLimits& limits, int64_t largest) {
  if (Error error = CheckNumbers(limits)) return error;
  AllowedSizes allowed(limits);
  std::vector<int64_t>& forced = allowed.limits_.forced;
  SortUnique(forced);
  SortUnique(allowed.limits_.forbidden);
  for (const int64_t size : forced) {
    if (allowed.IsForbidden(size)) {
      return MakeError("size " + std::to_string(size) + " is both forced and forbidden");
    }
    if (size < limits.min) {
      return MakeError("size " + std::to_string(size) + " is forced, but no bucket may be below " +
                       std::to_string(limits.min));
    }
  }
  // Without a declared maximum, a larger forced size is the maximum.
  if (limits.max == 0) {
    allowed.limits_.max = std::max(largest, forced.empty() ? int64_t{1} : forced.back());
  }
  allowed.top_ = allowed.AtLeast(allowed.max());
  if (!forced.empty() && forced.back() > allowed.top_) {
    return MakeError("size " + std::to_string(forced.back()) +
                     " is forced, but the largest size to serve is " +
                     std::to_string(allowed.max()));
  }
  return allowed;
}

bool AllowedSizes::IsForced(int64_t size) const {
  return std::ranges::binary_search(limits_.forced, size);
}

bool AllowedSizes::IsForbidden(int64_t size) const {
  return std::ranges::binary_search(limits_.forbidden, size);
}

int64_t AllowedSizes::AtLeast(int64_t size) const {
  int64_t found = AlignedSize(size, limits_);
  while (IsForbidden(found)) found = AlignedSize(found + 1, limits_);
  const auto forced = std::ranges::lower_bound(limits_.forced, size);
  return forced == limits_.forced.end() ? found : std::min(found, *forced);
}

std::optional<int64_t> AllowedSizes::AtMost(int64_t size) const {
  // Multiples of the alignment, and every size below the first of them beyond kEverySizeTo.
  const auto aligned = [this](int64_t at) {
    if (at <= kEverySizeTo) return at;
    return std::max(at / limits_.alignment * limits_.alignment, std::min(at, kEverySizeTo));
  };
  int64_t found = aligned(size);
  while (IsForbidden(found)) found = aligned(found - 1);
  const auto forced = std::ranges::upper_bound(limits_.forced, size);
  if (forced != limits_.forced.begin()) found = std::max(found, *std::prev(forced));
  if (found < std::max(limits_.min, int64_t{1})) return std::nullopt;
  return found;
}

}  // namespace shapewise
