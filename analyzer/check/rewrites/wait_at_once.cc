// A collective that is awaited immediately does not need a handle:
//
//   work = dist.all_reduce(x, async_op=True)   ->   dist.all_reduce(x)
//   work.wait()
//
//   dist.all_reduce(x, async_op=True).wait()   ->   dist.all_reduce(x)
//
// Requires that the wait is the next statement, and that the handle has no other use.

#include "check/rewrites/rewrites.h"

namespace shapewise {
namespace {

/// The awaited value in `expr`: the `work` of `work.wait()`; null: none.
const Expr* Waited(const Expr* expr) {
  const bool is_wait = expr != nullptr && expr->kind == PythonExprKind::kCall &&
                       expr->arguments.empty() && expr->left->kind == PythonExprKind::kAttribute &&
                       expr->left->text == "wait";
  return is_wait ? expr->left->left : nullptr;
}

/// The edits that remove the handle of `call` and the wait; absent if the call is used in another
/// way.
std::optional<std::vector<CodeEdit>> WithoutHandle(const FixContext& context, const Expr& call) {
  const Stmt& statement = context.statement();
  const FileView& file = context.file();
  const FileSpan place = context.Place(call.span);
  if (statement.kind == StmtKind::kExpression && Waited(statement.value) == &call) {
    const FileSpan wait{place.end, context.Place(statement.value->span).end};
    if (!file.CommentsIn(wait).empty()) return {};
    return {{file.Edit(wait, "")}};
  }
  const Stmt* wait = context.Next(statement);
  if (statement.kind != StmtKind::kAssign || statement.targets.size() != 1 ||
      statement.targets[0]->kind != PythonExprKind::kName || &call != statement.value ||
      wait == nullptr || wait->kind != StmtKind::kExpression ||
      context.PlacementOf(statement) == Placement::kShared)
    return {};
  const std::string_view handle = statement.targets[0]->text;
  const Expr* waited = Waited(wait->value);
  if (waited == nullptr || waited->kind != PythonExprKind::kName || waited->text != handle ||
      context.index().UsesOf(handle).size() != 2)
    return {};
  std::optional<CodeEdit> removed = context.RemoveStatement(*wait);
  if (!removed) return {};
  return {{file.Edit({context.Place(statement.span).begin, place.begin}, ""), std::move(*removed)}};
}

}  // namespace

std::optional<Rewritten> WaitAtOnce(const FixContext& context) {
  const Expr* call = context.fact().expr;
  if (call == nullptr || call->kind != PythonExprKind::kCall) return {};
  const CallArgument* previous = nullptr;
  const CallArgument* async = nullptr;
  for (const CallArgument& argument : call->arguments) {
    if (argument.keyword == "async_op") {
      async = &argument;
      break;
    }
    previous = &argument;
  }
  if (async == nullptr || previous == nullptr || async->value->kind != PythonExprKind::kTrue)
    return {};
  const FileView& file = context.file();
  const FileSpan keyword{context.Place(previous->span).end, context.Place(async->span).end};
  if (!file.CommentsIn(keyword).empty()) return {};
  std::optional<std::vector<CodeEdit>> edits = WithoutHandle(context, *call);
  if (!edits) return {};
  // In the order of the file: the keyword comes after the assigned target and before the wait.
  edits->insert(edits->end() - 1, file.Edit(keyword, ""));
  return Rewritten{std::move(*edits), false};
}

}  // namespace shapewise
