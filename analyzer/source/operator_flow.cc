// Values of arithmetic and of comparisons.

#include <algorithm>

#include "source/function_flow.h"

namespace shapewise {
namespace {

constexpr std::string_view kDataPointer = "torch.Tensor.data_ptr";
constexpr std::string_view kDataPointerCompared = "torch.Tensor.data_ptr.__eq__";

// Traits that a number inherits from the numbers it is computed from.
constexpr uint16_t kPassedOn = Bit(Trait::kFromSize) | Bit(Trait::kFromData) | Bit(Trait::kConfig);

/// The element-wise result of two operands, of which at least one is a tensor or an array.
Value Elementwise(const Value& a, const Value& b) {
  const bool is_tensor = a.IsTensor() || b.IsTensor();
  const Value& main =
      a.IsTensor() == is_tensor && (a.kind == ValueKind::kTensor || a.kind == ValueKind::kArray)
          ? a
          : b;
  const Value& other = &main == &a ? b : a;
  Value value{.kind = is_tensor ? ValueKind::kTensor : ValueKind::kArray};
  value.certainty = main.certainty;
  value.traits = Bit(Trait::kMade);
  const bool both = other.kind == main.kind;
  const bool one_element = main.Has(Trait::kOneElement) && (!both || other.Has(Trait::kOneElement));
  if (one_element && (both || IsNumber(other))) value.Add(Trait::kOneElement);
  const bool integers = main.Has(Trait::kIntegers) &&
                        (both ? other.Has(Trait::kIntegers) : other.kind == ValueKind::kInt);
  if (integers) value.Add(Trait::kIntegers);
  if (main.Has(Trait::kUnknownSize) || (both && other.Has(Trait::kUnknownSize))) {
    value.Add(Trait::kUnknownSize);
  }
  const bool is_plain =
      value.kind == ValueKind::kArray && main.Has(Trait::kConstant) &&
      (both ? other.Has(Trait::kConstant)
            : other.kind != ValueKind::kSequence && other.kind != ValueKind::kShape);
  if (is_plain) value.Add(Trait::kConstant);
  value.under = main.under;
  if (both && other.certainty > value.certainty) {
    value.certainty = other.certainty;
    value.under = other.under;
  }
  return value;
}

}  // namespace

Value FunctionFlow::EvaluateBinary(const Expr& expr) {
  const Value left = Evaluate(expr.left);
  const Value right = Evaluate(expr.right);
  if (IsTensorLike(left) || IsTensorLike(right)) {
    if (left.kind == ValueKind::kText) {  // "%d" % tensor
      Record(FactKind::kText, &expr, expr.text, right);
      return {.kind = ValueKind::kText, .traits = Bit(Trait::kFromData)};
    }
    Value value = Elementwise(left, right);
    const bool is_logic = expr.text == "&" || expr.text == "|" || expr.text == "^";
    const bool has_mask = left.Has(Trait::kMask) || right.Has(Trait::kMask);
    if (is_logic && has_mask) value.Add(Trait::kMask);
    return value;
  }
  if (left.kind == ValueKind::kSequence || left.kind == ValueKind::kShape) {
    if (right.kind == left.kind && expr.text == "+") {
      const Items* a = values().items(left);
      const Items* b = values().items(right);
      if (a != nullptr && b != nullptr && a->is_exact && b->is_exact) {
        Items both = *a;
        const bool was_empty = both.items.empty();
        both.items.insert(both.items.end(), b->items.begin(), b->items.end());
        if (!b->items.empty()) {
          both.element = was_empty ? b->element : values().Join(both.element, b->element);
        }
        return values().Sequence(std::move(both));
      }
      return values().Join(left, right);
    }
    if (right.Has(Trait::kFromSize)) {
      Record(FactKind::kArithmetic, &expr, expr.text, left).arguments = {right};
    }
    return left;
  }
  if (right.kind == ValueKind::kSequence) {
    if (left.Has(Trait::kFromSize)) {
      Record(FactKind::kArithmetic, &expr, expr.text, right).arguments = {left};
    }
    return right;
  }
  if (left.kind == ValueKind::kText) {
    return {.kind = ValueKind::kText, .traits = static_cast<uint16_t>(left.traits & kPassedOn)};
  }
  const auto from = static_cast<uint16_t>((left.traits | right.traits) & kPassedOn);
  const uint16_t constant = left.traits & right.traits & Bit(Trait::kConstant);
  Value value{.traits = static_cast<uint16_t>(from | constant)};
  if (left.Has(Trait::kFromSize) || right.Has(Trait::kFromSize)) {
    Fact& fact = Record(FactKind::kArithmetic, &expr, expr.text, left);
    fact.arguments = {right};
  }
  const bool knows = IsNumber(left) || IsNumber(right);
  if (!knows) return value;
  const bool is_float =
      left.kind == ValueKind::kFloat || right.kind == ValueKind::kFloat || expr.text == "/";
  value.kind = is_float ? ValueKind::kFloat : ValueKind::kInt;
  return value;
}

FunctionFlow::Comparison FunctionFlow::EvaluateCompare(const Expr& expr) {
  Comparison comparison;
  llvm::SmallVector<Value, 3>& operands = comparison.operands;
  for (const Expr* item : expr.items) operands.push_back(Evaluate(item));
  Value& result = comparison.result;
  result.kind = ValueKind::kBool;
  for (const Value& operand : operands) {
    result.traits |= static_cast<uint16_t>(operand.traits & kPassedOn);
  }
  for (size_t i = 0; i + 1 < operands.size() && i < expr.operators.size(); ++i) {
    const Value& left = operands[i];
    const Value& right = operands[i + 1];
    const CompareOperator how = expr.operators[i];
    if (how == CompareOperator::kIs || how == CompareOperator::kIsNot) continue;
    for (const Value& operand : {left, right}) {
      if (operand.kind != ValueKind::kObject || values().name(operand) != kDataPointer) continue;
      Record(FactKind::kCall, &expr, kDataPointerCompared, operand);
      break;
    }
    const bool has_tensor = IsTensorLike(left) || IsTensorLike(right);
    if (how >= CompareOperator::kIn) {
      const Items* items = values().items(right);
      const bool hashes = items != nullptr && items->form == Items::Form::kHashed;
      if (hashes && left.Has(Trait::kFromSize)) {
        Record(FactKind::kArithmetic, &expr, "in", left).arguments = {right};
      }
      // Membership compares with every item and converts each result to a bool.
      if (has_tensor && !(left.kind == ValueKind::kText)) {
        Record(FactKind::kTruth, &expr, {}, IsTensorLike(left) ? left : right).use =
            FactUse::kCompare;
      }
      continue;
    }
    if (!has_tensor) {
      // If both operands are unknown, it may be a mask.
      const bool is_open = operands.size() == 2 && (result.traits & kPassedOn) == 0 &&
                           (left.kind == ValueKind::kUnknown || right.kind == ValueKind::kUnknown);
      if (is_open) result.kind = ValueKind::kUnknown;
      continue;
    }
    if (right.kind == ValueKind::kNone || left.kind == ValueKind::kNone ||
        right.kind == ValueKind::kText) {
      continue;
    }
    Value mask = Elementwise(left, right);
    mask.Add(Trait::kMask);
    mask.Remove(Trait::kIntegers);
    if (operands.size() > 2) {
      Record(FactKind::kTruth, &expr, {}, mask).use = FactUse::kCompare;
    }
    result = mask;
  }
  return comparison;
}

}  // namespace shapewise
