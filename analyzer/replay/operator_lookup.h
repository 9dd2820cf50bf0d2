// From the name of an operator and its arguments to the overload that is called, and the call.

#ifndef SHAPEWISE_REPLAY_OPERATOR_LOOKUP_H_
#define SHAPEWISE_REPLAY_OPERATOR_LOOKUP_H_

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/function_schema.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "replay/argument_conversion.h"
#include "replay/frame.h"

namespace torch::jit {
struct Operator;
}

namespace shapewise::replay {

using Stack = std::vector<c10::IValue>;

/// One operator of PyTorch. Calls need no lookup.
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

/// All overloads of "aten::add" that are allowed and return their results, in the order of their
/// declaration; none if there is no such operator. They live as long as the program.
const std::vector<Overload>& FindOverloads(const std::string& name);

/// Whether an overload of "aten::from_file" exists that is not on the list of allowed operators.
bool HasRefusedOverloads(const std::string& name);

/// "aten.add.Tensor" -> "aten::add"; empty: `target` is not such a name.
std::string OperatorOfTarget(std::string_view target);

/// "aten.add.Tensor" -> the overloads of aten::add that are called "Tensor": one, or none.
std::vector<const Overload*> FindOverloadOfTarget(std::string_view target);

/// The arguments of a statement.
struct ArgumentList {
  std::vector<ProgramArgument> positional;
  std::vector<std::pair<std::string, ProgramArgument>> keywords;
};

/// A call of one overload, whose arguments were put into the order of its schema. What is constant
/// in it was converted once.
class PreparedCall {
 public:
  /// The call of the overload that fits `arguments` best. Throws std::runtime_error, which names
  /// `target`, if none does.
  PreparedCall(const std::vector<const Overload*>& overloads, const std::string& target,
               const ArgumentList& arguments, const Frame& frame);

  /// Throws whatever the operator throws.
  Value Run(const Frame& frame);

  const c10::FunctionSchema& schema() const { return overload_->schema(); }

 private:
  /// An argument that is not the same in each run.
  struct Varying {
    size_t index = 0;  ///< in the schema
    ProgramArgument argument;
    WantedType wanted;
    bool is_tensor_slot = false;  ///< the usual case: no conversion
  };

  /// The cost of calling `overload`; absent: it does not take the arguments.
  std::optional<int> Bind(const Overload& overload, const ArgumentList& arguments,
                          const Frame& frame);

  const Overload* overload_ = nullptr;
  Stack constants_;  ///< one an argument of the schema; None where it varies
  std::vector<Varying> varying_;
  Stack stack_;
};

/// Calls the overload of `name` ("aten::softmax") that fits; for what Python wraps.
Value CallOperator(const std::string& name, const std::vector<Value>& positional,
                   const std::vector<std::pair<std::string, Value>>& keywords = {});

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_OPERATOR_LOOKUP_H_
