// Functions without a schema: Python's operators, subscripts, symbolic numbers, prims.

#ifndef SHAPEWISE_REPLAY_OPERATORS_BY_HAND_H_
#define SHAPEWISE_REPLAY_OPERATORS_BY_HAND_H_

#include <optional>
#include <string_view>

#include "replay/value.h"

namespace shapewise::replay {

/// "operator.getitem", "torch.sym_float", "prims.iota.default"; null: not implemented here.
HandFunction FindOperatorByHand(std::string_view target);

/// "operator.mul", "math.sqrt", "min" for numbers; null: none.
HandFunction FindOperatorOnNumbers(std::string_view target);

/// The PyTorch operator for a Python operator with a tensor operand.
struct TensorOperator {
  std::string_view python;  ///< "operator.sub"
  std::string_view name;    ///< "aten::sub"
  /// With exchanged operands if the first is a number: "aten::rsub"; empty: `name`.
  std::string_view reflected;
};

/// Null: none.
const TensorOperator* FindTensorOperator(std::string_view target);

/// number / tensor, which Python computes with a reciprocal.
Value DivideNumberByTensor(const CallArguments& arguments);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_OPERATORS_BY_HAND_H_
