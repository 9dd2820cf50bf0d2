// Parsed units of a project, each text parsed once.

#ifndef SHAPEWISE_SOURCE_UNIT_STORE_H_
#define SHAPEWISE_SOURCE_UNIT_STORE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string_view>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include "syntax/parse_unit.h"

namespace shapewise {

/// One parsed unit, shared by all places with the same text.
struct StoredUnit {
  std::string_view text;                  ///< from the first range to the last
  llvm::SmallVector<FileSpan, 1> ranges;  ///< relative to the start of `text`
  ParsedUnit parsed;
  bool is_freeable = false;
  std::atomic<bool> has_tree = false;
  StoredUnit* next = nullptr;  ///< with the same hash
};

/// Thread-safe, except for FreeTrees: units are distributed over shards by their text, and a shard
/// has its own lock and memory.
class UnitStore {
 public:
  using Slot = std::atomic<const StoredUnit*>;

  /// The unit of `ranges` in `text`; parses it unless `slot` or a unit of equal text contains it.
  /// FreeTrees frees the trees of freeable units; all others live as long as the store.
  const StoredUnit& Get(Slot& slot, std::string_view text, llvm::ArrayRef<FileSpan> ranges,
                        bool is_freeable = false);

  /// Frees the trees of all freeable units. Get parses them again.
  void FreeTrees();

 private:
  struct Shard {
    std::mutex mutex;
    TreeArena arena;           ///< of trees that stay
    TreeArena freeable_arena;  ///< of the others
    std::deque<StoredUnit> units;
    llvm::DenseMap<uint64_t, StoredUnit*> by_hash;  ///< the last one
  };

  /// Parses `unit`, whose ranges are `ranges` of `text`. The shard is locked.
  void Parse(std::string_view text, llvm::ArrayRef<FileSpan> ranges, Shard& shard,
             StoredUnit& unit);

  std::array<Shard, 32> shards_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_UNIT_STORE_H_
