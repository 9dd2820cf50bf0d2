// Functions that Python wraps: their parameters differ from those of the operator with the same
// name, or there is no such operator.

#ifndef SHAPEWISE_REPLAY_PYTHON_ADAPTERS_H_
#define SHAPEWISE_REPLAY_PYTHON_ADAPTERS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "replay/operator_lookup.h"
#include "replay/program.h"
#include "replay/value.h"

namespace shapewise::replay {

/// A wrapper. `parameters` is Python's signature: "input, p=0.5, training=True, inplace=False";
/// `function` receives one argument for each, in this order; a missing argument has its default, if
/// it has one.
struct PythonAdapter {
  std::string_view target;  ///< "torch.nn.functional.dropout"; for methods ".to"
  std::string_view parameters;
  Value (*function)(const std::vector<Value>& arguments) = nullptr;  ///< null: see `call`
  std::string_view call = {};  ///< "aten::dropout(input, p, training)"; see python_functions.txt
};

/// Null: there is no wrapper for `target`.
const PythonAdapter* FindPythonAdapter(std::string_view target);

/// Arranges the arguments of `node` in the order of the signature. Throws std::runtime_error if one
/// is not in it.
std::vector<ProgramArgument> BindToSignature(const PythonAdapter& adapter, const ProgramNode& node);

/// The call of an operator.
struct OperatorCall {
  std::string name;  ///< "aten::dropout_"
  ArgumentList arguments;
};

/// What `adapter` calls with the arguments `bound`.
OperatorCall CallOf(const PythonAdapter& adapter, const std::vector<ProgramArgument>& bound,
                    const Frame& frame);

/// Converts "none", "mean" and "sum" to at::Reduction; size_average and reduce take precedence.
int64_t Reduction(const Value& name, const Value& size_average, const Value& reduce);

/// The tables, one per file.
std::span<const PythonAdapter> FunctionalAdapters();  ///< of torch.nn.functional
std::span<const PythonAdapter> TensorAdapters();      ///< methods and functions of tensors

/// The text of python_functions.txt.
std::string_view PythonFunctions();

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_PYTHON_ADAPTERS_H_
