#include "source/fact_trees.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "syntax/python_walk.h"

namespace shapewise {
namespace {

using OnNode = llvm::function_ref<void(const void*)>;

void VisitExpr(const Expr& expr, OnNode visit) {
  visit(&expr);
  ForEachChild(expr, [&](const Expr& child) { VisitExpr(child, visit); });
}

void VisitStmt(const Stmt& stmt, OnNode visit) {
  visit(&stmt);
  ForEachExpr(stmt, [&](const Expr& expr, bool /*is_target*/) { VisitExpr(expr, visit); });
  ForEachBlock(stmt, [&](llvm::ArrayRef<const Stmt*> block) {
    for (const Stmt* inner : block) VisitStmt(*inner, visit);
  });
}

/// Calls `visit` for the nodes that facts of the function can refer to, always in the same order.
/// Outside of functions, those of the file's classes: the file's own statements are never freed.
void ForEachNode(Project& project, FileId file, FunctionId function, OnNode visit) {
  if (function != kNoId) {
    if (const Stmt* tree = project.Tree(function)) VisitStmt(*tree, visit);
    return;
  }
  const SourceFile& source = project.files()[file];
  for (size_t i = 0; i < source.outline.classes.size(); ++i) {
    const Stmt* tree = project.ClassTree(source.first_class + static_cast<ClassId>(i));
    if (tree != nullptr) VisitStmt(*tree, visit);
  }
}

/// Calls `handle` for the facts of each function, and of each file's own statements: a tree is
/// walked once, however the facts of functions that call each other alternate.
void ForEachFunction(llvm::MutableArrayRef<Fact> facts,
                     llvm::function_ref<void(llvm::ArrayRef<Fact*>)> handle) {
  const auto owner = [](const Fact* fact) { return std::pair(fact->file, fact->function); };
  std::vector<Fact*> sorted;
  sorted.reserve(facts.size());
  for (Fact& fact : facts) sorted.push_back(&fact);
  llvm::stable_sort(sorted, [&](const Fact* a, const Fact* b) { return owner(a) < owner(b); });
  const llvm::ArrayRef<Fact*> all(sorted);
  for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && owner(all[end]) == owner(all[begin])) ++end;
    handle(all.slice(begin, end - begin));
  }
}

}  // namespace

void DetachFacts(Project& project, llvm::MutableArrayRef<Fact> facts) {
  ForEachFunction(facts, [&](llvm::ArrayRef<Fact*> some) {
    llvm::DenseMap<const void*, uint32_t> numbers;  // from 1; 0: not found
    for (const Fact* fact : some) {
      if (fact->expr != nullptr) numbers.try_emplace(fact->expr);
      if (fact->statement != nullptr) numbers.try_emplace(fact->statement);
    }
    uint32_t number = 0;
    ForEachNode(project, some.front()->file, some.front()->function, [&](const void* node) {
      ++number;
      const auto wanted = numbers.find(node);
      if (wanted != numbers.end()) wanted->second = number;
    });
    for (Fact* const one : some) {
      Fact& fact = *one;
      if (fact.is_detached) continue;
      fact.is_detached = true;
      if (fact.statement != nullptr) {
        fact.span = fact.statement->span;
        fact.statement_number = numbers.lookup(fact.statement);
        if (fact.statement_number != 0) fact.statement = nullptr;
      }
      if (fact.expr != nullptr) {
        fact.span = fact.expr->span;
        fact.expr_number = numbers.lookup(fact.expr);
        if (fact.expr_number != 0) fact.expr = nullptr;
      }
    }
  });
}

void AttachFacts(Project& project, llvm::MutableArrayRef<Fact> facts) {
  ForEachFunction(facts, [&](llvm::ArrayRef<Fact*> some) {
    std::vector<const void*> nodes{nullptr};
    const bool needs_nodes = llvm::any_of(some, [](const Fact* fact) {
      return fact->expr_number != 0 || fact->statement_number != 0;
    });
    if (needs_nodes) {
      ForEachNode(project, some.front()->file, some.front()->function,
                  [&](const void* node) { nodes.push_back(node); });
    }
    for (Fact* const one : some) {
      Fact& fact = *one;
      if (fact.expr_number != 0) fact.expr = static_cast<const Expr*>(nodes[fact.expr_number]);
      if (fact.statement_number != 0) {
        fact.statement = static_cast<const Stmt*>(nodes[fact.statement_number]);
      }
      fact.is_detached = false;
      fact.expr_number = fact.statement_number = 0;
    }
  });
}

}  // namespace shapewise
