// Ways through a tree of Python code: the path to a place, the uses of a name.

#ifndef SHAPEWISE_CHECK_TREE_WALK_H_
#define SHAPEWISE_CHECK_TREE_WALK_H_

#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "shapewise/syntax/python_ast.h"
#include "syntax/python_walk.h"

namespace shapewise {

/// One place where a name stands.
struct NameUse {
  const Expr* name = nullptr;
  std::vector<const Expr*> above;  ///< the expressions around it, nearest last
  const Stmt* statement = nullptr;
  bool is_store = false;
};

/// All places in `body` and what stands in it at which `name` stands, in no particular order of
/// blocks. Nested functions are looked through, too.
std::vector<NameUse> UsesOf(llvm::ArrayRef<const Stmt*> body, std::string_view name);

/// From a statement of `body` down to `target`, both included; empty where it is not there.
std::vector<const Stmt*> PathTo(llvm::ArrayRef<const Stmt*> body, const Stmt* target);

/// From an expression of `statement` down to `target`, both included; empty where it is not there.
std::vector<const Expr*> PathTo(const Stmt& statement, const Expr* target);

/// "importlib.util.find_spec" of a name or of attributes of one; empty for anything else.
std::string DottedName(const Expr& expr);

/// What stands last in a dotted name or an attribute of anything: "find_spec", "item".
std::string_view LastName(const Expr& expr);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_TREE_WALK_H_
