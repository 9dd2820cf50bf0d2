#include "shapes/fill.h"

#include <cmath>

namespace shapewise {
namespace {

using Kind = Fill::Kind;

bool AllReal(std::span<const Fill> operands) {
  for (const Fill& operand : operands) {
    if (!operand.is_real) return false;
  }
  return true;
}

Fill JoinKinds(const Fill& a, const Fill& b) {
  if (a.IsVeryLow() && b.IsVeryLow()) return Fill::Of(Kind::kVeryLow);
  if (!a.IsFinite() || !b.IsFinite()) return Fill::Of(Kind::kAny);
  if (a.IsPositive() && b.IsPositive()) return Fill::Of(Kind::kPositive);
  if (a.IsNegative() && b.IsNegative()) return Fill::Of(Kind::kNegative);
  if (a.IsNonNegative() && b.IsNonNegative()) return Fill::Of(Kind::kNonNegative);
  return Fill::Of(Kind::kFinite);
}

// The result of EvaluateKinds; results that the unpadded program also computes stay real.
Fill EvaluateAsReal(Pointwise function, std::span<const Fill> operands) {
  const Fill result = EvaluateKinds(function, operands);
  // An exact number may be the fill value of an input: results that depend on it alone, or divide
  // by it, do not occur in the real program.
  bool has_other = false;
  bool has_zero = false;
  for (const Fill& operand : operands) {
    has_other |= operand.kind != Kind::kNumber;
    has_zero |= operand.IsNumber(0);
  }
  if (result.kind == Kind::kAny && (!has_other || has_zero)) return result;
  return AllReal(operands) && !operands.empty() ? AsReal(result) : result;
}

// Arbitrary padding numbers: neither numbers of the real program nor positions.
bool IsChosen(const Fill& fill) {
  return !fill.is_real && !fill.is_bound &&
         (fill.kind == Kind::kFinite || fill.kind == Kind::kNonNegative ||
          fill.kind == Kind::kPositive || fill.kind == Kind::kNegative);
}

bool IsComparison(Pointwise function) {
  return function >= Pointwise::kEqual && function <= Pointwise::kGreaterEqual;
}

bool IsBound(Pointwise function, std::span<const Fill> operands, const Fill& result) {
  if (result.kind == Kind::kNumber) return false;
  const auto is_position = [](const Fill& fill) {
    return fill.kind == Kind::kIndex || fill.kind == Kind::kBelow || fill.kind == Kind::kAtMost;
  };
  bool has_chosen = false;
  bool has_position = false;
  for (const Fill& operand : operands) {
    if (operand.is_bound) return true;
    has_chosen |= IsChosen(operand);
    has_position |= is_position(operand);
  }
  if (function == Pointwise::kTest) return true;
  // From infinite operands any result is possible; from others the result is merely unknown.
  if (result.kind == Kind::kAny) return AllFinite(operands);
  if (IsComparison(function)) return !has_chosen;
  return has_position && !is_position(result);
}

// The lines of a comparison of positions: in i >= j each row and each column contains a True.
uint8_t LinesOfComparison(Pointwise function, const Fill& a, const Fill& b) {
  const auto is_whole = [](const Fill& fill) {
    return fill.kind == Kind::kBelow && (fill.lines & Fill::kEveryPosition) != 0;
  };
  if (!is_whole(a) || !is_whole(b)) return 0;
  switch (function) {
    case Pointwise::kEqual:
    case Pointwise::kLessEqual:
    case Pointwise::kGreaterEqual:
      return Fill::kSomeTrue;
    default:
      return Fill::kSomeFalse;
  }
}

// Some False of one operand stays; what is True in both at the same place does.
uint8_t LinesOfAnd(std::span<const Fill> operands) {
  uint8_t false_lines = 0;
  uint8_t true_lines = Fill::kSomeTrue | Fill::kFirstTrue;
  size_t num_open = 0;
  for (const Fill& operand : operands) {
    false_lines |= operand.lines & Fill::kSomeFalse;
    if (operand.IsNumber(1)) continue;
    ++num_open;
    true_lines &= operand.lines;
  }
  if (num_open > 1 && (true_lines & Fill::kFirstTrue) == 0) true_lines = 0;
  return num_open == 0 ? 0 : false_lines | true_lines;
}

// Sets `has_low` and `lines` of what a function makes of real positions.
void DescribeLines(Pointwise function, std::span<const Fill> operands, Fill& result) {
  const auto has = [](const Fill& fill, Fill::Line line) { return (fill.lines & line) != 0; };
  size_t num_low = 0;
  bool keeps_ordinary = true;
  bool has_large = false;
  for (const Fill& operand : operands) {
    has_large |= operand.kind == Kind::kNumber && std::fabs(operand.number) >= -kVeryLowNumber;
    if (!operand.MayBeLow()) continue;
    ++num_low;
    keeps_ordinary &= has(operand, Fill::kSomeOrdinary);
  }
  if (IsComparison(function)) {
    if (operands.size() > 1) result.lines = LinesOfComparison(function, operands[0], operands[1]);
    return;
  }
  switch (function) {
    case Pointwise::kNot:
      if (has(operands[0], Fill::kSomeTrue)) result.lines |= Fill::kSomeFalse;
      if (has(operands[0], Fill::kSomeFalse)) result.lines |= Fill::kSomeTrue;
      return;
    case Pointwise::kToBool:
      result.lines = operands[0].lines & (Fill::kSomeTrue | Fill::kSomeFalse | Fill::kFirstTrue);
      return;
    case Pointwise::kAnd:
      result.lines = LinesOfAnd(operands);
      return;
    case Pointwise::kOr:
      for (const Fill& operand : operands) {
        result.lines |= operand.lines & (Fill::kSomeTrue | Fill::kFirstTrue);
      }
      return;
    case Pointwise::kWhere:
    case Pointwise::kMaskedFill: {
      if (operands.size() < 3) return;
      const bool is_where = function == Pointwise::kWhere;
      const Fill& condition = operands[is_where ? 0 : 1];
      const Fill& chosen = operands[is_where ? 1 : 2];
      const Fill& other = operands[is_where ? 2 : 0];
      if (condition.kind == Kind::kNumber) {
        const Fill& selected = condition.number != 0 ? chosen : other;
        result.has_low = selected.has_low;
        result.lines = selected.lines;
        return;
      }
      const auto is_kept = [&](const Fill& kept, Fill::Line line) {
        return !kept.MayBeLow() && has(condition, line);
      };
      result.has_low = chosen.MayBeLow() || other.MayBeLow();
      if (is_kept(chosen, Fill::kSomeTrue) || is_kept(other, Fill::kSomeFalse)) {
        result.lines = Fill::kSomeOrdinary;
      }
      return;
    }
    case Pointwise::kMultiply:
      // (1 - mask) * -1e9
      result.has_low = num_low > 0 || has_large;
      for (const Fill& operand : operands) {
        if (has(operand, Fill::kSomeFalse)) result.lines = Fill::kSomeOrdinary;
      }
      return;
    case Pointwise::kMaximum:
      result.has_low = num_low == operands.size();
      return;
    case Pointwise::kExp:
    case Pointwise::kSqrt:
    case Pointwise::kRsqrt:
    case Pointwise::kReciprocal:
    case Pointwise::kSquare:
    case Pointwise::kAbs:
    case Pointwise::kRelu:
    case Pointwise::kSigmoid:
    case Pointwise::kTanh:
    case Pointwise::kUnit:
    case Pointwise::kUnitZeroKeeping:
      return;
    case Pointwise::kAdd:
    case Pointwise::kSubtract:
    case Pointwise::kReverseSubtract:
    case Pointwise::kMinimum:
      result.has_low = num_low > 0 || has_large;
      if (num_low == 1 && keeps_ordinary && !has_large) result.lines = Fill::kSomeOrdinary;
      return;
    default:
      result.has_low = num_low > 0;
      return;
  }
}

}  // namespace

bool Fill::IsFinite() const {
  if (kind == Kind::kNumber) return std::isfinite(number);
  return kind != Kind::kVeryLow && kind != Kind::kAny;
}

bool Fill::IsVeryLow() const {
  return kind == Kind::kVeryLow || (kind == Kind::kNumber && number <= kVeryLowNumber);
}

bool Fill::MayBeLow() const { return has_low || IsVeryLow(); }

bool Fill::MayBeLowEverywhere() const { return MayBeLow() && (lines & kSomeOrdinary) == 0; }

bool Fill::IsPositive() const {
  if (kind == Kind::kNumber) return number > 0 && std::isfinite(number);
  return kind == Kind::kPositive || kind == Kind::kIndex;
}

bool Fill::IsNegative() const {
  if (kind == Kind::kNumber) return number < 0 && std::isfinite(number);
  return kind == Kind::kNegative;
}

bool Fill::IsNonNegative() const {
  return kind == Kind::kNonNegative || kind == Kind::kBelow || IsPositive() || IsNumber(0);
}

size_t Arity(Pointwise function) {
  if (function >= Pointwise::kLinear) return SIZE_MAX;
  if (function >= Pointwise::kWhere) return 3;
  return function >= Pointwise::kAdd ? 2 : 1;
}

Fill Join(const Fill& a, const Fill& b) {
  if (a == b) return a;
  const bool is_one_kind = a.kind == b.kind && a.kind != Kind::kNumber;
  Fill joined = is_one_kind ? Fill::Of(a.kind) : JoinKinds(a, b);
  if (a.is_real && b.is_real) joined = AsReal(joined);
  joined.is_bound = a.is_bound || b.is_bound;
  joined.has_low = a.MayBeLow() || b.MayBeLow();
  return joined;
}

Fill JoinPadding(const Fill& a, const Fill& b) {
  Fill fill = Join(a, b);
  if (fill.kind != Kind::kNumber) fill.is_real = false;
  return fill;
}

Fill Evaluate(Pointwise function, std::span<const Fill> operands) {
  if (function == Pointwise::kIdentity && !operands.empty()) return operands[0];
  Fill result = EvaluateAsReal(function, operands);
  result.is_bound = IsBound(function, operands, result);
  result.has_low = false;
  result.lines = 0;
  if (result.kind != Kind::kNumber) DescribeLines(function, operands, result);
  return result;
}

}  // namespace shapewise
