// Owns the texts and lists of rules that are read from files.

#ifndef SHAPEWISE_RULES_RULE_STORAGE_H_
#define SHAPEWISE_RULES_RULE_STORAGE_H_

#include <deque>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Allocator.h"
#include "rules/rule_file.h"

namespace shapewise {

/// Parsed rules are views into these files and documents, whose addresses do not change.
struct RuleStorage {
  std::deque<RuleFile> files;
  std::deque<nlohmann::json> documents;
  llvm::BumpPtrAllocator memory;

  /// A copy of `items` that lives as long as the storage.
  template <typename Item>
  std::span<const Item> Keep(llvm::ArrayRef<Item> items) {
    static_assert(std::is_trivially_destructible_v<Item>);
    const llvm::ArrayRef<Item> kept = items.copy(memory);
    return {kept.data(), kept.size()};
  }

  template <typename Item>
  std::span<const Item> Keep(const std::vector<Item>& items) {
    return Keep(llvm::ArrayRef<Item>(items));
  }

  std::string_view Keep(std::string_view text) {
    const std::span<const char> kept = Keep(llvm::ArrayRef<char>(text.data(), text.size()));
    return {kept.data(), kept.size()};
  }
};

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_RULE_STORAGE_H_
