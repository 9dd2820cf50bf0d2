#include "model/size_index.h"

#include <algorithm>

namespace shapewise {
namespace {

// Sizes of one dim below this are looked up without hashing, in at most 1 MiB of memory.
constexpr uint64_t kMaxDirect = uint64_t{1} << 18;

uint64_t HashOf(const Sizes& sizes) {
  uint64_t hash = 0;
  for (const int64_t size : sizes) {
    // An odd multiplier near 2^64 / golden ratio spreads neighbours over the whole word.
    hash = (hash ^ static_cast<uint64_t>(size)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

uint32_t SizeIndex::FindSlowly(const Sizes& sizes) {
  // At most half full, so that probing stays short.
  if (sizes_.size() * 2 >= table_.size()) Grow();
  const uint64_t mask = table_.size() - 1;
  uint64_t place = HashOf(sizes) & mask;
  while (table_[place] != kNone && sizes_[table_[place]] != sizes) place = (place + 1) & mask;
  if (table_[place] != kNone) return table_[place];
  const auto number = static_cast<uint32_t>(sizes_.size());
  table_[place] = number;
  sizes_.push_back(sizes);
  const auto first = static_cast<uint64_t>(sizes[0]);
  if (first < kMaxDirect && sizes[1] == 1 && sizes[2] == 1) {
    if (first >= direct_.size()) {
      direct_.resize(std::min(kMaxDirect, std::max<uint64_t>(first + 1, direct_.size() * 2)),
                     kNone);
    }
    direct_[first] = number;
  }
  return number;
}

void SizeIndex::Grow() {
  table_.assign(std::max<size_t>(64, table_.size() * 2), kNone);
  const uint64_t mask = table_.size() - 1;
  for (uint32_t number = 0; number < sizes_.size(); ++number) {
    uint64_t place = HashOf(sizes_[number]) & mask;
    while (table_[place] != kNone) place = (place + 1) & mask;
    table_[place] = number;
  }
}

}  // namespace shapewise
