// The tree of tree-sitter -> python_ast.h.

#ifndef SHAPEWISE_ANALYZER_SYNTAX_TREE_BUILDER_H_
#define SHAPEWISE_ANALYZER_SYNTAX_TREE_BUILDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Allocator.h"
#include "shapewise/syntax/parse_unit.h"
#include "shapewise/syntax/python_ast.h"
#include "syntax/arena_list.h"
#include "syntax/node_kinds.h"
#include "syntax/syntax_tree.h"
#include "syntax/unit_text.h"

namespace shapewise {

/// Walks the trees of a unit and makes nodes of what it meets. A method named for a node begins
/// with the cursor on that node, and ends there.
class TreeBuilder {
 public:
  /// `original`: the file's text from the unit's first byte on.
  TreeBuilder(const UnitText& unit, std::string_view original, llvm::BumpPtrAllocator& arena,
              std::vector<SyntaxFault>& faults);
  TreeBuilder(const TreeBuilder&) = delete;
  TreeBuilder& operator=(const TreeBuilder&) = delete;

  /// Goes to the root of `tree`, which is of a text that stands in the unit's from `begin` on.
  void Enter(const SyntaxTree& tree, uint32_t begin);

  /// The statements of the tree.
  llvm::ArrayRef<const Stmt*> Build();
  /// The statement of the tree; null: it has none, or several.
  Stmt* BuildOne();
  /// The first `except` of the tree, which has one `try`.
  std::optional<Branch> BuildHandler();

 private:
  // Walking: tree_builder.cc.
  const SyntaxNode& Node() const { return cursor_.node(); }
  GrammarKind Kind() const { return kinds_.KindOf(Node().symbol); }
  ByteSpan Span() const { return unit_.Original(begin_ + Node().begin, begin_ + Node().end); }
  std::string_view Text(ByteSpan span) const {
    return original_.substr(span.begin, span.end - span.begin);
  }
  std::string_view Text() const { return Text(Span()); }

  /// Calls `visit(kind)` at each child but comments and errors; errors are told of.
  template <typename Visit>
  void EachChild(Visit visit) {
    if (!cursor_.ToFirstChild()) return;
    do {
      const GrammarKind kind = Kind();
      if (kind == GrammarKind::kExtra) continue;
      if (kind == GrammarKind::kError) {
        Unexpected();
        continue;
      }
      if (has_errors_ && Node().is_missing) Missing();
      visit(kind);
    } while (cursor_.ToNextSibling());
    cursor_.ToParent();
  }
  void Unexpected();
  void Missing();
  void AddFault(ByteSpan span, std::string message);

  template <typename Node>
  Node* New(ByteSpan span) {
    Node* made = new (arena_.Allocate<Node>()) Node();
    made->span = span;
    return made;
  }
  template <typename Element>
  llvm::ArrayRef<Element> Take(std::vector<Element>& stack, size_t from) {
    return TakeOff(stack, from, arena_);
  }

  // Expressions: build_expressions.cc.
  const Expr* Expression();
  const Expr* ExpressionOf(GrammarKind kind);
  const Expr* Unreadable(ByteSpan span);
  const Expr* Identifier();
  const Expr* Chain(const Expr* left, ByteSpan names, uint32_t begin);
  const Expr* HoistStar(Expr* made);
  Expr* Reassociated(Expr* made);
  /// The only expression in this node.
  const Expr* Inner();
  const Expr* Leaf(PythonExprKind kind);
  const Expr* StringLiteral();
  const Expr* ConcatenatedString();
  void AddInterpolations();
  bool IsFormatted(ByteSpan span) const;
  const Expr* Attribute();
  const Expr* Call();
  const Expr* Subscript();
  const Expr* Slice();
  const Expr* Operand(PythonExprKind kind);
  const Expr* Unary();
  const Expr* Binary();
  const Expr* Compare();
  const Expr* Boolean();
  const Expr* Conditional();
  const Expr* Lambda();
  const Expr* Items(PythonExprKind kind);
  const Expr* Dictionary();
  const Expr* Comprehension(PythonExprKind kind);
  const Expr* Yield();
  const Expr* Named();
  const Expr* GenericType();
  void AddPair();
  void AddClause();
  llvm::ArrayRef<CallArgument> Arguments();
  llvm::ArrayRef<Parameter> Parameters();
  bool ParameterOf(GrammarKind kind, Parameter& parameter);

  // Statements: build_statements.cc.
  void AddStatement(GrammarKind kind);
  Stmt* Statement(GrammarKind kind);
  llvm::ArrayRef<const Stmt*> Block();
  void ExpressionStatement(Stmt& made);
  void Assignment(Stmt& made);
  void AugmentedAssignment(Stmt& made);
  void Return(Stmt& made);
  void Raise(Stmt& made);
  void Assert(Stmt& made);
  void Delete(Stmt& made);
  void If(Stmt& made);
  void Loop(Stmt& made);
  void With(Stmt& made);
  void AddWithItems(GrammarKind kind);
  void Try(Stmt& made);
  Branch Except();
  void Match(Stmt& made);
  Branch Case();
  void Names(Stmt& made);
  void Import(Stmt& made);
  void Function(Stmt& made);
  void Class(Stmt& made);
  void Decorated(Stmt& made);
  void TypeAlias(Stmt& made);

  const NodeKinds& kinds_;
  const UnitText& unit_;
  std::string_view original_;
  llvm::BumpPtrAllocator& arena_;
  std::vector<SyntaxFault>& faults_;
  SyntaxCursor cursor_;
  uint32_t begin_ = 0;  ///< of the text of the tree in the unit's
  bool has_errors_ = false;
  int depth_ = 0;

  // Elements of the lists that are being built, of the innermost last.
  std::vector<const Expr*> exprs_;
  std::vector<const Stmt*> stmts_;
  std::vector<CallArgument> arguments_;
  std::vector<Parameter> parameters_;
  std::vector<ComprehensionClause> clauses_;
  std::vector<CompareOperator> operators_;
  std::vector<WithItem> with_items_;
  std::vector<Branch> branches_;
  std::vector<std::string_view> names_;
  std::vector<ImportedName> imports_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SYNTAX_TREE_BUILDER_H_
