// Sizes as expressions over the symbols of a graph, and their evaluation.

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

/// A tree of a program's expressions.
struct SizeExpression {
  enum class Kind : uint8_t {
    kUnknown,    ///< unknown
    kInteger,    ///< `integer`
    kBool,       ///< `integer`: 0 or 1
    kSymbol,     ///< `name`
    kOperation,  ///< `name`: "+", "//", "min" ...; "call": unknown function
  };
  Kind kind = Kind::kUnknown;
  int64_t integer = 0;
  std::string name;
  std::vector<SizeExpression> operands;
};

/// `json` as an integer; absent: something else, or it does not fit a signed 64-bit integer.
std::optional<int64_t> JsonInteger(const nlohmann::ordered_json& json);

/// `number` as an integer; absent: it has a fraction, is not finite, or does not fit.
std::optional<int64_t> IntegerOf(double number);

/// Reads a tree of the program JSON; malformed parts become kUnknown. The caller limits the depth.
SizeExpression ReadSizeExpression(const nlohmann::ordered_json& json);

/// Python's value of `expression`; truth values are 1 and 0. Absent: a symbol is not bound to an
/// integer, the value is not an integer, overflow of 64 bits, or an unknown function.
std::optional<int64_t> Evaluate(const SizeExpression& expression, const Bindings& bindings);

/// The name of `expression` if it is a symbol; else empty.
std::string SymbolName(const SizeExpression& expression);

/// For people: "2*s0 + 1".
std::string ToText(const SizeExpression& expression);

/// Python's a // b, a % b and a ** b. Absent: b is 0, b is a negative exponent, or the result
/// overflows.
std::optional<int64_t> FloorDivide(int64_t a, int64_t b);
std::optional<int64_t> FloorModulo(int64_t a, int64_t b);
std::optional<int64_t> RaiseToPower(int64_t base, int64_t exponent);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_SIZE_EXPRESSION_H_
