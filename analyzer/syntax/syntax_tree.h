// Trees of tree-sitter as one array of nodes.

#ifndef SHAPEWISE_ANALYZER_SYNTAX_SYNTAX_TREE_H_
#define SHAPEWISE_ANALYZER_SYNTAX_SYNTAX_TREE_H_

#include <tree_sitter/api.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "syntax/parse_arena.h"

namespace shapewise {

/// A node that tree-sitter shows, named or not.
struct SyntaxNode {
  uint32_t begin = 0;  ///< bytes of the text that was parsed
  uint32_t end = 0;
  uint32_t after = 0;  ///< the index behind its last descendant
  TSSymbol symbol = 0;
  bool is_missing = false;
};

/// The nodes of a tree, each before its children; the first is the root.
struct SyntaxTree {
  std::vector<SyntaxNode> nodes;
  bool has_errors = false;
};

/// Parses `source`. What tree-sitter needs for it is taken from `arena` and given back. False: that
/// was more than there is.
bool ParseSyntax(std::string_view source, ParseArena& arena, SyntaxTree& tree);

/// Walks a tree.
class SyntaxCursor {
 public:
  /// To the root of `tree`.
  void Enter(const SyntaxTree& tree) {
    nodes_ = tree.nodes.data();
    at_ = 0;
    parents_.clear();
  }

  const SyntaxNode& node() const { return nodes_[at_]; }

  bool ToFirstChild() {
    if (at_ + 1 >= nodes_[at_].after) return false;
    parents_.push_back(at_++);
    return true;
  }

  bool ToNextSibling() {
    const uint32_t next = nodes_[at_].after;
    if (parents_.empty() || next >= nodes_[parents_.back()].after) return false;
    at_ = next;
    return true;
  }

  void ToParent() { at_ = parents_.pop_back_val(); }

 private:
  const SyntaxNode* nodes_ = nullptr;
  uint32_t at_ = 0;
  llvm::SmallVector<uint32_t, 32> parents_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SYNTAX_SYNTAX_TREE_H_
