// A result that is written into a part of a tensor is computed and copied there:
//
//   torch.mul(x, 2, out=buffer[:, :8])   ->   buffer[:, :8].copy_(torch.mul(x, 2))
//
// Needs a statement of its own, and an out= that is not evaluated before anything with an effect.
// Not safe: out= resizes what has another shape, and a copy refuses.

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
