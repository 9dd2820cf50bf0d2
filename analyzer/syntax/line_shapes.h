// Trees of lines, each shape of a line parsed once.

#ifndef SHAPEWISE_ANALYZER_SYNTAX_LINE_SHAPES_H_
#define SHAPEWISE_ANALYZER_SYNTAX_LINE_SHAPES_H_

#include <cstddef>
#include <string_view>

#include "llvm/ADT/StringMap.h"
#include "syntax/parse_arena.h"
#include "syntax/syntax_tree.h"

namespace shapewise {

/// UnitText leaves little that tells one line from another: most of a program are some thousand
/// shapes such as `xx = xx(xx, xx)`, again and again.
class LineShapes {
 public:
  explicit LineShapes(ParseArena& arena) : arena_(arena) {}

  /// The tree of `line`, which lives until the next call; null: tree-sitter has no memory for it.
  const SyntaxTree* Find(std::string_view line);

 private:
  ParseArena& arena_;
  llvm::StringMap<SyntaxTree> trees_;
  size_t num_nodes_ = 0;  ///< of all of them
  SyntaxTree long_line_;  ///< the last that was too long to be kept
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SYNTAX_LINE_SHAPES_H_
