// The code cache of one code object: its entries, its limits, and whether it is compiled at all.

#ifndef SHAPEWISE_DYNAMO_CODE_CACHE_H_
#define SHAPEWISE_DYNAMO_CODE_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dynamo/call_inputs.h"
#include "dynamo/entry.h"
#include "shapewise/model/compile_policy.h"
#include "shapewise/symbolic/facts.h"

namespace shapewise {

/// What is done with a code object in one isolation region.
enum class FrameStrategy : uint8_t {
  kDefault,  ///< looked up, compiled on a miss
  kRunOnly,  ///< looked up, never compiled again: it hit a limit
  kSkip,     ///< run as it is, for ever: a compile found nothing to compile
};

class CodeCache {
 public:
  /// `regions`: isolated ones, each with entries of its own; the same code outside of them: 1.
  explicit CodeCache(size_t regions) : regions_(regions) {}

  FrameStrategy strategy(size_t region) const { return regions_[region].strategy; }
  void SetStrategy(size_t region, FrameStrategy strategy) { regions_[region].strategy = strategy; }

  /// Whether an entry serves the call; kUnknown: one may, and none does for certain. `found`: the
  /// entry that was asked first of those that do; it moves to the front.
  Truth LookUp(size_t region, uint32_t frame, uint32_t signature, const InputRow& row,
               CallInputs& inputs, const CacheEntry*& found);
  const CacheEntry& Insert(size_t region, std::unique_ptr<CacheEntry> entry);

  size_t EntriesIn(size_t region) const { return regions_[region].order.size(); }
  /// The limit that one more compile would pass: its name; null: none. Counts the attempt.
  const char* PassLimit(size_t region, const CompilePolicy& policy);

 private:
  struct Region {
    std::vector<const CacheEntry*> order;  ///< the front is asked first
    FrameStrategy strategy = FrameStrategy::kDefault;
  };
  std::vector<Region> regions_;
  std::vector<std::unique_ptr<CacheEntry>> entries_;
  int64_t attempts_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_CODE_CACHE_H_
