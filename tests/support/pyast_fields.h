// Visits the fields of pyast's nodes by their names.

#ifndef SHAPEWISE_TESTS_SUPPORT_PYAST_FIELDS_H_
#define SHAPEWISE_TESTS_SUPPORT_PYAST_FIELDS_H_

#include "pyast/ast.h"

namespace shapewise::pyast {

/// Calls visit(name, value) for each field of a `node` of any kind. A value is a node, a list of
/// nodes, a name, a list of names, an operator, a list of operators, a ConstantKind, or an int.
template <typename Visitor>
void VisitAnyFields(const Node& node, Visitor&& visit) {
  switch (node.kind) {
#define FIELD(Type, name)
#define NODE(Name, PythonName, Base, fields) \
  case Kind::k##Name:                        \
    return VisitFields(static_cast<const Name&>(node), visit);
#include "pyast/nodes.def"
  }
}

}  // namespace shapewise::pyast

#endif  // SHAPEWISE_TESTS_SUPPORT_PYAST_FIELDS_H_
