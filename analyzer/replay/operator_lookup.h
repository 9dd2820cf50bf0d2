// Finds and calls the overload for an operator's name and arguments.

#ifndef SHAPEWISE_REPLAY_OPERATOR_LOOKUP_H_
#define SHAPEWISE_REPLAY_OPERATOR_LOOKUP_H_

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/jit_type.h>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "replay/program.h"
#include "replay/value.h"

namespace torch::jit {
struct Operator;
}

namespace shapewise::replay {

/// The declared type of an argument: Argument::real_type(), which distinguishes dtypes, layouts and
/// memory formats from integers, and Argument::N() of "int[2]".
struct WantedType {
  c10::TypePtr type;
  std::optional<int32_t> length;
};

/// Converts `value` to `wanted` and stores it in `converted`. Returns the cost, 0 if the types are
/// equal: the overload with the least total cost is called. Absent: not convertible.
std::optional<int> ConvertArgument(const Value& value, const WantedType& wanted,
                                   c10::IValue& converted);

/// Whether an operator with this schema may run: one of aten, prim or prims that only computes a
/// result or changes a tensor, list or dict passed to it. Operators that access files, print, send
/// or receive are not allowed, nor are those of other namespaces.
bool IsAllowedOperator(const c10::FunctionSchema& schema);

/// Whether TorchScript may contain this `prim::` statement, which need not have a schema: control
/// flow, calls, containers, attributes.
bool IsAllowedPrimitive(std::string_view name);

using Stack = std::vector<c10::IValue>;

/// One PyTorch operator; calls need no lookup.
class Overload {
 public:
  explicit Overload(std::shared_ptr<torch::jit::Operator> op);

  const c10::FunctionSchema& schema() const { return *schema_; }
  /// Replaces the arguments on `stack` by the results.
  void Call(Stack& stack) const;

 private:
  std::shared_ptr<torch::jit::Operator> op_;
  const c10::FunctionSchema* schema_;
  std::optional<c10::OperatorHandle> handle_;
};

/// The overloads of "aten::add" that are allowed and return their results, in declaration order;
/// empty: no such operator. Valid for the life of the program.
std::vector<const Overload*> FindOverloads(const std::string& name);

/// Whether an overload of "aten::from_file" exists that is not allowed.
bool HasRefusedOverloads(const std::string& name);

/// "aten.add.Tensor" -> "aten::add"; empty: `target` has another form.
std::string OperatorOfTarget(std::string_view target);

/// "aten.add.Tensor" -> the overload of aten::add called "Tensor", if any.
std::vector<const Overload*> FindOverloadOfTarget(std::string_view target);

/// The arguments of a statement.
struct ArgumentList {
  std::vector<ProgramArgument> positional;
  std::vector<std::pair<std::string, ProgramArgument>> keywords;
};

/// A call of one overload with arguments in schema order. Constants are converted once.
class PreparedCall {
 public:
  /// Selects the overload that fits `arguments` best. Throws std::runtime_error with `target` if
  /// none fits.
  PreparedCall(const std::vector<const Overload*>& overloads, const std::string& target,
               const ArgumentList& arguments, const Frame& frame);

  /// Throws the operator's exceptions.
  Value Run(const Frame& frame);

  const c10::FunctionSchema& schema() const { return overload_->schema(); }

 private:
  /// An argument that differs between runs.
  struct Varying {
    size_t index = 0;  ///< index in the schema
    ProgramArgument argument;
    WantedType wanted;
    bool is_tensor_slot = false;  ///< the common case: no conversion
  };

  /// The cost of calling `overload`; absent: it does not accept the arguments.
  std::optional<int> Bind(const Overload& overload, const ArgumentList& arguments,
                          const Frame& frame);

  const Overload* overload_ = nullptr;
  Stack constants_;  ///< one per argument of the schema; None if it varies
  std::vector<Varying> varying_;
  Stack stack_;
};

/// Calls the overload of `name` ("aten::softmax") that fits, for functions that Python wraps.
Value CallOperator(const std::string& name, const std::vector<Value>& positional,
                   const std::vector<std::pair<std::string, Value>>& keywords = {});

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_OPERATOR_LOOKUP_H_
