// Removes a call whose result is unused: torch._dynamo.graph_break() and the like.

#include "check/rewrites/rewrites.h"

namespace shapewise {

std::optional<Rewritten> RemoveStatement(const FixContext& context) {
  const Stmt& statement = context.statement();
  if (statement.kind != StmtKind::kExpression || statement.value == nullptr ||
      statement.value->kind != PythonExprKind::kCall)
    return {};
  std::optional<CodeEdit> edit = context.RemoveStatement(statement);
  if (!edit) return {};
  return Rewritten{{std::move(*edit)}, false};
}

}  // namespace shapewise
