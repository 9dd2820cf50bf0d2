// Converts trees of pyast to python_ast.h.

#ifndef SHAPEWISE_ANALYZER_SYNTAX_UNIT_TREE_H_
#define SHAPEWISE_ANALYZER_SYNTAX_UNIT_TREE_H_

#include <string_view>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include "pyast/ast.h"
#include "syntax/python_ast.h"
#include "syntax/unit_text.h"

namespace shapewise {

/// Creates the trees that the analysis uses. They have no type parameters and no `case` patterns;
/// code nested deeper than a few hundred levels is kUnreadable.
class UnitTree {
 public:
  /// Trees are allocated in `arena`; their texts are views of the file or of `arena`.
  UnitTree(const UnitText& unit, TreeArena& arena) : unit_(unit), arena_(arena) {}

  ArenaList<const Stmt*> Block(pyast::Stmts body);

 private:
  using Exprs = llvm::SmallVector<const Expr*, 8>;
  using Stmts = llvm::SmallVector<const Stmt*, 16>;

  ByteSpan Place(const pyast::Node& node) const {
    return unit_.Original(node.span.begin, node.span.end);
  }
  /// A name, which may have been composed of several tokens.
  ArenaText Text(std::string_view text) const;
  template <typename List>
  auto Keep(const List& list);

  void AddStatement(const pyast::Stmt& statement, Stmts& to);
  void Fill(const pyast::Stmt& statement, Stmt& made);
  void FillClass(const pyast::ClassDef& from, Stmt& made);
  template <typename Function>
  void FillFunction(const Function& from, Stmt& made);
  template <typename Conditional>
  void FillConditional(const Conditional& from, Stmt& made);
  template <typename Loop>
  void FillLoop(const Loop& from, Stmt& made);
  template <typename With>
  void FillWith(const With& from, Stmt& made);
  template <typename Try>
  void FillTry(const Try& from, Stmt& made);
  void FillMatch(const pyast::Match& from, Stmt& made);
  void Decorate(pyast::Exprs decorators, Stmt& made);
  ArenaList<ArenaText> Names(pyast::Names names);
  ArenaList<ImportedName> Imports(pyast::Aliases names);

  /// Null where `from` is.
  const Expr* Expression(const pyast::Expr* from);
  void Fill(const pyast::Expr& from, Expr& made);
  ArenaList<const Expr*> Expressions(pyast::Exprs from);
  void FillCompare(const pyast::Compare& from, Expr& made);
  template <typename Comprehension>
  void FillComprehension(const Comprehension& from, Expr& made);
  void FillClauses(pyast::Comprehensions from, Expr& made);
  void AddInterpolations(pyast::Exprs values, Exprs& to);
  ArenaList<CallArgument> Arguments(pyast::Exprs arguments, pyast::Keywords keywords);
  ArenaList<Parameter> Parameters(const pyast::Arguments* from);

  const UnitText& unit_;
  TreeArena& arena_;
  int depth_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SYNTAX_UNIT_TREE_H_
