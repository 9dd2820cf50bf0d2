// Uses of names and parents of expressions: collected once, because a function may have many
// findings.

#ifndef SHAPEWISE_CHECK_TREE_INDEX_H_
#define SHAPEWISE_CHECK_TREE_INDEX_H_

#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "syntax/python_ast.h"

namespace shapewise {

/// One use of a name.
struct NameUse {
  const Expr* name = nullptr;
  /// The expression around it; null: it is directly in the statement.
  const Expr* parent = nullptr;
  const Stmt* statement = nullptr;
  bool is_store = false;
};

/// The statements and expressions of a function or a file, with those of nested functions. The
/// trees must outlive it.
class TreeIndex {
 public:
  explicit TreeIndex(llvm::ArrayRef<const Stmt*> body);

  /// All uses of `name`, and those at which it is assigned.
  llvm::ArrayRef<NameUse> UsesOf(std::string_view name) const;
  llvm::ArrayRef<NameUse> StoresOf(std::string_view name) const;

  /// From a statement of the body to `target`, both included; empty if it is not found.
  std::vector<const Stmt*> PathTo(const Stmt* target) const;
  /// From an expression of its statement to `target`, both included; empty if it is not found.
  std::vector<const Expr*> PathTo(const Expr* target) const;
  /// The expressions around the use, the innermost last.
  std::vector<const Expr*> Above(const NameUse& use) const;

  /// The block of the statement; the whole body if the statement is unknown.
  llvm::ArrayRef<const Stmt*> BlockOf(const Stmt& statement) const;

  /// The value assigned to self.`attribute`, if that happens exactly once; null otherwise.
  const Expr* AssignedToSelf(std::string_view attribute) const;

  /// Results of queries about a name, by search depth.
  using Answers = llvm::DenseMap<std::pair<llvm::StringRef, int>, bool>;
  Answers& tensor_answers() const { return tensor_answers_; }
  Answers& taker_answers() const { return taker_answers_; }

 private:
  struct StatementPlace {
    const Stmt* parent = nullptr;
    llvm::ArrayRef<const Stmt*> block;
  };

  void AddBlock(llvm::ArrayRef<const Stmt*> block, const Stmt* parent);
  void AddExpr(const Expr& expr, const Expr* parent, const Stmt& statement, bool is_target);

  llvm::ArrayRef<const Stmt*> body_;
  llvm::DenseMap<const Stmt*, StatementPlace> statements_;
  llvm::DenseMap<const Expr*, const Expr*> parents_;
  llvm::DenseMap<llvm::StringRef, std::vector<NameUse>> uses_;
  llvm::DenseMap<llvm::StringRef, std::vector<NameUse>> stores_;
  llvm::DenseMap<llvm::StringRef, const Expr*> of_self_;  ///< null: assigned more than once
  mutable Answers tensor_answers_;
  mutable Answers taker_answers_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_TREE_INDEX_H_
