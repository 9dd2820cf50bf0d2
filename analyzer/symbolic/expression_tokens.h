// The words of an expression, with brackets matched.

#ifndef SHAPEWISE_SYMBOLIC_EXPRESSION_TOKENS_H_
#define SHAPEWISE_SYMBOLIC_EXPRESSION_TOKENS_H_

#include <cstdint>
#include <string_view>

#include "llvm/ADT/SmallVector.h"

namespace shapewise {

struct ExprToken {
  enum class Kind : uint8_t {
    kEnd,
    kName,      ///< an identifier or a word of Python
    kInteger,   ///< digits, with C++'s suffix L cut off
    kFloat,     ///< a decimal number with a point or an exponent
    kString,    ///< with its quotes
    kOpen,      ///< ( [ {
    kClose,     ///< ) ] }
    kOperator,  ///< any other sign; "::" and "->" stand as "."
  };
  Kind kind = Kind::kEnd;
  uint32_t match = 0;  ///< of a bracket: the token that closes or opens it
  std::string_view text;
};

using ExprTokens = llvm::SmallVector<ExprToken, 32>;

/// The tokens of `text` up to a comment (#) and a kEnd. Empty: a byte that no expression holds, a
/// string without end, or brackets that do not match or nest deeper than `max_depth`.
ExprTokens SplitExpression(std::string_view text, uint32_t max_depth);

}  // namespace shapewise

#endif  // SHAPEWISE_SYMBOLIC_EXPRESSION_TOKENS_H_
