// The context of a fix: a fact, its place, and the text around it.

#ifndef SHAPEWISE_CHECK_FIX_CONTEXT_H_
#define SHAPEWISE_CHECK_FIX_CONTEXT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/file_view.h"
#include "check/fixes.h"
#include "syntax/python_walk.h"

namespace shapewise {

/// How a statement shares its lines with others.
enum class Placement : uint8_t {
  kOwnLines,    ///< only a comment on the same lines
  kAfterColon,  ///< the only one after the colon of `if x: statement`
  kShared,      ///< semicolons, or other code on the same lines
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
  /// From the outermost statement of the unit to statement().
  const std::vector<const Stmt*>& statements() const { return statements_; }
  /// From the outermost expression of the statement to that of the fact; empty if the fact has
  /// none.
  const std::vector<const Expr*>& expressions() const { return expressions_; }
  /// The call that the fact is about; null: it is about something else.
  const Expr* Call() const {
    return fact_.expr != nullptr && fact_.expr->kind == PythonExprKind::kCall ? fact_.expr
                                                                              : nullptr;
  }
  /// The expression around that of the fact; null: it is directly in the statement.
  const Expr* Parent() const;
  /// The index of the function, or of the file's own statements.
  const TreeIndex& index() const { return *index_; }
  /// The block of `statement`, if one on the path to the fact; else body().
  llvm::ArrayRef<const Stmt*> BlockOf(const Stmt& statement) const;
  /// The statement after `statement` in its block; null: it is the last one.
  const Stmt* Next(const Stmt& statement) const;

  FileSpan Place(ByteSpan span) const { return {unit_.begin + span.begin, unit_.begin + span.end}; }
  std::string_view Text(ByteSpan span) const { return file_.Text(Place(span)); }
  std::string_view Text(const Expr& expr) const { return Text(expr.span); }
  /// Whether the fact is about tensors, and each is certain to be one.
  bool HasSureTensors() const;
  /// The text of `expr`, in parentheses if an operator or a dot next to it would change its
  /// meaning.
  std::string Operand(const Expr& expr) const;

  Placement PlacementOf(const Stmt& statement) const;
  /// Replaces `statements[first..last]` with `lines` at their indentation; the first line of each
  /// entry is indented, further lines stay as they are. Comments of the old text that the new text
  /// does not contain are put before it. Absent if the statements share their lines with others.
  std::optional<CodeEdit> ReplaceStatements(const Stmt& first, const Stmt& last,
                                            std::vector<std::string> lines) const;
  /// Replaces an expression with `text`; absent if a comment would be lost.
  std::optional<CodeEdit> ReplaceExpr(const Expr& expr, std::string text) const;
  /// Removes a whole statement; replaces it with `pass` if it was the only one.
  std::optional<CodeEdit> RemoveStatement(const Stmt& statement) const;
  /// The edits that make `import module` available in the function: none if it is already. Absent
  /// if the name has another meaning.
  std::optional<std::vector<CodeEdit>> Import(std::string_view module) const;

 private:
  const FileView& file_;
  const Fact& fact_;
  const FixUnit& unit_;
  const TreeIndex* index_;
  std::vector<const Stmt*> statements_;
  std::vector<const Expr*> expressions_;
};

/// Whether the code proves that a value is a tensor: an annotation, or what created it. A name, or
/// a call of something unknown, is not enough for a fix.
bool IsSurelyTensor(const Value& value);

/// Whether the text of `expr` can be put before a dot or into an operand without parentheses.
bool IsPrimary(const Expr& expr);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_FIX_CONTEXT_H_
