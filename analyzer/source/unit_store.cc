#include "source/unit_store.h"

#include <algorithm>
#include <utility>

#include "llvm/ADT/Hashing.h"
#include "llvm/Support/xxhash.h"

namespace shapewise {
namespace {

bool IsSame(const StoredUnit& unit, std::string_view text, llvm::ArrayRef<FileSpan> ranges,
            size_t begin) {
  return unit.text == text && unit.ranges.size() == ranges.size() &&
         std::equal(ranges.begin(), ranges.end(), unit.ranges.begin(),
                    [&](const FileSpan& range, const FileSpan& own) {
                      return range.begin == own.begin + begin && range.end == own.end + begin;
                    });
}

}  // namespace

void UnitStore::Parse(std::string_view text, llvm::ArrayRef<FileSpan> ranges, Shard& shard,
                      StoredUnit& unit) {
  unit.parsed = ParseUnit(text, ranges, unit.is_freeable ? shard.freeable_arena : shard.arena);
  unit.has_tree.store(true, std::memory_order_release);
}

void UnitStore::FreeTrees() {
  for (Shard& shard : shards_) {
    for (StoredUnit& unit : shard.units) {
      if (!unit.is_freeable) continue;
      unit.has_tree.store(false, std::memory_order_relaxed);
      unit.parsed.body = {};
    }
    shard.freeable_arena.Reset();
  }
}

const StoredUnit& UnitStore::Get(Slot& slot, std::string_view text, llvm::ArrayRef<FileSpan> ranges,
                                 bool is_freeable) {
  const auto has_tree = [](const StoredUnit* unit) {
    return unit != nullptr && unit->has_tree.load(std::memory_order_acquire);
  };
  const StoredUnit* known = slot.load(std::memory_order_acquire);
  if (has_tree(known)) return *known;
  const size_t begin = ranges.empty() ? 0 : ranges.front().begin;
  const size_t end = ranges.empty() ? 0 : ranges.back().end;
  const std::string_view own = text.substr(begin, end - begin);
  uint64_t hash = llvm::xxHash64(llvm::StringRef(own.data(), own.size()));
  // DenseMap reserves the two highest numbers.
  hash >>= 1;
  Shard& shard = shards_[hash % shards_.size()];
  const std::lock_guard lock(shard.mutex);
  StoredUnit*& last = shard.by_hash[hash];
  for (StoredUnit* unit = last; unit != nullptr; unit = unit->next) {
    if (unit->is_freeable != is_freeable || !IsSame(*unit, own, ranges, begin)) continue;
    if (!has_tree(unit)) Parse(text, ranges, shard, *unit);
    slot.store(unit, std::memory_order_release);
    return *unit;
  }
  StoredUnit& unit = shard.units.emplace_back();
  unit.text = own;
  for (const FileSpan& range : ranges) {
    unit.ranges.push_back({range.begin - begin, range.end - begin});
  }
  unit.is_freeable = is_freeable;
  Parse(text, ranges, shard, unit);
  unit.next = std::exchange(last, &unit);
  slot.store(&unit, std::memory_order_release);
  return unit;
}

}  // namespace shapewise
