#include "check/repeated_call.h"

#include <vector>

#include "check/origin.h"
#include "check/tree_walk.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace shapewise {
namespace {

bool Contains(const ByteSpan& outer, const ByteSpan& inner) {
  return outer.begin <= inner.begin && inner.end <= outer.end;
}

/// The statements of `body` around `place`, the outermost first.
std::vector<const Stmt*> StatementsAround(llvm::ArrayRef<const Stmt*> body, ByteSpan place) {
  std::vector<const Stmt*> path;
  for (bool has_found = true; has_found;) {
    has_found = false;
    const auto look = [&](llvm::ArrayRef<const Stmt*> block) {
      for (const Stmt* stmt : block) {
        if (has_found || !Contains(stmt->span, place)) continue;
        path.push_back(stmt);
        has_found = true;
      }
    };
    if (path.empty()) {
      look(body);
    } else {
      ForEachBlock(*path.back(), look);
    }
  }
  return path;
}

bool AnyExpr(const Stmt& stmt, llvm::function_ref<bool(const Expr&)> holds) {
  bool is_found = false;
  ForEachExpr(stmt, [&](const Expr& expr, bool) { is_found = is_found || AnyExpr(expr, holds); });
  ForEachBlock(stmt, [&](llvm::ArrayRef<const Stmt*> block) {
    for (const Stmt* inner : block) is_found = is_found || AnyExpr(*inner, holds);
  });
  return is_found;
}

/// torch._dynamo.reset() and the like: the program wants the work to be done again.
bool IsReset(const Expr& expr) {
  return expr.kind == PythonExprKind::kCall && expr.left->kind == PythonExprKind::kAttribute &&
         expr.left->text == "reset";
}

/// Whether the statement only uses the result of `call`: calls it, or gives it a name.
bool DropsResult(const Stmt& stmt, const Expr& call) {
  if (stmt.kind == StmtKind::kAssign && stmt.value == &call) {
    return llvm::all_of(stmt.targets,
                        [](const Expr* target) { return target->kind == PythonExprKind::kName; });
  }
  return AnyExpr(stmt, [&](const Expr& expr) {
    return expr.kind == PythonExprKind::kCall && expr.left == &call;
  });
}

}  // namespace

bool IsRepeated(Project& project, const Fact& fact) {
  if (fact.expr == nullptr || !fact.in_loop) return false;
  const Stmt* function = fact.function != kNoId ? project.Tree(fact.function) : nullptr;
  const std::vector<const Stmt*> path = StatementsAround(
      function != nullptr ? function->body : project.ModuleTree(fact.file), fact.expr->span);
  const Stmt* repeated = nullptr;
  for (const Stmt* stmt : llvm::reverse(path)) {
    if (stmt == path.back() || stmt->kind == StmtKind::kWith) continue;
    if (stmt->kind != StmtKind::kFor && stmt->kind != StmtKind::kWhile) return false;
    repeated = stmt;
    break;
  }
  if (repeated == nullptr) {
    // A loop around a call of the function; a decorator may keep its result.
    if (function == nullptr || !function->decorators.empty()) return false;
    repeated = function;
  }
  const bool changes = AnyExpr(*fact.expr, [&](const Expr& part) {
    return part.kind == PythonExprKind::kName && part.text != "self" &&
           Assigns(*repeated, part.text);
  });
  return !changes && DropsResult(*path.back(), *fact.expr) && !AnyExpr(*repeated, IsReset);
}

}  // namespace shapewise
