#include "check/tree_index.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "syntax/python_walk.h"

namespace shapewise {
namespace {

llvm::ArrayRef<NameUse> Lookup(const llvm::DenseMap<llvm::StringRef, std::vector<NameUse>>& uses,
                               std::string_view name) {
  const auto found = uses.find(llvm::StringRef(name));
  return found == uses.end() ? llvm::ArrayRef<NameUse>() : llvm::ArrayRef(found->second);
}

}  // namespace

TreeIndex::TreeIndex(llvm::ArrayRef<const Stmt*> body) : body_(body) {
  AddBlock(body, nullptr);
  for (const NameUse& use : UsesOf("self")) {
    if (use.parent == nullptr || use.parent->kind != PythonExprKind::kAttribute ||
        use.statement->kind != StmtKind::kAssign ||
        !llvm::is_contained(use.statement->targets, use.parent)) {
      continue;
    }
    const auto [entry, is_new] =
        of_self_.try_emplace(llvm::StringRef(use.parent->text), use.statement->value);
    if (!is_new) entry->second = nullptr;
  }
}

void TreeIndex::AddBlock(llvm::ArrayRef<const Stmt*> block, const Stmt* parent) {
  for (const Stmt* statement : block) {
    statements_[statement] = {.parent = parent, .block = block};
    ForEachExpr(*statement, [&](const Expr& expr, bool is_target) {
      AddExpr(expr, nullptr, *statement, is_target);
    });
    ForEachBlock(*statement,
                 [&](llvm::ArrayRef<const Stmt*> inner) { AddBlock(inner, statement); });
  }
}

void TreeIndex::AddExpr(const Expr& expr, const Expr* parent, const Stmt& statement,
                        bool is_target) {
  parents_[&expr] = parent;
  if (expr.kind == PythonExprKind::kName) {
    const NameUse use{
        .name = &expr, .parent = parent, .statement = &statement, .is_store = is_target};
    uses_[llvm::StringRef(expr.text)].push_back(use);
    if (is_target) stores_[llvm::StringRef(expr.text)].push_back(use);
  }
  // A pattern as a target stores to its items.
  const bool is_pattern = IsDisplay(expr) || expr.kind == PythonExprKind::kStarred;
  llvm::SmallPtrSet<const Expr*, 4> loop_targets;
  for (const ComprehensionClause& clause : expr.clauses) loop_targets.insert(clause.target);
  ForEachChild(expr, [&](const Expr& child) {
    const bool is_named = expr.kind == PythonExprKind::kNamed && &child == expr.left;
    AddExpr(child, &expr, statement,
            (is_target && is_pattern) || is_named || loop_targets.contains(&child));
  });
}

llvm::ArrayRef<NameUse> TreeIndex::UsesOf(std::string_view name) const {
  return Lookup(uses_, name);
}

llvm::ArrayRef<NameUse> TreeIndex::StoresOf(std::string_view name) const {
  return Lookup(stores_, name);
}

std::vector<const Stmt*> TreeIndex::PathTo(const Stmt* target) const {
  std::vector<const Stmt*> path;
  for (const Stmt* at = target; at != nullptr;) {
    const auto found = statements_.find(at);
    if (found == statements_.end()) return {};
    path.push_back(at);
    at = found->second.parent;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<const Expr*> TreeIndex::PathTo(const Expr* target) const {
  std::vector<const Expr*> path;
  for (const Expr* at = target; at != nullptr;) {
    const auto found = parents_.find(at);
    if (found == parents_.end()) return {};
    path.push_back(at);
    at = found->second;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<const Expr*> TreeIndex::Above(const NameUse& use) const {
  return use.parent != nullptr ? PathTo(use.parent) : std::vector<const Expr*>();
}

llvm::ArrayRef<const Stmt*> TreeIndex::BlockOf(const Stmt& statement) const {
  const auto found = statements_.find(&statement);
  return found == statements_.end() ? body_ : found->second.block;
}

const Expr* TreeIndex::AssignedToSelf(std::string_view attribute) const {
  return of_self_.lookup(llvm::StringRef(attribute));
}

}  // namespace shapewise
