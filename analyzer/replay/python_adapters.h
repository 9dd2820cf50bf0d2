// Functions that Python wraps: their parameters differ from those of the operator with the same
// name, or there is no such operator.

#ifndef SHAPEWISE_REPLAY_PYTHON_ADAPTERS_H_
#define SHAPEWISE_REPLAY_PYTHON_ADAPTERS_H_

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "replay/value.h"

namespace shapewise::replay {

/// A wrapper. `parameters` is Python's signature: "input, p=0.5, training=True, inplace=False";
/// `function` receives one argument for each, in this order; a missing argument has its default, if
/// it has one.
struct PythonAdapter {
  std::string_view target;  ///< "torch.nn.functional.dropout"; for methods ".to"
  std::string_view parameters;
  Value (*function)(const std::vector<Value>& arguments);
};

/// Null: there is no wrapper for `target`.
const PythonAdapter* FindPythonAdapter(std::string_view target);

/// Arranges `arguments` in the order of the signature. Throws std::runtime_error if one is not in
/// it.
std::vector<Value> BindToSignature(const PythonAdapter& adapter, const CallArguments& arguments);

/// The tables, one per file.
std::span<const PythonAdapter> LayerAdapters();   ///< layers, activations, norms
std::span<const PythonAdapter> LossAdapters();    ///< losses and distances
std::span<const PythonAdapter> ImageAdapters();   ///< pools, sampling, interpolation
std::span<const PythonAdapter> TensorAdapters();  ///< methods and functions of tensors
std::span<const PythonAdapter> AttentionAdapters();

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_PYTHON_ADAPTERS_H_
