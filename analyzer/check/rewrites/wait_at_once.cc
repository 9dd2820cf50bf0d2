// A collective that is waited for at once needs no handle:
//
//   work = dist.all_reduce(x, async_op=True)   ->   dist.all_reduce(x)
//   work.wait()
//
// Needs the wait to be the next statement, and the handle to have no other use.

#include "check/rewrites/rewrites.h"

namespace shapewise {

std::optional<Rewritten> WaitAtOnce(const FixContext& context) {
  const Stmt& statement = context.statement();
  const Expr* call = context.fact().expr;
  // The fact may be that of the wait.
  const Stmt* wait = context.Next(statement);
  if (statement.kind != StmtKind::kAssign || statement.targets.size() != 1 ||
      statement.targets[0]->kind != PythonExprKind::kName || call == nullptr ||
      call != statement.value || call->kind != PythonExprKind::kCall || wait == nullptr)
    return {};
  const std::string_view handle = statement.targets[0]->text;
  const Expr* waited = wait->kind == StmtKind::kExpression ? wait->value : nullptr;
  if (waited == nullptr || waited->kind != PythonExprKind::kCall || !waited->arguments.empty() ||
      waited->left->kind != PythonExprKind::kAttribute || waited->left->text != "wait" ||
      waited->left->left->kind != PythonExprKind::kName || waited->left->left->text != handle)
    return {};
  if (UsesOf(context.body(), handle).size() != 2) return {};
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
  std::optional<CodeEdit> removed = context.RemoveStatement(*wait);
  if (!removed || context.PlacementOf(statement) == Placement::kShared) return {};
  const FileSpan keyword{context.Place(previous->span).end, context.Place(async->span).end};
  if (!file.CommentsIn(keyword).empty()) return {};
  const FileSpan target{context.Place(statement.span).begin, context.Place(call->span).begin};
  return Rewritten{{file.Edit(target, ""), file.Edit(keyword, ""), std::move(*removed)}, {}};
}

}  // namespace shapewise
