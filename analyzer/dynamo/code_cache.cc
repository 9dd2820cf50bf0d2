#include "dynamo/code_cache.h"

#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace shapewise {

Truth CodeCache::LookUp(size_t region, uint32_t frame, uint32_t signature, const InputRow& row,
                        CallInputs& inputs, const CacheEntry*& found) {
  llvm::SmallVector<KeptEntry*, 8> asked;
  for (const auto& [places, by_values] : regions_[region].by_places) {
    const BroughtValues brought = ValuesAt(places, row);
    if (brought.can_serve == Truth::kUnknown) {
      for (const auto& [values, entries] : by_values) llvm::append_range(asked, entries);
    } else if (brought.can_serve == Truth::kTrue) {
      const auto entries = by_values.find(brought.hash);
      if (entries != by_values.end()) llvm::append_range(asked, entries->second);
    }
  }
  llvm::sort(asked,
             [](const KeptEntry* a, const KeptEntry* b) { return a->last_front > b->last_front; });
  Truth result = Truth::kFalse;
  for (KeptEntry* const kept : asked) {
    const Truth accepts = Accepts(*kept->entry, frame, signature, row, inputs);
    if (accepts == Truth::kTrue) {
      kept->last_front = ++moves_;
      found = kept->entry.get();
      return accepts;
    }
    if (accepts == Truth::kUnknown) result = accepts;
  }
  return result;
}

const CacheEntry& CodeCache::Insert(size_t region, std::unique_ptr<CacheEntry> entry) {
  entry->Finish();
  KeptEntry& kept = entries_.emplace_back(std::move(entry), ++moves_);
  Region& own = regions_[region];
  own.by_places[kept.entry->demanded_places][kept.entry->demanded_values].push_back(&kept);
  ++own.entries;
  return *kept.entry;
}

const char* CodeCache::PassLimit(size_t region, const CompilePolicy& policy) {
  const int64_t earlier_attempts = attempts_++;
  const auto entries = static_cast<int64_t>(entries_.size());
  if (entries >= policy.accumulated_recompile_limit) return "accumulated_recompile_limit";
  const auto own = policy.isolated_limits.find(static_cast<uint16_t>(region));
  const bool is_own = policy.isolate_recompiles && own != policy.isolated_limits.end();
  const int64_t limit = is_own ? own->second : policy.recompile_limit;
  if (static_cast<int64_t>(EntriesIn(region)) >= limit) return "recompile_limit";
  if (earlier_attempts >= policy.accumulated_recompile_limit) return "accumulated_recompile_limit";
  return nullptr;
}

}  // namespace shapewise
