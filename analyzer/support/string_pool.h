// Stores each distinct text once, independent of the input that it was read from.

#ifndef SHAPEWISE_SUPPORT_STRING_POOL_H_
#define SHAPEWISE_SUPPORT_STRING_POOL_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"

namespace shapewise {

/// Identifies a text in a StringPool. Equal ids mean equal texts.
enum class StrId : uint32_t {
  kNone = 0,  ///< no text: absent, or empty
};

/// Texts by id. Memory grows with the distinct texts, not with the calls. Not thread-safe.
class StringPool {
 public:
  StringPool() { texts_.emplace_back(); }
  StringPool(const StringPool&) = delete;
  StringPool& operator=(const StringPool&) = delete;

  /// The id of `text`, which is copied if new. The empty text is StrId::kNone.
  StrId Intern(std::string_view text) {
    if (text.empty()) return StrId::kNone;
    const auto [entry, is_new] = ids_.try_emplace(llvm::StringRef(text.data(), text.size()),
                                                  static_cast<StrId>(texts_.size()));
    // The map never moves its keys, so the view stays valid.
    if (is_new) texts_.emplace_back(entry->first().data(), entry->first().size());
    return entry->second;
  }

  /// Makes the empty pool equal to `other`, including ids.
  void CopyFrom(const StringPool& other) {
    for (size_t id = 1; id < other.texts_.size(); ++id) Intern(other.texts_[id]);
  }

  /// The text of `id`; empty for kNone. The view lives as long as the pool.
  std::string_view text(StrId id) const { return texts_[static_cast<size_t>(id)]; }

 private:
  llvm::StringMap<StrId, llvm::BumpPtrAllocator> ids_;
  std::vector<std::string_view> texts_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_STRING_POOL_H_
