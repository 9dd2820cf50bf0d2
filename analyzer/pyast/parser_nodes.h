// Creates nodes; internal to the parser.

#ifndef SHAPEWISE_PYAST_PARSER_NODES_H_
#define SHAPEWISE_PYAST_PARSER_NODES_H_

#include <algorithm>
#include <memory>
#include <type_traits>

#include "llvm/Support/SaveAndRestore.h"
#include "pyast/parser.h"

namespace shapewise::pyast {

/// Computes the height of the tree below a node.
struct HeightVisitor {
  uint16_t height = 0;

  void Add(const Node* node) {
    if (node != nullptr) height = std::max<uint16_t>(height, node->height + 1);
  }
  template <typename T>
  void operator()(const char* /*name*/, const T& field) {
    if constexpr (std::is_pointer_v<T>) {
      Add(field);
    } else if constexpr (requires { Add(*field.begin()); }) {
      for (const Node* node : field) Add(node);
    }
  }
};

template <typename T, typename... Fields>
T* Parser::Make(uint32_t begin, Fields... fields) {
  using Parent = typename T::Parent;
  const Node head{T::kKind, 0, {std::min(begin, last_end_), last_end_}};
  T* const node = new (arena_.Allocate<T>()) T{Parent{head}, fields...};
  HeightVisitor visitor;
  VisitFields(*node, visitor);
  node->height = visitor.height;
  if (visitor.height > kMaxHeight) Fail("nested too deeply");
  return node;
}

template <typename List>
auto Parser::Copy(const List& list) {
  using T = std::remove_cvref_t<decltype(list[0])>;
  if (list.empty()) return llvm::ArrayRef<T>();
  T* const copy = arena_.Allocate<T>(list.size());
  std::uninitialized_copy(list.begin(), list.end(), copy);
  return llvm::ArrayRef<T>(copy, list.size());
}

/// Runs `read`; if it fails, restores the position and drops its faults.
template <typename Read>
bool Parser::Attempt(Read&& read) {
  const bool was_trying = std::exchange(is_trying_, true);
  const size_t begin = at_;
  const uint32_t last_end = last_end_;
  const int depth = depth_;
  const bool is_read = read() && !has_failed_;
  is_trying_ = was_trying;
  if (is_read) return true;
  has_failed_ = false;
  at_ = begin;
  tok_ = tokens_[at_];
  last_end_ = last_end;
  depth_ = depth;
  return false;
}

/// Maximum nesting of unbracketed operators, lambdas, conditional expressions and blocks together.
inline constexpr int kMaxDepth = 1200;

}  // namespace shapewise::pyast

#endif  // SHAPEWISE_PYAST_PARSER_NODES_H_
