#include "syntax/line_shapes.h"

namespace shapewise {
namespace {

/// Longer lines are tables and the like, of which there is no second one.
constexpr size_t kMaxKeptBytes = 512;
/// Some 60 MB. All of transformers has a tenth of it.
constexpr size_t kMaxKeptNodes = size_t{1} << 22;

}  // namespace

const SyntaxTree* LineShapes::Find(std::string_view line) {
  if (line.size() > kMaxKeptBytes) {
    return ParseSyntax(line, arena_, long_line_) ? &long_line_ : nullptr;
  }
  if (num_nodes_ > kMaxKeptNodes) {
    trees_.clear();
    num_nodes_ = 0;
  }
  const auto [entry, is_new] = trees_.try_emplace({line.data(), line.size()});
  SyntaxTree& tree = entry->second;
  if (is_new) {
    if (!ParseSyntax(line, arena_, tree)) {
      trees_.erase(entry);
      return nullptr;
    }
    tree.nodes.shrink_to_fit();
    num_nodes_ += tree.nodes.size();
  }
  return &tree;
}

}  // namespace shapewise
