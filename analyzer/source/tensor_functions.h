// Free functions written to run in the compiled regions of other code.

#ifndef SHAPEWISE_SOURCE_TENSOR_FUNCTIONS_H_
#define SHAPEWISE_SOURCE_TENSOR_FUNCTIONS_H_

#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "source/flow.h"
#include "source/project.h"

namespace shapewise {

/// Public functions of the checked files that take tensors, by file and place: losses, metrics,
/// solvers, operations on boxes. Not those that are reached anyhow, and not code around models:
/// training loops, scripts, tests, what loads, saves or draws. `left_out` gets those
/// that are left out because of what their code mentions.
std::vector<CompiledRoot> FindTensorFunctions(Project& project,
                                              llvm::function_ref<bool(FunctionId)> is_reached,
                                              std::vector<FunctionId>& left_out);

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_TENSOR_FUNCTIONS_H_
