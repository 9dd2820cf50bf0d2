// Decides which operators a dump or an archive may run.

#ifndef SHAPEWISE_REPLAY_ALLOWED_OPERATORS_H_
#define SHAPEWISE_REPLAY_ALLOWED_OPERATORS_H_

#include <ATen/core/function_schema.h>

#include <string_view>

namespace shapewise::replay {

/// Whether an operator with this schema may run: one of aten, prim or prims that only computes a
/// result or changes a tensor, list or dict passed to it. Operators that access files, print, send
/// or receive are not allowed, nor are those of other namespaces.
bool IsAllowedOperator(const c10::FunctionSchema& schema);

/// Whether TorchScript may contain this `prim::` statement, which need not have a schema: control
/// flow, calls, containers, attributes.
bool IsAllowedPrimitive(std::string_view name);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_ALLOWED_OPERATORS_H_
