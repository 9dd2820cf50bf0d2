#include "check/value_check.h"

#include <string_view>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "syntax/python_walk.h"

namespace shapewise {
namespace {

/// The names whose values derive from the result of one statement, as far as a check uses them.
class DerivedNames {
 public:
  DerivedNames(const Stmt& first, const Stmt& test)
      : first_(first), test_(test), names_({AssignedName(first)}) {}

  /// Reads the statements of `body` in their order; false: one uses a name for something else than
  /// the check.
  bool Read(llvm::ArrayRef<const Stmt*> body) {
    llvm::SmallVector<std::string_view, 2> assigned_again;
    const bool serves_check = llvm::all_of(body, [&](const Stmt* stmt) {
      if (stmt == &first_ || stmt->span.end <= first_.span.begin) return true;
      if (stmt == &test_) {
        has_read_test_ = Uses(*test_.value);
        return has_read_test_;
      }
      bool uses = false;
      ForEachExpr(*stmt,
                  [&](const Expr& expr, bool is_target) { uses |= !is_target && Uses(expr); });
      const std::string_view target = AssignedName(*stmt);
      if (uses && (has_read_test_ || target.empty())) return false;
      if (uses) {
        names_.push_back(target);
      } else if (llvm::is_contained(names_, target)) {
        llvm::erase_value(names_, target);
        assigned_again.push_back(target);
      }
      bool is_fine = true;
      ForEachBlock(*stmt,
                   [&](llvm::ArrayRef<const Stmt*> block) { is_fine = is_fine && Read(block); });
      return is_fine;
    });
    // After a block that may not have run, a name may still have the value from before.
    llvm::append_range(names_, assigned_again);
    return serves_check;
  }

  /// The name that `stmt` assigns; empty: it is not an assignment to one name.
  static std::string_view AssignedName(const Stmt& stmt) {
    const bool is_one_name = stmt.kind == StmtKind::kAssign && stmt.targets.size() == 1 &&
                             stmt.targets.front()->kind == PythonExprKind::kName;
    return is_one_name ? stmt.targets.front()->text : std::string_view();
  }

  bool has_read_test() const { return has_read_test_; }

 private:
  bool Uses(const Expr& expr) const {
    bool uses = expr.kind == PythonExprKind::kName && llvm::is_contained(names_, expr.text);
    ForEachChild(expr, [&](const Expr& child) { uses = uses || Uses(child); });
    return uses;
  }

  const Stmt& first_;
  const Stmt& test_;
  llvm::SmallVector<std::string_view, 4> names_;
  bool has_read_test_ = false;
};

}  // namespace

bool OnlyServesCheck(const Stmt& function, const Stmt& first, const Stmt& test) {
  const bool only_raises = test.kind == StmtKind::kIf && test.orelse.empty() &&
                           !test.body.empty() && test.body.back()->kind == StmtKind::kRaise;
  if (!only_raises || DerivedNames::AssignedName(first).empty()) return false;
  DerivedNames names(first, test);
  return names.Read(function.body) && names.has_read_test();
}

}  // namespace shapewise
