// Replaces keywords passed as a literal dict by arguments:
//
//   x.uniform_(**{"from": a, "to": b})   ->   x.uniform_(a, b)
//
// Safe if x is known to be a tensor. Requires one of the in-place random functions whose first
// keyword is reserved in Python, with the keywords in order.

#include "check/rewrites/rewrites.h"

namespace shapewise {
namespace {

/// The text between the quotes of a plain literal; empty for anything else.
std::string_view PlainString(const Expr* expr) {
  if (expr == nullptr || expr->kind != PythonExprKind::kString || expr->text.size() < 2) return "";
  const std::string_view text = expr->text;
  if (text.front() != '"' && text.front() != '\'') return "";
  const std::string_view inner = text.substr(1, text.size() - 2);
  return inner.find_first_of("\\\"'") == std::string_view::npos ? inner : "";
}

}  // namespace

std::optional<Rewritten> UnpackDict(const FixContext& context) {
  const Expr* call = context.fact().expr;
  if (call == nullptr || call->kind != PythonExprKind::kCall || call->arguments.size() != 1)
    return {};
  const std::string_view name = LastName(*call->left);
  if (name != "uniform_" && name != "random_") return {};
  const CallArgument& argument = call->arguments[0];
  if (argument.stars != 2 || argument.value->kind != PythonExprKind::kDict) return {};
  const llvm::ArrayRef<const Expr*> items = argument.value->items;
  if (items.size() != 4 || PlainString(items[0]) != "from" || PlainString(items[2]) != "to")
    return {};
  const FileSpan span = context.Place(argument.span);
  if (!context.file().CommentsIn(span).empty()) return {};
  return Rewritten{{context.file().Edit(span, std::string(context.Text(*items[1])) + ", " +
                                                  std::string(context.Text(*items[3])))},
                   IsSurelyTensor(context.fact().subject)};
}

}  // namespace shapewise
