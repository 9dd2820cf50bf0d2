// Trees of Python as text, for tests: tests/tools/check_python_trees.py prints Python's own alike.

#ifndef SHAPEWISE_TESTS_SUPPORT_PYTHON_TREE_TEXT_H_
#define SHAPEWISE_TESTS_SUPPORT_PYTHON_TREE_TEXT_H_

#include <string>

#include "syntax/python_ast.h"

namespace shapewise {

/// One expression: "(+ a (call f x))"; `with_places` adds "@4-9" to each node.
std::string ExprText(const Expr& expr, bool with_places = false);

/// One line a statement, blocks indented. Texts in f-strings are "_", as are their places left out:
/// before Python 3.12, ast does not know them.
std::string TreeText(llvm::ArrayRef<const Stmt*> body, bool with_places = false);

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_SUPPORT_PYTHON_TREE_TEXT_H_
