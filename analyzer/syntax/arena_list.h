// Parts of trees in an arena: texts, nodes and lists, one of which may take the place of another.

#ifndef SHAPEWISE_SYNTAX_ARENA_LIST_H_
#define SHAPEWISE_SYNTAX_ARENA_LIST_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Allocator.h"

namespace shapewise {

/// Memory of trees. Many functions are small, and each has an arena of its own.
using TreeArena = llvm::BumpPtrAllocatorImpl<llvm::MallocAllocator, /*SlabSize=*/512,
                                             /*SizeThreshold=*/512, /*GrowthDelay=*/4>;

/// A view of a text of less than 4 GiB, in 12 bytes.
class ArenaText {
 public:
  ArenaText() = default;
  explicit ArenaText(std::string_view text) : size_(static_cast<uint32_t>(text.size())) {
    const char* data = text.data();
    std::memcpy(data_, static_cast<const void*>(&data), sizeof(data));
  }

  operator std::string_view() const { return {data(), size_}; }  // NOLINT: a view
  const char* data() const {
    const char* data = nullptr;
    std::memcpy(static_cast<void*>(&data), data_, sizeof(data));
    return data;
  }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  char front() const { return *data(); }
  char back() const { return data()[size_ - 1]; }
  size_t find(auto what) const { return std::string_view(*this).find(what); }
  std::string_view substr(size_t begin, size_t size = std::string_view::npos) const {
    return std::string_view(*this).substr(begin, size);
  }

  friend bool operator==(const ArenaText& a, std::string_view b) {
    return std::string_view(a) == b;
  }
  friend bool operator==(const ArenaText& a, const ArenaText& b) {
    return a == std::string_view(b);
  }

 private:
  uint32_t size_ = 0;
  uint32_t data_[2] = {};  ///< a pointer, which would need 8 bytes for its alignment
};

// Parts of a node that share a place have different tags, in the lowest bits of a pointer: the part
// with the tag is there, and the others are null or empty.
inline constexpr uintptr_t kTagBits = 7;

/// A pointer to a node, or null.
template <typename T, uintptr_t kTag = 0>
class ArenaNode {
 public:
  ArenaNode() = default;
  ArenaNode(std::nullptr_t) : bits_(0) {}  // NOLINT: a pointer
  explicit ArenaNode(const T* node)
      : bits_(node != nullptr ? reinterpret_cast<uintptr_t>(node) | kTag : 0) {}

  ArenaNode& operator=(const T* node) {
    *this = ArenaNode(node);
    return *this;
  }
  operator const T*() const {  // NOLINT: a pointer
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the tag has to come off
    return (bits_ & kTagBits) == kTag ? reinterpret_cast<const T*>(bits_ - kTag) : nullptr;
  }
  const T* operator->() const { return *this; }

 private:
  uintptr_t bits_;  // without an initializer, so that it can be part of a union
};

/// An immutable list whose size is stored next to its elements. Nodes of a tree have many lists,
/// most of them empty, so that their own size matters. Lives as long as its arena.
template <typename T, uintptr_t kTag = 1>
class ArenaList {
 public:
  using value_type = T;

  ArenaList() = default;
  template <uintptr_t kOther>
  ArenaList(const ArenaList<T, kOther>& other)  // NOLINT: the same list
      : bits_(other.empty() ? 0 : reinterpret_cast<uintptr_t>(other.begin()) | kTag) {}

  static ArenaList Copy(llvm::ArrayRef<T> from, TreeArena& arena) {
    static_assert(kTag >= 1 && kTag <= kTagBits);
    ArenaList list{};
    if (from.empty()) return list;
    auto* bytes = static_cast<char*>(arena.Allocate(kHead + from.size() * sizeof(T), kAlign));
    *reinterpret_cast<uint32_t*>(bytes) = static_cast<uint32_t>(from.size());
    T* first = reinterpret_cast<T*>(bytes + kHead);
    std::uninitialized_copy(from.begin(), from.end(), first);
    list.bits_ = reinterpret_cast<uintptr_t>(first) | kTag;
    return list;
  }

  size_t size() const {
    if (empty()) return 0;
    return *reinterpret_cast<const uint32_t*>(reinterpret_cast<const char*>(begin()) - kHead);
  }
  bool empty() const { return (bits_ & kTagBits) != kTag; }
  const T* begin() const {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the tag has to come off
    return empty() ? nullptr : reinterpret_cast<const T*>(bits_ - kTag);
  }
  const T* end() const { return begin() + size(); }
  const T& operator[](size_t i) const { return begin()[i]; }
  const T& front() const { return *begin(); }
  const T& back() const { return begin()[size() - 1]; }
  llvm::ArrayRef<T> drop_front() const { return llvm::ArrayRef<T>(*this).drop_front(); }
  llvm::ArrayRef<T> drop_back() const { return llvm::ArrayRef<T>(*this).drop_back(); }

  // NOLINTNEXTLINE: a view, as of a vector
  operator llvm::ArrayRef<T>() const { return {begin(), size()}; }

 private:
  static constexpr size_t kAlign = kTagBits + 1;
  static constexpr size_t kHead = kAlign;

  uintptr_t bits_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SYNTAX_ARENA_LIST_H_
