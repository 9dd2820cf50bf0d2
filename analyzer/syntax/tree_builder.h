// The tree of tree-sitter -> python_ast.h.

#ifndef SHAPEWISE_ANALYZER_SYNTAX_TREE_BUILDER_H_
#define SHAPEWISE_ANALYZER_SYNTAX_TREE_BUILDER_H_

#include <tree_sitter/api.h>

#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Allocator.h"
#include "shapewise/syntax/parse_unit.h"
#include "shapewise/syntax/python_ast.h"
#include "syntax/node_kinds.h"
#include "syntax/unit_text.h"

namespace shapewise {

/// Walks one tree and makes nodes of what it meets. A method named for a node begins with the
/// cursor on that node, and ends there.
class TreeBuilder {
 public:
  /// `original`: the file's text from the unit's first byte on.
  TreeBuilder(TSTree* tree, const UnitText& unit, std::string_view original,
              llvm::BumpPtrAllocator& arena, std::vector<SyntaxFault>& faults);
  TreeBuilder(const TreeBuilder&) = delete;
  TreeBuilder& operator=(const TreeBuilder&) = delete;
  ~TreeBuilder() { ts_tree_cursor_delete(&cursor_); }

  /// The statements of the tree.
  llvm::ArrayRef<const Stmt*> Build();

 private:
  // Walking: tree_builder.cc.
  TSNode Node() const { return ts_tree_cursor_current_node(&cursor_); }
  NodeKind Kind() const { return kinds_.KindOf(Node()); }
  ByteSpan Span() const {
    const TSNode node = Node();
    return unit_.Original(ts_node_start_byte(node), ts_node_end_byte(node));
  }
  std::string_view Text(ByteSpan span) const {
    return original_.substr(span.begin, span.end - span.begin);
  }
  std::string_view Text() const { return Text(Span()); }

  /// Calls `visit(kind)` at each child but comments and errors; errors are told of.
  template <typename Visit>
  void EachChild(Visit visit) {
    if (!ts_tree_cursor_goto_first_child(&cursor_)) return;
    do {
      const NodeKind kind = Kind();
      if (kind == NodeKind::kExtra) continue;
      if (kind == NodeKind::kError) {
        Unexpected();
        continue;
      }
      if (has_errors_ && ts_node_is_missing(Node())) Missing();
      visit(kind);
    } while (ts_tree_cursor_goto_next_sibling(&cursor_));
    ts_tree_cursor_goto_parent(&cursor_);
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
  /// What was put on `stack` since it had `from` elements, taken off it.
  template <typename Element>
  llvm::ArrayRef<Element> Take(std::vector<Element>& stack, size_t from) {
    const size_t count = stack.size() - from;
    if (count == 0) return {};
    Element* copy = arena_.Allocate<Element>(count);
    std::uninitialized_copy(stack.begin() + static_cast<std::ptrdiff_t>(from), stack.end(), copy);
    stack.resize(from);
    return {copy, count};
  }

  // Expressions: build_expressions.cc.
  const Expr* Expression();
  const Expr* ExpressionOf(NodeKind kind);
  const Expr* Unreadable(ByteSpan span);
  const Expr* Identifier();
  const Expr* Chain(const Expr* left, ByteSpan names, uint32_t begin);
  const Expr* HoistStar(Expr* made);
  Expr* Reassociated(Expr* made);
  /// The only expression in this node.
  const Expr* Inner();
  const Expr* Leaf(ExprKind kind);
  const Expr* StringLiteral();
  const Expr* ConcatenatedString();
  void AddInterpolations();
  bool IsFormatted(ByteSpan span) const;
  const Expr* Attribute();
  const Expr* Call();
  const Expr* Subscript();
  const Expr* Slice();
  const Expr* Operand(ExprKind kind);
  const Expr* Unary();
  const Expr* Binary();
  const Expr* Compare();
  const Expr* Boolean();
  const Expr* Conditional();
  const Expr* Lambda();
  const Expr* Items(ExprKind kind);
  const Expr* Dictionary();
  const Expr* Comprehension(ExprKind kind);
  const Expr* Yield();
  const Expr* Named();
  const Expr* GenericType();
  void AddPair();
  void AddClause();
  llvm::ArrayRef<Argument> Arguments();
  llvm::ArrayRef<Parameter> Parameters();
  bool ParameterOf(NodeKind kind, Parameter& parameter);

  // Statements: build_statements.cc.
  void AddStatement(NodeKind kind);
  const Stmt* Statement(NodeKind kind);
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
  void AddWithItems(NodeKind kind);
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
  TSTreeCursor cursor_;
  bool has_errors_;
  int depth_ = 0;

  // Elements of the lists that are being built, of the innermost last.
  std::vector<const Expr*> exprs_;
  std::vector<const Stmt*> stmts_;
  std::vector<Argument> arguments_;
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
