#include "source/first_call.h"

#include <string_view>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "syntax/python_walk.h"

namespace shapewise {
namespace {

bool IsOwnAttribute(const Expr& expr) {
  return expr.kind == PythonExprKind::kAttribute && expr.left->kind == PythonExprKind::kName &&
         expr.left->text == "self";
}

/// Number of statements in `body` and its blocks that store the attribute `name` of `self`.
int CountStores(llvm::ArrayRef<const Stmt*> body, std::string_view name) {
  int count = 0;
  for (const Stmt* stmt : body) {
    ForEachExpr(*stmt, [&](const Expr& expr, bool is_target) {
      count += is_target && IsOwnAttribute(expr) && expr.text == name ? 1 : 0;
    });
    ForEachBlock(*stmt,
                 [&](llvm::ArrayRef<const Stmt*> block) { count += CountStores(block, name); });
  }
  return count;
}

}  // namespace

bool RunsOnce(Project& project, FunctionId method, const Stmt& stmt) {
  if (stmt.value->kind != PythonExprKind::kNot || !IsOwnAttribute(*stmt.value->left)) return false;
  const std::string_view flag = stmt.value->left->text;
  const bool is_set = llvm::any_of(stmt.body, [&](const Stmt* inner) {
    return inner->kind == StmtKind::kAssign && inner->value->kind == PythonExprKind::kTrue &&
           inner->targets.size() == 1 && IsOwnAttribute(*inner->targets.front()) &&
           inner->targets.front()->text == flag;
  });
  if (!is_set || method == kNoId || project.function(method).in_class == kNoId) return false;
  int num_stores = 0;
  for (const FunctionId id : project.class_of(project.function(method).in_class).methods) {
    if (project.function(id).name == "__init__") continue;
    if (const Stmt* tree = project.Tree(id)) num_stores += CountStores(tree->body, flag);
  }
  return num_stores == 1;
}

}  // namespace shapewise
