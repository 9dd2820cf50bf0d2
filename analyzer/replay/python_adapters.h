// Functions that Python wraps: their arguments stand otherwise than those of the operator of the
// same name, or no operator has the name.

#ifndef SHAPEWISE_REPLAY_PYTHON_ADAPTERS_H_
#define SHAPEWISE_REPLAY_PYTHON_ADAPTERS_H_

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "replay/call_arguments.h"

namespace shapewise::replay {

/// One wrapper. `parameters` is Python's signature: "input, p=0.5, training=True, inplace=False";
/// `function` gets an argument for each, in this order; what is not given has its default, or is
/// missing if it has none.
struct PythonAdapter {
  std::string_view target;  ///< "torch.nn.functional.dropout"; of methods ".to"
  std::string_view parameters;
  Value (*function)(const std::vector<Value>& arguments);
};

/// Null: none is called `target`.
const PythonAdapter* FindPythonAdapter(std::string_view target);

/// Puts `arguments` into the order of the signature. Throws std::runtime_error if one is not in it.
std::vector<Value> BindToSignature(const PythonAdapter& adapter, const CallArguments& arguments);

/// The tables, one a file.
std::span<const PythonAdapter> LayerAdapters();   ///< layers, activations, norms
std::span<const PythonAdapter> LossAdapters();    ///< losses and distances
std::span<const PythonAdapter> ImageAdapters();   ///< pools, sampling, interpolation
std::span<const PythonAdapter> TensorAdapters();  ///< methods and functions of tensors
std::span<const PythonAdapter> AttentionAdapters();

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_PYTHON_ADAPTERS_H_
