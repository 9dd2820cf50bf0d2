// The statements of a unit, put together of its lines.

#ifndef SHAPEWISE_ANALYZER_SYNTAX_BLOCK_READER_H_
#define SHAPEWISE_ANALYZER_SYNTAX_BLOCK_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Allocator.h"
#include "shapewise/syntax/python_ast.h"
#include "syntax/line_shapes.h"
#include "syntax/tree_builder.h"
#include "syntax/unit_text.h"

namespace shapewise {

/// Reads blocks by the levels of lines, so that tree-sitter sees single lines only, whose trees are
/// known by their shapes. Gives up where it meets what it does not know: faults, `match`, a clause
/// on one line with what it holds. The whole unit has to be parsed then.
class BlockReader {
 public:
  /// `unit` has no faults.
  BlockReader(const UnitText& unit, LineShapes& shapes, TreeBuilder& builder,
              llvm::BumpPtrAllocator& arena)
      : unit_(unit), shapes_(shapes), builder_(builder), arena_(arena) {}

  /// The statements of the unit; absent: it gave up.
  std::optional<llvm::ArrayRef<const Stmt*>> Read();

 private:
  const UnitText::Line& line() const { return unit_.lines()[at_]; }
  bool IsAt(uint32_t level) const { return at_ < unit_.lines().size() && line().level == level; }
  /// The line without its blanks.
  std::string_view Content() const {
    return std::string_view(unit_.text()).substr(line().begin, line().end - line().begin);
  }
  /// Whether the next line of this level begins with `word`.
  bool IsAtClause(uint32_t level, std::string_view word) const;

  // Each of these returns false, or null, to give up.
  bool ReadBlock(llvm::ArrayRef<const Stmt*>& block);
  /// The block that the line before, of `level`, opened.
  bool ReadBody(uint32_t level, llvm::ArrayRef<const Stmt*>& body);
  bool ReadStatement(uint32_t level);
  bool ReadLine();
  bool ReadDefinition(uint32_t level);
  bool ReadCompound(uint32_t level);
  bool ReadElse(uint32_t level, Stmt& made);
  bool ReadElifs(uint32_t level, Stmt& made);
  bool ReadHandlers(uint32_t level, Stmt& made);
  /// Parses the `size` bytes of the unit's text from `begin` on with `before` and `behind` around.
  const SyntaxTree* Parse(std::string_view before, uint32_t begin, size_t size,
                          std::string_view behind);
  /// The head of the compound statement at this line; takes the line.
  Stmt* ReadHead();
  void EndAtLast(ByteSpan& span, uint32_t begin) const;

  const UnitText& unit_;
  LineShapes& shapes_;
  TreeBuilder& builder_;
  llvm::BumpPtrAllocator& arena_;
  size_t at_ = 0;      ///< the line that is next
  uint32_t last_ = 0;  ///< in the unit's text, where the last statement ends
  uint32_t depth_ = 0;
  std::string text_;  ///< what is parsed
  std::vector<const Stmt*> stmts_;
  std::vector<Branch> branches_;
  std::vector<const Expr*> decorators_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SYNTAX_BLOCK_READER_H_
