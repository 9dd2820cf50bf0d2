// The names at one point in the execution of a function.

#ifndef SHAPEWISE_SOURCE_SCOPE_H_
#define SHAPEWISE_SOURCE_SCOPE_H_

#include <cstdint>
#include <string_view>
#include <utility>

#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/ImmutableMap.h"
#include "source/value.h"
#include "source/value_store.h"

namespace shapewise {

/// Orders variables by the number of their name.
struct ScopeEntryInfo : llvm::ImutKeyValueInfo<uint32_t, Value> {
  static bool isDataEqual(const Value& a, const Value& b) { return a == b; }
  // Only used when equal maps are uniqued, which these are not.
  static void Profile(llvm::FoldingSetNodeID& id, const std::pair<uint32_t, Value>& entry) {
    id.AddInteger(entry.first);
  }
};

/// Shared by the scopes of one analysis: memory, and numbers of names. Outlives them.
struct ScopeMemory {
  StringPool pool;
  PlacedStrings names{pool};
  llvm::ImmutableMap<uint32_t, Value, ScopeEntryInfo>::Factory maps{/*canonicalize=*/false};
};

/// The names in one run of a function and their values at one point. A copy shares its data with
/// the original, so that copying at every branch of a long function is cheap.
class Scope {
 public:
  /// The kind of a name.
  enum class Of : uint8_t {
    kFunction,  ///< a variable
    kSelf,      ///< an attribute of self, stored in this run
  };

  explicit Scope(ScopeMemory& memory) : memory_(&memory), values_(memory.maps.getEmptyMap()) {}

  /// The number of a name in all scopes of the analysis.
  StrId IdOf(std::string_view name) const { return memory_->names.Intern(name); }

  /// Valid until the scope changes; null: there is no such name.
  const Value* Find(std::string_view name, Of of = Of::kFunction) const {
    return values_.lookup(KeyOf(name, of));
  }

  void Set(std::string_view name, const Value& value, Of of = Of::kFunction) {
    SetAt(KeyOf(name, of), value);
  }

  void Forget(std::string_view name) {
    values_ = memory_->maps.remove(values_, KeyOf(name, Of::kFunction));
  }

  /// The union of this and `other`: `join(a, b)` if a name has different values, else its value in
  /// the scope that contains it. Takes time proportional to the differences.
  template <typename Join>
  void JoinWith(const Scope& other, Join join) {
    const Scope ours = *this;
    ForEachDifference(ours, other, [&](uint32_t key, const Value* a, const Value* b) {
      if (b != nullptr) SetAt(key, a != nullptr ? join(*a, *b) : *b);
      return true;
    });
  }

  /// A hash of the names and their values.
  size_t Hash() const {
    size_t hash = 0;
    for (const auto& [key, value] : values_) hash = MixHash(MixHash(hash, key), HashOf(value));
    return hash;
  }

  friend bool operator==(const Scope& a, const Scope& b) {
    return ForEachDifference(a, b, [](uint32_t, const Value*, const Value*) { return false; });
  }

 private:
  using Map = llvm::ImmutableMap<uint32_t, Value, ScopeEntryInfo>;

  uint32_t KeyOf(std::string_view name, Of of) const {
    return static_cast<uint32_t>(memory_->names.Intern(name)) << 1 | static_cast<uint32_t>(of);
  }

  void SetAt(uint32_t key, const Value& value) {
    const Value* held = values_.lookup(key);
    if (held == nullptr || !(*held == value)) values_ = memory_->maps.add(values_, key, value);
  }

  /// Calls `see(key, a's value, b's value)` for names with different values, until it returns
  /// false; returns false in that case.
  template <typename See>
  static bool ForEachDifference(const Scope& a, const Scope& b, See see) {
    using Tree = Map::TreeTy;
    const auto begin = [](const Scope& scope) {
      const Tree* root = scope.values_.getRootWithoutRetain();
      return root != nullptr ? root->begin() : Tree::iterator();
    };
    auto left = begin(a);
    auto right = begin(b);
    const Tree::iterator end;
    while (left != end || right != end) {
      if (left != end && right != end && &*left == &*right) {
        // Both share the subtree.
        left.skipSubTree();
        right.skipSubTree();
        continue;
      }
      const bool takes_left =
          left != end && (right == end || left->getValue().first <= right->getValue().first);
      const bool takes_right =
          right != end && (left == end || right->getValue().first <= left->getValue().first);
      const uint32_t key = takes_left ? left->getValue().first : right->getValue().first;
      const Value* of_left = takes_left ? &left->getValue().second : nullptr;
      const Value* of_right = takes_right ? &right->getValue().second : nullptr;
      const bool is_same = takes_left && takes_right && *of_left == *of_right;
      if (!is_same && !see(key, of_left, of_right)) return false;
      if (takes_left) ++left;
      if (takes_right) ++right;
    }
    return true;
  }

  ScopeMemory* memory_;
  Map values_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_SCOPE_H_
