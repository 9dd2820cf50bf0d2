// Replaces the values in a message by their names, and a message that is not a function by a
// function:
//
//   torch._check(n > 0, lambda: f"{x} is empty")   ->   torch._check(n > 0, lambda: "<x> is empty")
//   torch._check(n > 0, f"{x} is empty")           ->   torch._check(n > 0, lambda: "<x> is empty")
//   assert t.all(), f"{x} is empty"                ->   assert t.all(), "<x> is empty"
//
// The code in the braces of an f-string stays readable. Not safe: the message changes.

#include "check/rewrites/messages.h"
#include "check/rewrites/rewrites.h"

namespace shapewise {
namespace {

bool IsTextLiteral(const Expr& expr) {
  return expr.kind == PythonExprKind::kString || expr.kind == PythonExprKind::kFormatted;
}

/// The message of a check, and how it is passed.
struct CheckMessage {
  const Expr* expr = nullptr;  ///< null: no message that can be rewritten
  std::string_view function;   ///< "lambda: " if the message is not a function yet
};

/// The f-string returned by a lambda among the arguments of `call`, else a string in place of a
/// lambda.
CheckMessage MessageOf(const Expr& call) {
  for (const CallArgument& argument : call.arguments) {
    if (argument.value->kind != PythonExprKind::kLambda) continue;
    const Expr* given = argument.value->left;
    return {given->kind == PythonExprKind::kFormatted ? given : nullptr, ""};
  }
  for (const CallArgument& argument : call.arguments) {
    if (IsTextLiteral(*argument.value)) return {argument.value, "lambda: "};
  }
  return {};
}

}  // namespace

std::optional<Rewritten> ConstantMessage(const FixContext& context) {
  const Stmt& statement = context.statement();
  const Expr* expr = context.fact().expr;
  CheckMessage message;
  if (statement.kind == StmtKind::kAssert) {
    const bool has_values =
        statement.message != nullptr && statement.message->kind == PythonExprKind::kFormatted;
    if (has_values) message.expr = statement.message;
  } else if (expr != nullptr && expr->kind == PythonExprKind::kCall) {
    message = MessageOf(*expr);
  }
  if (message.expr == nullptr) return {};
  const std::optional<std::string> text = ConstantText(context, *message.expr);
  if (!text) return {};
  std::optional<CodeEdit> edit =
      context.ReplaceExpr(*message.expr, std::string(message.function) + *text);
  if (!edit) return {};
  return Rewritten{{std::move(*edit)}, false};
}

}  // namespace shapewise
