// The code cache of one code object: its entries, its limits, and whether it is compiled at all.

#ifndef SHAPEWISE_DYNAMO_CODE_CACHE_H_
#define SHAPEWISE_DYNAMO_CODE_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "dynamo/call_inputs.h"
#include "dynamo/entry.h"
#include "model/compile_policy.h"
#include "symbolic/interval.h"

namespace shapewise {

/// How a code object is handled in one isolation region.
enum class FrameStrategy : uint8_t {
  kDefault,  ///< looked up, compiled on a miss
  kRunOnly,  ///< looked up, never compiled again: it hit a limit
  kSkip,     ///< always run uncompiled: a compile found nothing to compile
};

class CodeCache {
 public:
  /// `regions`: isolated ones, each with entries of its own; the code outside of them counts as one
  /// more.
  explicit CodeCache(size_t regions) : regions_(regions) {}

  FrameStrategy strategy(size_t region) const { return regions_[region].strategy; }
  void SetStrategy(size_t region, FrameStrategy strategy) { regions_[region].strategy = strategy; }

  /// Whether an entry serves the call; kUnknown: one may, but none does for certain. `found`: the
  /// first such entry in cache order; it moves to the front.
  Truth LookUp(size_t region, uint32_t frame, uint32_t signature, const InputRow& row,
               CallInputs& inputs, const CacheEntry*& found);
  const CacheEntry& Insert(size_t region, std::unique_ptr<CacheEntry> entry);

  /// All entries, in the order in which they were made.
  size_t size() const { return entries_.size(); }
  const CacheEntry& entry(size_t index) const { return *entries_[index].entry; }

  size_t EntriesIn(size_t region) const { return regions_[region].entries; }
  /// The name of the limit that one more compile would exceed; null: none. Counts the attempt.
  const char* PassLimit(size_t region, const CompilePolicy& policy);

 private:
  struct KeptEntry {
    std::unique_ptr<CacheEntry> entry;
    uint64_t last_front = 0;  ///< when it was moved to the front; the most recent is checked first
  };
  /// Entries by the hash of the values that they require.
  using EntriesByValues = std::unordered_map<size_t, std::vector<KeptEntry*>>;
  struct Region {
    /// By the places where they require values: only entries that require the values of a call are
    /// checked.
    std::map<std::vector<DemandedPlace>, EntriesByValues> by_places;
    size_t entries = 0;
    FrameStrategy strategy = FrameStrategy::kDefault;
  };
  std::vector<Region> regions_;
  std::deque<KeptEntry> entries_;
  uint64_t moves_ = 0;  ///< moves to the front, of any entry
  int64_t attempts_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_CODE_CACHE_H_
