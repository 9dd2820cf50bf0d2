#include "source/constructor_effects.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "source/word_list.h"
#include "syntax/python_walk.h"

namespace shapewise {

/// Reads one expression, or the body of one method. Code that it does not understand may store.
class OwnUseReader {
 public:
  /// `self`: the name of the object. `changes_names`: a change of a local name counts, too.
  OwnUseReader(std::string_view self, bool changes_names, ConstructorEffects::OwnUses& uses)
      : self_(self), changes_names_(changes_names), uses_(uses) {}

  void ReadBlock(llvm::ArrayRef<const Stmt*> body) {
    for (const Stmt* stmt : body) {
      // Functions inside of the method do not store for it, wherever they are called.
      if (stmt->kind == StmtKind::kFunction || stmt->kind == StmtKind::kClass) {
        for (const Expr* decorator : stmt->decorators) ReadExpr(*decorator);
        continue;
      }
      ForEachExpr(*stmt, [&](const Expr& expr, bool is_target) {
        if (is_target) ReadTarget(expr);
        ReadExpr(expr);
      });
      ForEachBlock(*stmt, [&](llvm::ArrayRef<const Stmt*> block) { ReadBlock(block); });
    }
  }

  void ReadExpr(const Expr& expr) {
    switch (expr.kind) {
      case PythonExprKind::kName:
        // Another name for it, through which it may be changed.
        uses_.may_store |= expr.text == self_;
        uses_.has_alias |= expr.text == self_;
        return;
      case PythonExprKind::kSubscript:
        ReadExpr(*expr.left);
        for (const Expr* item : expr.items) {
          if (!IsName(item, self_)) ReadExpr(*item);
        }
        return;
      case PythonExprKind::kNamed:
        uses_.may_store |= changes_names_;
        break;
      case PythonExprKind::kAttribute:
        if (!IsName(expr.left, self_)) break;
        uses_.names.push_back(expr.text);
        return;
      case PythonExprKind::kCall:
        ReadCall(expr);
        return;
      default:
        break;
    }
    ForEachChild(expr, [&](const Expr& child) { ReadExpr(child); });
  }

 private:
  void ReadTarget(const Expr& target) {
    uses_.may_store |= target.kind == PythonExprKind::kAttribute && IsName(target.left, self_);
    for (const Expr* item : target.items) ReadTarget(*item);
    if (target.kind == PythonExprKind::kStarred) ReadTarget(*target.left);
  }

  void ReadCall(const Expr& call) {
    const Expr& callee = *call.left;
    const bool is_function = callee.kind == PythonExprKind::kName;
    // `super` runs another class's code; what is compiled is recorded.
    uses_.may_store |= is_function ? HasWord<"super compile">(callee.text)
                                   : HasWord<
                                         "compile add_module register_module register_buffer "
                                         "register_parameter">(callee.text);
    if (callee.kind == PythonExprKind::kAttribute &&
        HasWord<"append extend insert add">(callee.text)) {
      uses_.may_store |= changes_names_ || callee.left->kind == PythonExprKind::kAttribute;
    }
    ReadExpr(callee);
    for (const CallArgument& argument : call.arguments) {
      // Only methods of the object store for it.
      if (is_function && IsName(argument.value, self_)) continue;
      ReadExpr(*argument.value);
    }
  }

  std::string_view self_;
  bool changes_names_;
  ConstructorEffects::OwnUses& uses_;
};

const ConstructorEffects::OwnUses& ConstructorEffects::UsesOf(FunctionId method) {
  std::unique_ptr<OwnUses>& known = uses_[method];
  if (known != nullptr) return *known;
  known = std::make_unique<OwnUses>();
  const Stmt* tree = project_.Tree(method);
  if (tree == nullptr) return *known;
  const std::string_view self =
      tree->parameters.empty() ? ArenaText() : tree->parameters.front().name;
  OwnUseReader(self, /*changes_names=*/false, *known).ReadBlock(tree->body);
  // A class method stores for the class.
  if (HasDecorator(*tree, "classmethod")) known->may_store = false;
  llvm::sort(known->names);
  known->names.erase(std::unique(known->names.begin(), known->names.end()), known->names.end());
  return *known;
}

bool ConstructorEffects::AnyMayStore(llvm::ArrayRef<std::string_view> names, ClassId of) {
  return llvm::any_of(names, [&](std::string_view name) {
    const FunctionId method = project_.FindMethod(of, name);
    return method != kNoId && MayStore(method, of);
  });
}

bool ConstructorEffects::MayStore(FunctionId method, ClassId of) {
  const auto known = may_store_.find({method, of});
  if (known != may_store_.end()) return known->second;
  llvm::DenseSet<FunctionId> seen{method};
  std::vector<FunctionId> todo{method};
  bool may_store = false;
  while (!todo.empty() && !may_store) {
    const OwnUses& uses = UsesOf(todo.back());
    todo.pop_back();
    may_store = uses.may_store;
    for (const std::string_view name : uses.names) {
      const FunctionId next = project_.FindMethod(of, name);
      if (next != kNoId && seen.insert(next).second) todo.push_back(next);
    }
  }
  may_store_[{method, of}] = may_store;
  return may_store;
}

bool ConstructorEffects::MayChange(const Expr& expr, FunctionId within, ClassId of) {
  if (within == kNoId || of == kNoId) return true;
  const Stmt* tree = project_.Tree(within);
  if (tree == nullptr || tree->parameters.empty()) return true;
  if (UsesOf(within).has_alias) return true;
  const auto [entry, is_new] = expr_uses_.try_emplace(&expr);
  OwnUses& uses = entry->second;
  if (is_new) {
    OwnUseReader(tree->parameters.front().name, /*changes_names=*/true, uses).ReadExpr(expr);
  }
  return uses.may_store || AnyMayStore(uses.names, of);
}

}  // namespace shapewise
