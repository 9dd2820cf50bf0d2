// Where a value comes from, according to the assignments of its function.

#ifndef SHAPEWISE_CHECK_ORIGIN_H_
#define SHAPEWISE_CHECK_ORIGIN_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "llvm/ADT/ArrayRef.h"
#include "source/fact.h"
#include "source/project.h"
#include "syntax/python_ast.h"

namespace shapewise {

/// Whether `expr`, or the values last assigned in `function` to the names in it, contains a call of
/// one of `words`: the last part of the callee's name ("cat" for torch.cat), or "@" for the
/// operator. Looks through a few assignments; branches are read in the order of the text.
bool DerivesFrom(const Stmt& function, const Expr& expr, llvm::ArrayRef<std::string> words);

/// The form in which the code of a value is written.
enum class CodeForm : uint8_t {
  kTrue,         ///< True
  kStridedView,  ///< a view with gaps between its rows, or with transposed dims: x[:, :8], x.t()
  kNotFalse,     ///< anything but False
  kSetLater,     ///< computed from an attribute of self that methods besides __init__ store
};

/// Names of the forms in rule files: "true", "strided_view", "not_false", "set_later".
std::string_view CodeFormName(CodeForm form);

/// Whether `expr`, or the value last assigned to it in `function` if it is a name, is written as
/// `form`. Looks through a few assignments, like DerivesFrom. kSetLater is not decided here: it is
/// a question about all methods (StoresAttributeOf).
bool IsWrittenAs(const Stmt& function, const Expr& expr, CodeForm form);

/// Whether `store` assigns `target` a value computed from its previous value: `a.n += 1`, `a.n =
/// f(a.n)`.
bool IsMadeOfItself(const Stmt& store, const Expr& target);

/// Whether `store` assigns `target` its previous value with something appended: `a.k =
/// torch.cat([a.k, k])`, also if `function` gives that value a name before. A part of fixed length
/// that is taken of it does not count.
bool IsAppendedToItself(const Stmt& function, const Stmt& store, const Expr& target);

/// Whether a branch of `function` depends on the value of `part`, an expression in it: `part`, or
/// a name that it is assigned to, is in the test of an `if`, a `while` or a conditional expression,
/// or in one that is returned. Checks do not count, neither `assert` nor an `if` that only raises.
bool DecidesBranch(const Stmt& function, const Expr& part);

/// Whether `name` is a parameter of `function` or of a function in it, or a target of a statement
/// in them.
bool Assigns(const Stmt& function, std::string_view name);

/// Whether an if or while of `function` asks for the value of `target`. `is_own`: `target` is in
/// the same function, and only tests that begin before it count.
bool IsTested(const Stmt& function, const Expr& target, bool is_own);

/// Whether `function` calls the method `name` of its object: `self.name()`.
bool CallsOwnMethod(const Stmt& function, std::string_view name);

/// Whether a statement of `function` stores something else than a literal in an attribute of self
/// that `expr` contains. `is_own`: `expr` is in the same function, and only a value that is
/// computed from the one before counts.
bool StoresAttributeOf(const Stmt& function, const Expr& expr, bool is_own);

/// Whether a loop evaluates the call of `fact` in every iteration, directly or in a function that
/// it calls, with the same arguments, and drops the result: `torch.compile(f)(x)`. False if the
/// call is under a condition, or if the loop resets something.
bool IsRepeated(Project& project, const Fact& fact);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_ORIGIN_H_
