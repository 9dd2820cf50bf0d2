// Keeps a number as a tensor if it is only used with tensors:
//
//   s = x.max().item(); y = x / s         ->   s = x.max().detach(); y = x / s
//   y = x - float(x.mean())               ->   y = x - x.mean().detach()
//   torch.tensor(x.max().item())          ->   x.max().detach().clone()
//   for w in weights.tolist():            ->   for w in weights.detach().unbind():
//
// Requires that every use of the number is arithmetic or a comparison with a tensor. Not safe: a
// Python number never promotes a dtype and has no device; a tensor without dims may.

#include "check/expr_facts.h"
#include "check/rewrites/rewrites.h"
#include "source/word_list.h"

namespace shapewise {
namespace {

/// The value that is read, and the expression that reads it.
struct Read {
  const Expr* tensor = nullptr;
  const Expr* whole = nullptr;
  size_t depth = 0;  ///< of `whole` in the expressions of the context
  bool is_list = false;
  bool is_cast = false;  ///< float() of what may hold integers
};

/// Whether `expr` is a call whose result is of floating point.
bool IsFloating(const Expr& expr) {
  return expr.kind == PythonExprKind::kCall &&
         HasWord<"mean std var norm exp log sqrt rsqrt sigmoid softmax tanh float item rand randn">(
             expr.left->text);
}

std::optional<Read> ReadOf(const FixContext& context) {
  const std::vector<const Expr*>& path = context.expressions();
  // The fact may be about the call or, if a number is expected, about its argument.
  for (size_t up = 0; up < 2 && up < path.size(); ++up) {
    const size_t depth = path.size() - 1 - up;
    const Expr& expr = *path[depth];
    if (expr.kind != PythonExprKind::kCall) continue;
    if (expr.left->kind == PythonExprKind::kAttribute && expr.arguments.empty() &&
        (expr.left->text == "item" || expr.left->text == "tolist"))
      return Read{expr.left->left, &expr, depth, expr.left->text == "tolist"};
    if (IsName(expr.left, "float") && expr.arguments.size() == 1 &&
        expr.arguments[0].keyword.empty() && expr.arguments[0].stars == 0)
      return Read{expr.arguments[0].value, &expr, depth, false,
                  !IsFloating(*expr.arguments[0].value)};
  }
  return {};
}

}  // namespace

std::optional<Rewritten> KeepAsTensor(const FixContext& context) {
  const std::optional<Read> read = ReadOf(context);
  if (!read) return {};
  const ExprFacts facts(context);
  const Stmt& statement = context.statement();
  const llvm::ArrayRef<const Expr*> path = context.expressions();
  const llvm::ArrayRef<const Expr*> above = path.take_front(read->depth);
  const Expr* replaced = read->whole;
  std::string text = context.Operand(*read->tensor) + ".detach()";
  if (read->is_cast) text += ".float()";
  if (read->is_list) {
    if (statement.kind != StmtKind::kFor || statement.value != read->whole ||
        !IsName(statement.targets[0]) || !facts.NameTakesTensor(statement.targets[0]->text))
      return {};
    text += ".unbind()";
  } else {
    // float(x.item()) reads only once.
    const Expr* parent = above.empty() ? nullptr : above.back();
    if (parent != nullptr && parent->kind == PythonExprKind::kCall &&
        parent->arguments.size() == 1 && parent->arguments[0].value == read->whole &&
        DottedName(*parent->left) == "torch.tensor") {
      replaced = parent;
      text += ".clone()";
    } else if (!facts.TakesTensor(*read->whole, above, statement)) {
      return {};
    }
  }
  return Only(context.ReplaceExpr(*replaced, std::move(text)));
}

}  // namespace shapewise
