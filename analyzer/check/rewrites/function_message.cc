// Makes the message of a check a function, as torch._check requires:
//
//   torch._check(n > 0, "empty")   ->   torch._check(n > 0, lambda: "empty")
//
// Only for a text without values: those of an f-string may be tensors, which break the graph in a
// function as well, and a message that no longer shows them is worth less than the graph. Not safe:
// without the function, a check that fails raises a TypeError about its message.

#include "check/rewrites/rewrites.h"

namespace shapewise {

std::optional<Rewritten> FunctionMessage(const FixContext& context) {
  const Expr* call = context.fact().expr;
  if (call == nullptr || call->kind != PythonExprKind::kCall) return {};
  for (const CallArgument& argument : call->arguments) {
    if (argument.value->kind == PythonExprKind::kLambda) return {};
  }
  for (const CallArgument& argument : call->arguments) {
    if (argument.value->kind != PythonExprKind::kString) continue;
    std::optional<CodeEdit> edit = context.ReplaceExpr(
        *argument.value, "lambda: " + std::string(context.Text(*argument.value)));
    if (!edit) return {};
    return Rewritten{{std::move(*edit)}, false};
  }
  return {};
}

}  // namespace shapewise
