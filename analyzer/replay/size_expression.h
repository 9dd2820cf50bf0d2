// Sizes as expressions over the symbols of a graph, and their values.

#ifndef SHAPEWISE_REPLAY_SIZE_EXPRESSION_H_
#define SHAPEWISE_REPLAY_SIZE_EXPRESSION_H_

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace shapewise::replay {

/// The value of each symbol, by name.
using Bindings = std::map<std::string, double>;

/// One tree of a program's expressions.
struct SizeExpression {
  enum class Kind : uint8_t {
    kUnknown,    ///< not told
    kInteger,    ///< `integer`
    kBool,       ///< `integer`: 0 or 1
    kSymbol,     ///< `name`
    kOperation,  ///< `name`: "+", "//", "min" ...; "call": nothing is known of it
  };
  Kind kind = Kind::kUnknown;
  int64_t integer = 0;
  std::string name;
  std::vector<SizeExpression> operands;
};

/// Reads a tree of the program JSON; what is malformed becomes kUnknown.
SizeExpression ReadSizeExpression(const nlohmann::json& json);

/// Python's value of `expression`; truth values are 1 and 0. Absent: a symbol is not bound to an
/// integer, the value is no integer, it overflows 64 bits, or nothing is known of a function.
std::optional<int64_t> Evaluate(const SizeExpression& expression, const Bindings& bindings);

/// The name of the symbol that `expression` is; empty: it is something else.
std::string SymbolName(const SizeExpression& expression);

/// As a person writes it: "2*s0 + 1".
std::string ToText(const SizeExpression& expression);

/// Whether a // b has a value: b is not 0, and the quotient does not overflow.
bool IsDividable(int64_t a, int64_t b);

/// Python's a // b and a % b, of what IsDividable().
int64_t FloorDivide(int64_t a, int64_t b);
int64_t FloorModulo(int64_t a, int64_t b);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_SIZE_EXPRESSION_H_
