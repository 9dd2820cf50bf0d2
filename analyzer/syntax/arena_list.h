// A list in an arena, one pointer wide.

#ifndef SHAPEWISE_SYNTAX_ARENA_LIST_H_
#define SHAPEWISE_SYNTAX_ARENA_LIST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Allocator.h"

namespace shapewise {

/// Memory of trees. Many functions are small, and each has an arena of its own.
using TreeArena = llvm::BumpPtrAllocatorImpl<llvm::MallocAllocator, /*SlabSize=*/1024,
                                             /*SizeThreshold=*/1024, /*GrowthDelay=*/8>;

/// An immutable list whose size is stored next to its elements. Nodes of a tree have many lists,
/// most of them empty, so that their own size matters. Lives as long as its arena.
template <typename T>
class ArenaList {
 public:
  using value_type = T;

  ArenaList() = default;

  static ArenaList Copy(llvm::ArrayRef<T> from, TreeArena& arena) {
    ArenaList list;
    if (from.empty()) return list;
    auto* bytes = static_cast<char*>(arena.Allocate(kHead + from.size() * sizeof(T), kAlign));
    *reinterpret_cast<uint32_t*>(bytes) = static_cast<uint32_t>(from.size());
    T* first = reinterpret_cast<T*>(bytes + kHead);
    std::uninitialized_copy(from.begin(), from.end(), first);
    list.first_ = first;
    return list;
  }

  size_t size() const {
    if (first_ == nullptr) return 0;
    return *reinterpret_cast<const uint32_t*>(reinterpret_cast<const char*>(first_) - kHead);
  }
  bool empty() const { return first_ == nullptr; }
  const T* begin() const { return first_; }
  const T* end() const { return first_ + size(); }
  const T& operator[](size_t i) const { return first_[i]; }
  const T& front() const { return *first_; }
  const T& back() const { return first_[size() - 1]; }
  llvm::ArrayRef<T> drop_front() const { return llvm::ArrayRef<T>(*this).drop_front(); }
  llvm::ArrayRef<T> drop_back() const { return llvm::ArrayRef<T>(*this).drop_back(); }

  operator llvm::ArrayRef<T>() const { return {first_, size()}; }  // NOLINT: a view, as of a vector

 private:
  static constexpr size_t kAlign = std::max(alignof(T), alignof(uint32_t));
  static constexpr size_t kHead = kAlign;

  const T* first_ = nullptr;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SYNTAX_ARENA_LIST_H_
