#include "replay/size_expression.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

namespace shapewise::replay {
namespace {

using Number = std::optional<int64_t>;

Number Add(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? Number() : sum;
}

Number Multiply(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? Number() : product;
}

/// Rounded up. -(-a // b) would overflow for the smallest integer.
Number CeilDivide(int64_t a, int64_t b) {
  const Number quotient = FloorDivide(a, b);
  if (!quotient || a % b == 0) return quotient;
  return Add(*quotient, 1);
}

/// An operation of two integers.
Number Binary(const std::string& name, int64_t a, int64_t b) {
  if (name == "//") return FloorDivide(a, b);
  if (name == "%") return FloorModulo(a, b);
  if (name == "**") return RaiseToPower(a, b);
  if (name == "ceildiv") return CeilDivide(a, b);
  if (name == "/") return FloorModulo(a, b) == 0 ? FloorDivide(a, b) : Number();
  if (name == "==") return a == b;
  if (name == "!=") return a != b;
  if (name == "<") return a < b;
  if (name == "<=") return a <= b;
  return {};
}

/// An operation of any number of integers.
Number Fold(const std::string& name, std::span<const int64_t> operands) {
  Number result = operands[0];
  for (const int64_t operand : operands.subspan(1)) {
    if (!result) return {};
    if (name == "+") {
      result = Add(*result, operand);
    } else if (name == "*") {
      result = Multiply(*result, operand);
    } else if (name == "min") {
      result = std::min(*result, operand);
    } else if (name == "max") {
      result = std::max(*result, operand);
    } else if (name == "and") {
      result = *result != 0 && operand != 0;
    } else if (name == "or") {
      result = *result != 0 || operand != 0;
    } else {
      return {};
    }
  }
  return result;
}

}  // namespace

std::optional<int64_t> FloorDivide(int64_t a, int64_t b) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min())) return {};
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::optional<int64_t> FloorModulo(int64_t a, int64_t b) {
  if (b == 0) return {};
  if (b == -1) return 0;  // the processor's remainder overflows for the smallest integer
  const int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

std::optional<int64_t> RaiseToPower(int64_t base, int64_t exponent) {
  if (exponent < 0) return {};
  if (base == 1 || (base == 0 && exponent > 0)) return base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  Number power = 1;
  // Any other base overflows after 63 steps.
  for (int64_t i = 0; i < exponent && power; ++i) power = Multiply(*power, base);
  return power;
}

std::optional<int64_t> JsonInteger(const nlohmann::ordered_json& json) {
  if (!json.is_number_integer()) return {};
  if (json.is_number_unsigned() &&
      json.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return {};
  }
  return json.get<int64_t>();
}

std::optional<int64_t> IntegerOf(double number) {
  constexpr double kEnd = 9223372036854775808.0;  // 2**63, the first value that does not fit
  if (!(number >= -kEnd && number < kEnd) || number != std::floor(number)) return {};
  return static_cast<int64_t>(number);
}

SizeExpression ReadSizeExpression(const nlohmann::ordered_json& json) {
  using Kind = SizeExpression::Kind;
  SizeExpression expression;
  if (json.is_boolean()) {
    expression.kind = Kind::kBool;
    expression.integer = json.get<bool>() ? 1 : 0;
  } else if (const std::optional<int64_t> integer = JsonInteger(json)) {
    expression.kind = Kind::kInteger;
    expression.integer = *integer;
  } else if (json.is_object() && json.contains("sym") && json["sym"].is_string()) {
    expression.kind = Kind::kSymbol;
    expression.name = json["sym"].get<std::string>();
  } else if (json.is_object() && json.contains("op") && json["op"].is_string() &&
             json.contains("args") && json["args"].is_array()) {
    expression.kind = Kind::kOperation;
    expression.name = json["op"].get<std::string>();
    for (const nlohmann::ordered_json& operand : json["args"]) {
      expression.operands.push_back(ReadSizeExpression(operand));
    }
  }
  return expression;
}

std::optional<int64_t> Evaluate(const SizeExpression& expression, const Bindings& bindings) {
  switch (expression.kind) {
    case SizeExpression::Kind::kUnknown:
      return {};
    case SizeExpression::Kind::kInteger:
    case SizeExpression::Kind::kBool:
      return expression.integer;
    case SizeExpression::Kind::kSymbol: {
      const auto bound = bindings.find(expression.name);
      return bound == bindings.end() ? Number() : IntegerOf(bound->second);
    }
    case SizeExpression::Kind::kOperation:
      break;
  }
  std::vector<int64_t> operands;
  for (const SizeExpression& operand : expression.operands) {
    const std::optional<int64_t> value = Evaluate(operand, bindings);
    if (!value) return {};
    operands.push_back(*value);
  }
  if (operands.empty()) return {};
  if (expression.name == "not") return operands[0] == 0;
  if (operands.size() == 2) {
    if (const Number value = Binary(expression.name, operands[0], operands[1])) return value;
  }
  return Fold(expression.name, operands);
}

std::string SymbolName(const SizeExpression& expression) {
  return expression.kind == SizeExpression::Kind::kSymbol ? expression.name : std::string();
}

std::string ToText(const SizeExpression& expression) {
  switch (expression.kind) {
    case SizeExpression::Kind::kUnknown:
      return "?";
    case SizeExpression::Kind::kInteger:
      return std::to_string(expression.integer);
    case SizeExpression::Kind::kBool:
      return expression.integer != 0 ? "True" : "False";
    case SizeExpression::Kind::kSymbol:
      return expression.name;
    case SizeExpression::Kind::kOperation:
      break;
  }
  const bool is_word =
      !expression.name.empty() && std::isalpha(static_cast<unsigned char>(expression.name[0])) != 0;
  std::string text = is_word ? expression.name + "(" : "(";
  for (size_t i = 0; i < expression.operands.size(); ++i) {
    if (i > 0) text += is_word ? ", " : " " + expression.name + " ";
    text += ToText(expression.operands[i]);
  }
  return text + ")";
}

}  // namespace shapewise::replay
