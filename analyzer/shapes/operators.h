// The table of operators: the rule of each name.

#ifndef SHAPEWISE_SHAPES_OPERATORS_H_
#define SHAPEWISE_SHAPES_OPERATORS_H_

#include <cstdint>
#include <string_view>

namespace shapewise {

class NodeContext;

/// How to evaluate an operator with its rule.
struct OperatorRule {
  void (*apply)(NodeContext&) = nullptr;
  uint8_t code = 0;   ///< a Pointwise, a Reduction ... as expected by `apply`
  uint8_t flags = 0;  ///< OperatorFlag
};

enum OperatorFlag : uint8_t {
  kTakesSizes = 1,  ///< integer arguments are sizes or positions, not operands of arithmetic
  kShapeOnly = 2,   ///< only the shapes of its tensors matter, not their values
  kFirstOnly = 4,   ///< for all tensors except the first, only the shape matters
  kPair = 8,        ///< results are (values, indices)
  kTuple = 16,      ///< a particular tuple of results: see the rule
  kIsView = 32,     ///< the result shares its memory with the first argument, or may
};

/// A target, split: "aten.add_.Tensor" is "add" in place.
struct OperatorName {
  std::string_view base;
  bool is_in_place = false;
  bool is_python = false;      ///< one of Python's operators, which take numbers as well as tensors
  bool is_functional = false;  ///< in torch.nn.functional, whose arguments may have another order
};

OperatorName ParseOperatorName(std::string_view target);

/// The rule for `base`; null: not known.
const OperatorRule* FindOperator(std::string_view base);

}  // namespace shapewise

#endif  // SHAPEWISE_SHAPES_OPERATORS_H_
