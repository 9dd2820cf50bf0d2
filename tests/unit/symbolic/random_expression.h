// Random expressions that know their own value, for laws that are checked by enumeration.

#ifndef SHAPEWISE_TESTS_UNIT_SYMBOLIC_RANDOM_EXPRESSION_H_
#define SHAPEWISE_TESTS_UNIT_SYMBOLIC_RANDOM_EXPRESSION_H_

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "symbolic/expression.h"

namespace shapewise {

inline constexpr int kNumSymbols = 3;
using Point = std::array<int64_t, kNumSymbols>;

/// An expression as it was drawn, before any simplification.
struct DrawnExpression {
  enum class Kind : uint8_t { kConstant, kSymbol, kOperation, kNot };
  Kind kind = Kind::kConstant;
  ExprKind operation = ExprKind::kAdd;
  int64_t value = 0;  ///< of a constant; the number of a symbol
  std::vector<DrawnExpression> operands;

  /// As Python defines it; absent where Python has no integer to give.
  std::optional<int64_t> ValueAt(const Point& point) const;
  ExprId Build(ExprPool& pool) const;
};

class ExpressionDrawer {
 public:
  explicit ExpressionDrawer(uint32_t seed) : generator_(seed) {}

  int64_t Number(int64_t least, int64_t greatest) {
    return std::uniform_int_distribution<int64_t>(least, greatest)(generator_);
  }
  DrawnExpression Draw(int depth);
  DrawnExpression DrawPredicate(int depth);

 private:
  std::mt19937 generator_;
};

/// The values of the symbols "s0", "s1", "s2" at `point`, for ExprPool::Evaluate.
inline auto ValuesAt(const ExprPool& pool, const Point& point) {
  return [&pool, &point](ExprId symbol) -> std::optional<int64_t> {
    return point[static_cast<size_t>(pool.name(symbol).back() - '0')];
  };
}

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_UNIT_SYMBOLIC_RANDOM_EXPRESSION_H_
