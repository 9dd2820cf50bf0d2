// Lists of a tree while they grow, and when they are whole.

#ifndef SHAPEWISE_ANALYZER_SYNTAX_ARENA_LIST_H_
#define SHAPEWISE_ANALYZER_SYNTAX_ARENA_LIST_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Allocator.h"

namespace shapewise {

/// What was put on `stack` since it had `from` elements, taken off it and kept in `arena`.
template <typename Element>
llvm::ArrayRef<Element> TakeOff(std::vector<Element>& stack, size_t from,
                                llvm::BumpPtrAllocator& arena) {
  const size_t count = stack.size() - from;
  if (count == 0) return {};
  Element* copy = arena.Allocate<Element>(count);
  std::uninitialized_copy(stack.begin() + static_cast<std::ptrdiff_t>(from), stack.end(), copy);
  stack.resize(from);
  return {copy, count};
}

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SYNTAX_ARENA_LIST_H_
