// Finds code that exists only to check values.

#ifndef SHAPEWISE_CHECK_VALUE_CHECK_H_
#define SHAPEWISE_CHECK_VALUE_CHECK_H_

#include "syntax/python_ast.h"

namespace shapewise {

/// Whether `test` only raises an error and the result of `first`, an earlier assignment of
/// `function`, only serves to decide it: `values = torch.unique(x)`, `bad = (values > 1).any()`,
/// `if bad: raise`.
bool OnlyServesCheck(const Stmt& function, const Stmt& first, const Stmt& test);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_VALUE_CHECK_H_
