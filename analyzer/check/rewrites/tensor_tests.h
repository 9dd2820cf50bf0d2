// Tests of values, as tensors of one bool.

#ifndef SHAPEWISE_CHECK_REWRITES_TENSOR_TESTS_H_
#define SHAPEWISE_CHECK_REWRITES_TENSOR_TESTS_H_

#include <optional>
#include <string>

#include "check/fix_context.h"

namespace shapewise {

/// A test that Python asks, taken apart: `prefix and test`.
struct SplitTest {
  std::string prefix;  ///< what is asked before, as it is written; empty: nothing
  std::string test;    ///< an expression that gives a tensor of one bool
};

/// The source of a bool tensor without dims that is true where `test` is; absent where `test` is
/// not known to be of tensors throughout. `item()` and bool() are left out.
std::optional<std::string> TensorTest(const FixContext& context, const Expr& test);

/// As TensorTest; of `a and b` the leading parts that are no tensors may stay Python's.
std::optional<SplitTest> SplitTensorTest(const FixContext& context, const Expr& test);

/// `~test`, with parentheses where they are needed.
std::string Negated(const std::string& test);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_REWRITES_TENSOR_TESTS_H_
