#include "random_expression.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace shapewise {
namespace {

// Larger values are left out, so that none of this overflows: their third power still fits.
constexpr int64_t kGreatest = 1'000'000;

int64_t FloorQuotient(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::optional<int64_t> ApplyKind(ExprKind operation, int64_t a, int64_t b) {
  switch (operation) {
    case ExprKind::kAdd:
      return a + b;
    case ExprKind::kMul:
      return a * b;
    case ExprKind::kFloorDiv:
      return b == 0 ? std::nullopt : std::optional(FloorQuotient(a, b));
    case ExprKind::kCeilDiv:
      return b == 0 ? std::nullopt : std::optional(-FloorQuotient(-a, b));
    case ExprKind::kTrueDiv:
      return b == 0 || a % b != 0 ? std::nullopt : std::optional(a / b);
    case ExprKind::kMod:
      return b == 0 ? std::nullopt : std::optional(a - b * FloorQuotient(a, b));
    case ExprKind::kPower: {
      int64_t result = 1;
      for (int64_t i = 0; i < b; ++i) result *= a;
      return b < 0 ? std::nullopt : std::optional(result);
    }
    case ExprKind::kMin:
      return std::min(a, b);
    case ExprKind::kMax:
      return std::max(a, b);
    case ExprKind::kEqual:
      return a == b;
    case ExprKind::kNotEqual:
      return a != b;
    case ExprKind::kLess:
      return a < b;
    case ExprKind::kLessEqual:
      return a <= b;
    case ExprKind::kAnd:
      return a != 0 && b != 0;
    case ExprKind::kOr:
      return a != 0 || b != 0;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<int64_t> DrawnExpression::ValueAt(const Point& point) const {
  if (kind == Kind::kConstant) return value;
  if (kind == Kind::kSymbol) return point[static_cast<size_t>(value)];
  const auto left = operands[0].ValueAt(point);
  if (!left) return std::nullopt;
  if (kind == Kind::kNot) return *left == 0;
  const auto right = operands[1].ValueAt(point);
  const auto result = right ? ApplyKind(operation, *left, *right) : std::nullopt;
  return result && std::abs(*result) <= kGreatest ? result : std::nullopt;
}

ExprId DrawnExpression::Build(ExprPool& pool) const {
  switch (kind) {
    case Kind::kConstant:
      return pool.Integer(value);
    case Kind::kSymbol:
      return pool.Symbol("s" + std::to_string(value));
    case Kind::kNot:
      return pool.Not(operands[0].Build(pool));
    case Kind::kOperation:
      break;
  }
  const ExprId parts[] = {operands[0].Build(pool), operands[1].Build(pool)};
  switch (operation) {
    case ExprKind::kAdd:
      return pool.Add(parts);
    case ExprKind::kMul:
      return pool.Mul(parts);
    case ExprKind::kMin:
    case ExprKind::kMax:
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return pool.Fold(operation, parts);
    default:
      return pool.Binary(operation, parts[0], parts[1]);
  }
}

DrawnExpression ExpressionDrawer::Draw(int depth) {
  static constexpr ExprKind kOperations[] = {
      ExprKind::kAdd,     ExprKind::kAdd,   ExprKind::kAdd,      ExprKind::kMul,
      ExprKind::kMul,     ExprKind::kMul,   ExprKind::kFloorDiv, ExprKind::kFloorDiv,
      ExprKind::kMod,     ExprKind::kMod,   ExprKind::kMin,      ExprKind::kMax,
      ExprKind::kCeilDiv, ExprKind::kPower, ExprKind::kTrueDiv};
  DrawnExpression drawn;
  if (depth == 0 || Number(0, 3) == 0) {
    const bool is_symbol = Number(0, 2) != 0;
    drawn.kind = is_symbol ? DrawnExpression::Kind::kSymbol : DrawnExpression::Kind::kConstant;
    drawn.value = is_symbol ? Number(0, kNumSymbols - 1) : Number(-4, 8);
    return drawn;
  }
  drawn.kind = DrawnExpression::Kind::kOperation;
  drawn.operation = kOperations[static_cast<size_t>(Number(0, std::ssize(kOperations) - 1))];
  drawn.operands.push_back(Draw(depth - 1));
  const bool has_constant = drawn.operation == ExprKind::kPower || Number(0, 2) == 0;
  if (has_constant) {
    DrawnExpression constant;
    constant.value = drawn.operation == ExprKind::kPower ? Number(0, 3) : Number(-3, 8);
    drawn.operands.push_back(constant);
  } else {
    drawn.operands.push_back(Draw(depth - 1));
  }
  return drawn;
}

DrawnExpression ExpressionDrawer::DrawPredicate(int depth) {
  static constexpr ExprKind kComparisons[] = {ExprKind::kEqual,     ExprKind::kEqual,
                                              ExprKind::kNotEqual,  ExprKind::kLess,
                                              ExprKind::kLessEqual, ExprKind::kLessEqual};
  DrawnExpression drawn;
  const int64_t choice = depth == 0 ? 9 : Number(0, 9);
  if (choice == 0) {
    drawn.kind = DrawnExpression::Kind::kNot;
    drawn.operands.push_back(DrawPredicate(depth - 1));
    return drawn;
  }
  drawn.kind = DrawnExpression::Kind::kOperation;
  if (choice <= 2) {
    drawn.operation = choice == 1 ? ExprKind::kAnd : ExprKind::kOr;
    for (int i = 0; i < 2; ++i) drawn.operands.push_back(DrawPredicate(depth - 1));
    return drawn;
  }
  drawn.operation = kComparisons[static_cast<size_t>(Number(0, std::ssize(kComparisons) - 1))];
  drawn.operands.push_back(Draw(2));
  drawn.operands.push_back(Draw(Number(0, 1) == 0 ? 0 : 2));
  return drawn;
}

}  // namespace shapewise
