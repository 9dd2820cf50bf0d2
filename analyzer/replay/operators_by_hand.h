// What no schema declares: Python's operators, subscripts, symbolic numbers, prims.

#ifndef SHAPEWISE_REPLAY_OPERATORS_BY_HAND_H_
#define SHAPEWISE_REPLAY_OPERATORS_BY_HAND_H_

#include <optional>
#include <string_view>

#include "replay/call_arguments.h"

namespace shapewise::replay {

/// "operator.getitem", "torch.sym_float", "prims.iota.default"; null: not written by hand.
HandFunction FindOperatorByHand(std::string_view target);

/// "operator.mul", "math.sqrt", "min" of numbers; null: no such function of numbers.
HandFunction FindOperatorOnNumbers(std::string_view target);

/// The operator of PyTorch that Python's is where a tensor is among its operands.
struct TensorOperator {
  std::string_view python;     ///< "operator.sub"
  std::string_view name;       ///< "aten::sub"
  std::string_view reflected;  ///< with exchanged operands, if the first is a number: "aten::rsub";
                               ///< empty: `name`, as they are
};

/// Null: there is none.
const TensorOperator* FindTensorOperator(std::string_view target);

/// number / tensor, which Python computes by a reciprocal.
Value DivideNumberByTensor(const CallArguments& arguments);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_OPERATORS_BY_HAND_H_
