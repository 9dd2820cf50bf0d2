// Replaces out= on a part of a tensor by a copy:
//
//   torch.mul(x, 2, out=buffer[:, :8])   ->   buffer[:, :8].copy_(torch.mul(x, 2))
//
// Requires a statement of its own, and an out= that is not evaluated before anything with a side
// effect. Not safe: out= resizes a tensor of another shape, whereas a copy raises an error.

#include "check/expr_facts.h"
#include "check/rewrites/rewrites.h"

namespace shapewise {

std::optional<Rewritten> CopyInsteadOfOut(const FixContext& context) {
  const Stmt& statement = context.statement();
  const Expr* call = context.fact().expr;
  if (statement.kind != StmtKind::kExpression || call == nullptr || call != statement.value ||
      call->kind != PythonExprKind::kCall || call->arguments.size() < 2)
    return {};
  const CallArgument& last = call->arguments.back();
  if (last.keyword != "out" || last.value == nullptr ||
      last.value->kind == PythonExprKind::kTuple || MayHaveEffect(*last.value))
    return {};
  const CallArgument& before = call->arguments[call->arguments.size() - 2];
  const std::string head(context.Text(ByteSpan{call->span.begin, before.span.end}));
  std::optional<CodeEdit> edit = context.ReplaceStatements(
      statement, statement, {context.Operand(*last.value) + ".copy_(" + head + "))"});
  if (!edit) return {};
  return Rewritten{{std::move(*edit)}, false};
}

}  // namespace shapewise
