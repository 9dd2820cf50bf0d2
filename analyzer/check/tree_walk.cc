#include "check/tree_walk.h"

#include <string>

namespace shapewise {
namespace {

class NameFinder {
 public:
  explicit NameFinder(std::string_view name) : name_(name) {}

  void Look(llvm::ArrayRef<const Stmt*> body) {
    for (const Stmt* statement : body) {
      statement_ = statement;
      ForEachExpr(*statement, [&](const Expr& expr, bool is_target) { Look(expr, is_target); });
      ForEachBlock(*statement, [&](llvm::ArrayRef<const Stmt*> block) { Look(block); });
    }
  }

  std::vector<NameUse> Take() { return std::move(uses_); }

 private:
  void Look(const Expr& expr, bool is_target) {
    if (expr.kind == PythonExprKind::kName && expr.text == name_)
      uses_.push_back({&expr, above_, statement_, is_target});
    // What is stored to is the thing itself, or what it is taken apart into.
    const bool is_pattern = expr.kind == PythonExprKind::kTuple ||
                            expr.kind == PythonExprKind::kList ||
                            expr.kind == PythonExprKind::kStarred;
    above_.push_back(&expr);
    ForEachChild(expr, [&](const Expr& child) {
      const bool is_named = expr.kind == PythonExprKind::kNamed && &child == expr.left;
      bool is_loop_target = false;
      for (const ComprehensionClause& clause : expr.clauses)
        is_loop_target = is_loop_target || clause.target == &child;
      Look(child, (is_target && is_pattern) || is_named || is_loop_target);
    });
    above_.pop_back();
  }

  std::string_view name_;
  const Stmt* statement_ = nullptr;
  std::vector<const Expr*> above_;
  std::vector<NameUse> uses_;
};

bool FindPath(const Expr& from, const Expr* target, std::vector<const Expr*>& path) {
  path.push_back(&from);
  if (&from == target) return true;
  bool is_found = false;
  ForEachChild(from, [&](const Expr& child) {
    if (!is_found) is_found = FindPath(child, target, path);
  });
  if (!is_found) path.pop_back();
  return is_found;
}

bool FindPath(llvm::ArrayRef<const Stmt*> body, const Stmt* target,
              std::vector<const Stmt*>& path) {
  for (const Stmt* statement : body) {
    if (target->span.begin < statement->span.begin || target->span.end > statement->span.end)
      continue;
    path.push_back(statement);
    if (statement == target) return true;
    bool is_found = false;
    ForEachBlock(*statement, [&](llvm::ArrayRef<const Stmt*> block) {
      if (!is_found) is_found = FindPath(block, target, path);
    });
    if (is_found) return true;
    path.pop_back();
  }
  return false;
}

}  // namespace

std::vector<NameUse> UsesOf(llvm::ArrayRef<const Stmt*> body, std::string_view name) {
  NameFinder finder(name);
  finder.Look(body);
  return finder.Take();
}

std::vector<const Stmt*> PathTo(llvm::ArrayRef<const Stmt*> body, const Stmt* target) {
  std::vector<const Stmt*> path;
  if (target == nullptr || !FindPath(body, target, path)) return {};
  return path;
}

std::vector<const Expr*> PathTo(const Stmt& statement, const Expr* target) {
  std::vector<const Expr*> path;
  bool is_found = false;
  ForEachExpr(statement, [&](const Expr& expr, bool) {
    if (!is_found) is_found = FindPath(expr, target, path);
  });
  return path;
}

std::string DottedName(const Expr& expr) {
  if (expr.kind == PythonExprKind::kName) return std::string(expr.text);
  if (expr.kind != PythonExprKind::kAttribute || expr.left == nullptr) return "";
  std::string left = DottedName(*expr.left);
  if (left.empty()) return "";
  left += '.';
  left += expr.text;
  return left;
}

std::string_view LastName(const Expr& expr) {
  return expr.kind == PythonExprKind::kName || expr.kind == PythonExprKind::kAttribute ? expr.text
                                                                                       : "";
}

}  // namespace shapewise
