#include "dynamo/code_cache.h"

#include <algorithm>
#include <utility>

namespace shapewise {

Truth CodeCache::LookUp(size_t region, uint32_t frame, uint32_t signature, const InputRow& row,
                        CallInputs& inputs, const CacheEntry*& found) {
  std::vector<const CacheEntry*>& order = regions_[region].order;
  Truth result = Truth::kFalse;
  for (auto entry = order.begin(); entry != order.end(); ++entry) {
    const Truth accepts = Accepts(**entry, frame, signature, row, inputs);
    if (accepts == Truth::kTrue) {
      found = *entry;
      std::rotate(order.begin(), entry, entry + 1);
      return accepts;
    }
    if (accepts == Truth::kUnknown) result = accepts;
  }
  return result;
}

const CacheEntry& CodeCache::Insert(size_t region, std::unique_ptr<CacheEntry> entry) {
  entry->Finish();
  std::vector<const CacheEntry*>& order = regions_[region].order;
  order.insert(order.begin(), entry.get());
  entries_.push_back(std::move(entry));
  return *order.front();
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
