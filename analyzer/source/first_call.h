// Finds code that only the first call of an object runs.

#ifndef SHAPEWISE_SOURCE_FIRST_CALL_H_
#define SHAPEWISE_SOURCE_FIRST_CALL_H_

#include "source/project.h"
#include "syntax/python_ast.h"

namespace shapewise {

/// Whether the body of the `if` turns its own test off for good: `if not self.checked:` with
/// `self.checked = True` in it, a flag that no method of the class stores elsewhere, except
/// `__init__`. `method` is the function with the `if`, or kNoId.
bool RunsOnce(Project& project, FunctionId method, const Stmt& stmt);

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_FIRST_CALL_H_
