// What a value is made of, as far as the assignments of its function tell.

#ifndef SHAPEWISE_CHECK_ORIGIN_H_
#define SHAPEWISE_CHECK_ORIGIN_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "llvm/ADT/ArrayRef.h"
#include "shapewise/syntax/python_ast.h"

namespace shapewise {

/// Whether `expr`, or what the names in it were last assigned in `function`, holds a call of one of
/// `words`: the last part of the callee's name ("cat" of torch.cat), or "@" for the operator. Looks
/// through a few assignments; branches are taken as they stand, one after the other.
bool ComesFrom(const Stmt& function, const Expr& expr, llvm::ArrayRef<std::string> words);

/// How the code of a value is written.
enum class CodeForm : uint8_t {
  kTrue,         ///< True
  kStridedView,  ///< a view with gaps between its rows, or with its dims turned: x[:, :8], x.t()
};

/// Names of the forms, as rule files write them: "true", "strided_view".
std::string_view CodeFormName(CodeForm form);

/// Whether `expr`, or what it was last assigned in `function` if it is a name, is written as
/// `form`. Looks through a few assignments, as ComesFrom does.
bool IsWrittenAs(const Stmt& function, const Expr& expr, CodeForm form);

/// Whether `store` gives `target` a value that is made of what `target` was: `a.n += 1`,
/// `a.n = f(a.n)`.
bool IsMadeOfItself(const Stmt& store, const Expr& target);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_ORIGIN_H_
