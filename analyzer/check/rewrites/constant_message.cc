// A message that tells values becomes one that names them:
//
//   torch._check(n > 0, lambda: f"{x} is empty")   ->   torch._check(n > 0, lambda: "{x} is empty")
//   assert t.all(), f"{x} is empty"                ->   assert t.all(), "{x} is empty"
//
// Needs an f-string, of a call in a lambda; what stands in its braces stays readable as it is
// written. Not safe: the message is another.

#include "check/rewrites/messages.h"
#include "check/rewrites/rewrites.h"

namespace shapewise {
namespace {

/// What a lambda among the arguments of `call` gives; null: there is none.
const Expr* LambdaBody(const Expr& call) {
  for (const CallArgument& argument : call.arguments)
    if (argument.value->kind == PythonExprKind::kLambda) return argument.value->left;
  return nullptr;
}

}  // namespace

std::optional<Rewritten> ConstantMessage(const FixContext& context) {
  const Stmt& statement = context.statement();
  const Expr* expr = context.fact().expr;
  const Expr* message = nullptr;
  if (statement.kind == StmtKind::kAssert) {
    message = statement.message;
  } else if (expr != nullptr && expr->kind == PythonExprKind::kCall) {
    message = LambdaBody(*expr);
  }
  if (message == nullptr || message->kind != PythonExprKind::kFormatted) return {};
  std::optional<std::string> text = ConstantText(context, *message);
  if (!text) return {};
  std::optional<CodeEdit> edit = context.ReplaceExpr(*message, std::move(*text));
  if (!edit) return {};
  return Rewritten{{std::move(*edit)}, {}};
}

}  // namespace shapewise
