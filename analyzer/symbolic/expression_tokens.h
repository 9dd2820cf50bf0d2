// Splits an expression into tokens with matched brackets.

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
    kInteger,   ///< digits, without C++'s suffix L
    kFloat,     ///< a decimal number with a point or an exponent
    kString,    ///< with its quotes
    kOpen,      ///< ( [ {
    kClose,     ///< ) ] }
    kOperator,  ///< any other operator; "::" and "->" become "."
  };
  Kind kind = Kind::kEnd;
  uint32_t match = 0;  ///< for a bracket: index of its counterpart
  std::string_view text;
};

using ExprTokens = llvm::SmallVector<ExprToken, 32>;

/// The tokens of `text` up to a comment (#), and a kEnd. Empty: an invalid byte, an unclosed
/// string, or brackets that do not match or are nested deeper than `max_depth`.
ExprTokens SplitExpression(std::string_view text, uint32_t max_depth);

}  // namespace shapewise

#endif  // SHAPEWISE_SYMBOLIC_EXPRESSION_TOKENS_H_
