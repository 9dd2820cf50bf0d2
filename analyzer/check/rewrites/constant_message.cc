// A message that tells values becomes one that names them:
//
//   torch._check(n > 0, lambda: f"{x} is empty")   ->   torch._check(n > 0, lambda: "{x} is empty")
//   assert n > 0, f"{x} is empty"                  ->   assert n > 0, "{x} is empty"
//
// Needs an f-string; what stands in its braces stays readable as it is written.

#include "check/rewrites/messages.h"
#include "check/rewrites/rewrites.h"

namespace shapewise {

std::optional<Rewritten> ConstantMessage(const FixContext& context) {
  const Stmt& statement = context.statement();
  const Expr* message = statement.kind == StmtKind::kAssert ? statement.message : nullptr;
  if (message == nullptr && statement.value != nullptr &&
      statement.value->kind == PythonExprKind::kCall && statement.value->arguments.size() == 2)
    message = statement.value->arguments[1].value;
  if (message != nullptr && message->kind == PythonExprKind::kLambda) message = message->left;
  if (message == nullptr || message->kind != PythonExprKind::kFormatted) return {};
  std::optional<std::string> text = ConstantText(context, *message);
  if (!text) return {};
  std::optional<CodeEdit> edit = context.ReplaceExpr(*message, std::move(*text));
  if (!edit) return {};
  return Rewritten{{std::move(*edit)}, {}};
}

}  // namespace shapewise
