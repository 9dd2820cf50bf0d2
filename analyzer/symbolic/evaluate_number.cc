#include "symbolic/evaluate_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

namespace shapewise {
namespace {

// From here on, a float cannot represent every integer.
constexpr double kMostExact = 9007199254740992.0;  // 2^53

std::optional<double> Exact(double value) {
  if (!std::isfinite(value) || std::abs(value) >= kMostExact) return std::nullopt;
  return value;
}

class NumberEvaluator {
 public:
  NumberEvaluator(const ExprPool& pool,
                  const std::function<std::optional<double>(ExprId symbol)>& value_of)
      : pool_(pool), value_of_(value_of) {}

  std::optional<double> Evaluate(ExprId id) const {
    switch (pool_.kind(id)) {
      case ExprKind::kInteger:
        return Exact(static_cast<double>(pool_.value(id)));
      case ExprKind::kSymbol:
        return value_of_(id);
      case ExprKind::kTrue:
        return 1;
      case ExprKind::kFalse:
        return 0;
      default:
        break;
    }
    std::vector<double> operands;
    for (const ExprId operand : pool_.operands(id)) {
      const std::optional<double> value = Evaluate(operand);
      if (!value) return std::nullopt;
      operands.push_back(*value);
    }
    return pool_.kind(id) == ExprKind::kCall ? Call(pool_.name(id), operands)
                                             : Apply(pool_.kind(id), operands);
  }

 private:
  using Numbers = std::vector<double>;

  static std::optional<double> Apply(ExprKind kind, const Numbers& operands) {
    if (operands.empty()) return std::nullopt;
    const double first = operands.front();
    const double second = operands.size() > 1 ? operands[1] : 0;
    switch (kind) {
      case ExprKind::kAdd:
      case ExprKind::kMul: {
        double result = first;
        for (size_t i = 1; i < operands.size(); ++i) {
          result = kind == ExprKind::kAdd ? result + operands[i] : result * operands[i];
        }
        return Exact(result);
      }
      case ExprKind::kTrueDiv:
        return second == 0 ? std::nullopt : Exact(first / second);
      case ExprKind::kFloorDiv:
        return second == 0 ? std::nullopt : Exact(std::floor(first / second));
      case ExprKind::kCeilDiv:
        return second == 0 ? std::nullopt : Exact(std::ceil(first / second));
      case ExprKind::kMod:
        return second == 0 ? std::nullopt : Exact(first - second * std::floor(first / second));
      case ExprKind::kMin:
        return *std::ranges::min_element(operands);
      case ExprKind::kMax:
        return *std::ranges::max_element(operands);
      case ExprKind::kEqual:
        return first == second ? 1 : 0;
      case ExprKind::kNotEqual:
        return first != second ? 1 : 0;
      case ExprKind::kLess:
        return first < second ? 1 : 0;
      case ExprKind::kLessEqual:
        return first <= second ? 1 : 0;
      case ExprKind::kAnd:
        return std::ranges::all_of(operands, [](double value) { return value != 0; }) ? 1 : 0;
      case ExprKind::kOr:
        return std::ranges::any_of(operands, [](double value) { return value != 0; }) ? 1 : 0;
      case ExprKind::kNot:
        return first == 0 ? 1 : 0;
      default:
        return std::nullopt;
    }
  }

  static std::optional<double> Call(std::string_view name, const Numbers& operands) {
    if (operands.empty()) {
      double number = 0;
      const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
      if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
      return number;
    }
    static constexpr std::pair<std::string_view, ExprKind> kOperators[] = {
        {"+", ExprKind::kAdd},       {"*", ExprKind::kMul},   {"/", ExprKind::kTrueDiv},
        {"//", ExprKind::kFloorDiv}, {"%", ExprKind::kMod},   {"==", ExprKind::kEqual},
        {"!=", ExprKind::kNotEqual}, {"<", ExprKind::kLess},  {"<=", ExprKind::kLessEqual},
        {"Min", ExprKind::kMin},     {"Max", ExprKind::kMax},
    };
    for (const auto& [text, kind] : kOperators) {
      if (name == text) return Apply(kind, operands);
    }
    if (name == "ToFloat" || name == "sym_float" || name == "float") return operands.front();
    if (name == "TruncToInt" || name == "TruncToFloat") return std::trunc(operands.front());
    if (name == "FloorToInt") return std::floor(operands.front());
    if (name == "CeilToInt") return std::ceil(operands.front());
    return std::nullopt;
  }

  const ExprPool& pool_;
  const std::function<std::optional<double>(ExprId symbol)>& value_of_;
};

}  // namespace

std::optional<double> EvaluateNumber(
    const ExprPool& pool, ExprId expression,
    const std::function<std::optional<double>(ExprId symbol)>& value_of) {
  return NumberEvaluator(pool, value_of).Evaluate(expression);
}

}  // namespace shapewise
