// Tests of values as tensors of one bool.

#ifndef SHAPEWISE_CHECK_REWRITES_TENSOR_TESTS_H_
#define SHAPEWISE_CHECK_REWRITES_TENSOR_TESTS_H_

#include <optional>
#include <string>

#include "check/fix_context.h"

namespace shapewise {

/// A test in Python, split into `prefix and test`.
struct SplitTest {
  std::string prefix;  ///< the parts before it, as written; empty: none
  std::string test;    ///< an expression that returns a tensor of one bool
};

/// The source of a bool tensor without dims that is true if `test` is; absent if `test` may contain
/// other values than tensors. Drops `item()` and bool().
std::optional<std::string> TensorTest(const FixContext& context, const Expr& test);

/// Like TensorTest; in `a and b` the leading parts that are not tensors may stay Python
/// expressions.
std::optional<SplitTest> SplitTensorTest(const FixContext& context, const Expr& test);

/// `~test`, with parentheses if needed.
std::string Negated(const std::string& test);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_REWRITES_TENSOR_TESTS_H_
