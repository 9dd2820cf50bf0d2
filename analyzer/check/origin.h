// What a value is made of, as far as the assignments of its function tell.

#ifndef SHAPEWISE_CHECK_ORIGIN_H_
#define SHAPEWISE_CHECK_ORIGIN_H_

#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "shapewise/syntax/python_ast.h"

namespace shapewise {

/// Whether `expr`, or what the names in it were last assigned in `function`, holds a call of one of
/// `words`: the last part of the callee's name ("cat" of torch.cat), or "@" for the operator. Looks
/// through a few assignments; branches are taken as they stand, one after the other.
bool ComesFrom(const Stmt& function, const Expr& expr, llvm::ArrayRef<std::string> words);

/// Whether `store` gives `target` a value that is made of what `target` was: `a.n += 1`,
/// `a.n = f(a.n)`.
bool IsMadeOfItself(const Stmt& store, const Expr& target);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_ORIGIN_H_
