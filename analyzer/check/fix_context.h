// What a fix may look at: a fact, where it stands, and the text around it.

#ifndef SHAPEWISE_CHECK_FIX_CONTEXT_H_
#define SHAPEWISE_CHECK_FIX_CONTEXT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/file_view.h"
#include "check/tree_walk.h"
#include "shapewise/check/fixes.h"

namespace shapewise {

/// How a statement shares its lines with others.
enum class Placement : uint8_t {
  kOwnLines,    ///< nothing but a comment beside it
  kAfterColon,  ///< the only one behind the colon of `if x: statement`
  kShared,      ///< semicolons, or other things beside it
};

class FixContext {
 public:
  FixContext(const FileView& file, const Fact& fact, const FixUnit& unit);

  const FileView& file() const { return file_; }
  const Fact& fact() const { return fact_; }
  const FixUnit& unit() const { return unit_; }

  /// Whether the fact's statement, and its expression where it has one, were found in the tree.
  bool is_found() const { return !statements_.empty(); }
  /// The innermost statement of the fact.
  const Stmt& statement() const { return *statements_.back(); }
  /// From the outermost statement of the unit down to statement().
  const std::vector<const Stmt*>& statements() const { return statements_; }
  /// From an expression of the statement down to the fact's; empty where the fact has none.
  const std::vector<const Expr*>& expressions() const { return expressions_; }
  /// What encloses the fact's expression; null: it stands in the statement directly.
  const Expr* Parent() const;
  /// The index of the function, or of the file's own statements.
  const TreeIndex& index() const { return *index_; }
  /// The block that `statement` stands in, if one on the way to the fact; else body().
  llvm::ArrayRef<const Stmt*> BlockOf(const Stmt& statement) const;
  /// The statement behind `statement` in its block; null: it is the last one.
  const Stmt* Next(const Stmt& statement) const;

  FileSpan Place(ByteSpan span) const { return {unit_.begin + span.begin, unit_.begin + span.end}; }
  std::string_view Text(ByteSpan span) const { return file_.Text(Place(span)); }
  std::string_view Text(const Expr& expr) const { return Text(expr.span); }
  /// Whether the fact is about tensors, and each is known to be one.
  bool HasSureTensors() const;
  /// The text of `expr`, in parentheses where an operator or a dot beside it would take it apart.
  std::string Operand(const Expr& expr) const;

  Placement PlacementOf(const Stmt& statement) const;
  /// `lines` in the place of `statements[first..last]`, at their indentation; the first line of
  /// each entry is indented by that, further lines are as they are. Comments of the old text that
  /// the new does not have are put in front. Absent where the statements share their lines.
  std::optional<CodeEdit> ReplaceStatements(const Stmt& first, const Stmt& last,
                                            std::vector<std::string> lines) const;
  /// `text` in the place of an expression; absent where a comment would be lost.
  std::optional<CodeEdit> ReplaceExpr(const Expr& expr, std::string text) const;
  /// Takes a whole statement away; `pass` stays where it was the only one.
  std::optional<CodeEdit> RemoveStatement(const Stmt& statement) const;
  /// What makes `import module` hold in the function: no edit where it does already. Absent where
  /// the name stands for something else.
  std::optional<std::vector<CodeEdit>> Import(std::string_view module) const;

 private:
  const FileView& file_;
  const Fact& fact_;
  const FixUnit& unit_;
  const TreeIndex* index_;
  std::vector<const Stmt*> statements_;
  std::vector<const Expr*> expressions_;
};

/// Whether a value is a tensor by what the code says: an annotation, or what made it. A name, or a
/// call of something unknown, is not enough for a fix.
bool IsSurelyTensor(const Value& value);

/// Whether the text of `expr` can stand beside a dot or in an operand without parentheses.
bool IsPrimary(const Expr& expr);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_FIX_CONTEXT_H_
