// A Python syntax tree with the node kinds and fields of CPython's ast (nodes.def).
//
// Nodes are in an arena and never destroyed; texts are views into the input, or into the arena if
// escapes were decoded. A missing node is null, a missing name is empty. Positions are byte offsets
// of the input, as in CPython: an expression does not include surrounding parentheses.

#ifndef SHAPEWISE_PYAST_AST_H_
#define SHAPEWISE_PYAST_AST_H_

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/ErrorHandling.h"

namespace shapewise::pyast {

/// The kind of a node, named after its struct.
enum class Kind : uint8_t {
#define FIELD(Type, name)
#define NODE(Name, PythonName, Base, fields) k##Name,
#include "pyast/nodes.def"
};

/// All operators.
enum class Operator : uint8_t {
  // clang-format off
  kAnd, kOr,
  kAdd, kSub, kMult, kMatMult, kDiv, kMod, kPow, kLShift, kRShift, kBitOr, kBitXor, kBitAnd, kFloorDiv,
  kInvert, kNot, kUAdd, kUSub,
  kEq, kNotEq, kLt, kLtE, kGt, kGtE, kIs, kIsNot, kIn, kNotIn,
  // clang-format on
};

/// The kind of a Constant.
enum class ConstantKind : uint8_t {
  kNone,
  kTrue,
  kFalse,
  kEllipsis,
  kInt,      ///< value: as written
  kFloat,    ///< value: as written
  kComplex,  ///< value: as written
  kString,   ///< value: with escapes decoded, surrogates as three bytes each
  kBytes,    ///< value: with escapes decoded
};

/// Bytes [begin, end) of the input.
struct Span {
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// Base of all nodes.
struct Node {
  Kind kind;
  uint16_t height = 0;  ///< of the tree below it; at most kMaxHeight
  Span span;
};

/// Bases of expressions and statements.
struct Expr : Node {};
struct Stmt : Node {};
struct Alias;
struct Arg;
struct Arguments;
struct Comprehension;
struct ExceptHandler;
struct Keyword;
struct MatchCase;
struct WithItem;

using Nodes = llvm::ArrayRef<Node*>;
using Stmts = llvm::ArrayRef<Stmt*>;
using Exprs = llvm::ArrayRef<Expr*>;
using Aliases = llvm::ArrayRef<Alias*>;
using Args = llvm::ArrayRef<Arg*>;
using Comprehensions = llvm::ArrayRef<Comprehension*>;
using Handlers = llvm::ArrayRef<ExceptHandler*>;
using Keywords = llvm::ArrayRef<Keyword*>;
using MatchCases = llvm::ArrayRef<MatchCase*>;
using WithItems = llvm::ArrayRef<WithItem*>;
using Names = llvm::ArrayRef<std::string_view>;
using Operators = llvm::ArrayRef<Operator>;

// The structs of nodes.def, usable with llvm::dyn_cast and similar functions.
// NOLINTBEGIN(bugprone-macro-parentheses): members cannot be in parentheses
#define FIELD(Type, name) Type name{};
#define NODE(Name, PythonName, Base, fields)                              \
  struct Name : Base {                                                    \
    static constexpr Kind kKind = Kind::k##Name;                          \
    using Parent = Base;                                                  \
    static bool classof(const Node* node) { return node->kind == kKind; } \
    fields                                                                \
  };
#include "pyast/nodes.def"
// NOLINTEND(bugprone-macro-parentheses)

// VisitFields(node, visit) calls visit(name, value) for each field of a node of a known kind.
#define FIELD(Type, name) visit(#name, node.name);
#define NODE(Name, PythonName, Base, fields)                                              \
  template <typename Visitor>                                                             \
  void VisitFields([[maybe_unused]] const Name& node, [[maybe_unused]] Visitor&& visit) { \
    fields                                                                                \
  }
#include "pyast/nodes.def"

/// Returns visit(node) with `node` as a reference to its own kind.
template <typename Visitor>
decltype(auto) VisitNode(const Node& node, Visitor&& visit) {
  switch (node.kind) {
#define FIELD(Type, name)
#define NODE(Name, PythonName, Base, fields) \
  case Kind::k##Name:                        \
    return visit(static_cast<const Name&>(node));
#include "pyast/nodes.def"
  }
  llvm_unreachable("a node has a kind");
}

/// Maximum height of a tree, so that functions over trees may recurse; close to CPython's own
/// limit.
inline constexpr int kMaxHeight = 2900;

}  // namespace shapewise::pyast

#endif  // SHAPEWISE_PYAST_AST_H_
