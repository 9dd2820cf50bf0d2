// The table of operators: which rule each name follows.

#ifndef SHAPEWISE_SHAPES_OPERATORS_H_
#define SHAPEWISE_SHAPES_OPERATORS_H_

#include <cstdint>
#include <string_view>

namespace shapewise {

class NodeContext;

/// What an operator does, in the terms of its rule.
struct OperatorRule {
  void (*apply)(NodeContext&) = nullptr;
  uint8_t code = 0;   ///< a Pointwise, a Reduction ... whatever `apply` takes it for
  uint8_t flags = 0;  ///< OperatorFlag
};

enum OperatorFlag : uint8_t {
  kTakesSizes = 1,  ///< integer arguments are sizes or positions, no operands of arithmetic
  kShapeOnly = 2,   ///< what stands in its tensors does not matter, only their shapes do
  kFirstOnly = 4,   ///< of all its tensors but the first only the shape matters
  kPair = 8,        ///< results are (values, indices)
  kTuple = 16,      ///< a particular tuple of results: see the rule
  kIsView = 32,     ///< the result shares its memory with the first argument, or may
};

/// A target taken apart: "aten.add_.Tensor" is "add" in place.
struct OperatorName {
  std::string_view base;
  bool is_in_place = false;
  bool is_python = false;      ///< of Python's operators, which take numbers as well as tensors
  bool is_functional = false;  ///< of torch.nn.functional, whose arguments may stand otherwise
};

OperatorName ParseOperatorName(std::string_view target);

/// The rule for `base`; null: not known.
const OperatorRule* FindOperator(std::string_view base);

}  // namespace shapewise

#endif  // SHAPEWISE_SHAPES_OPERATORS_H_
