// Trees of pyast as text, in a form that Python can print of its own trees.

#ifndef SHAPEWISE_TESTS_SUPPORT_PYAST_DUMP_H_
#define SHAPEWISE_TESTS_SUPPORT_PYAST_DUMP_H_

#include <string>

#include "pyast/ast.h"

namespace shapewise::pyast {

/// Appends "(Kind@begin-end field ...)" for `node` and its descendants: "_" is null, lists are in
/// brackets, bytes of texts other than printable ASCII are escaped. Nodes without a place in
/// CPython have no place here.
void Dump(const Node* node, std::string& text);

}  // namespace shapewise::pyast

#endif  // SHAPEWISE_TESTS_SUPPORT_PYAST_DUMP_H_
