// Constructs comparisons, minima and maxima, logic, calls.

#include <algorithm>
#include <array>
#include <iterator>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "symbolic/expression.h"
#include "symbolic/storage.h"

namespace shapewise {
namespace {

using Storage = ExprPool::Storage;
using Operands = llvm::SmallVector<ExprId, 8>;

constexpr std::pair<ExprKind, std::string_view> kOperatorNames[] = {
    {ExprKind::kAdd, "+"},           {ExprKind::kMul, "*"},        {ExprKind::kFloorDiv, "//"},
    {ExprKind::kCeilDiv, "CeilDiv"}, {ExprKind::kTrueDiv, "/"},    {ExprKind::kMod, "%"},
    {ExprKind::kPower, "**"},        {ExprKind::kEqual, "=="},     {ExprKind::kNotEqual, "!="},
    {ExprKind::kLess, "<"},          {ExprKind::kLessEqual, "<="}, {ExprKind::kMin, "Min"},
    {ExprKind::kMax, "Max"},
};

bool IsComparison(ExprKind kind) {
  return kind == ExprKind::kEqual || kind == ExprKind::kNotEqual || kind == ExprKind::kLess ||
         kind == ExprKind::kLessEqual;
}

ExprId MakeComparison(ExprPool& pool, Storage& storage, ExprKind kind, ExprId left, ExprId right) {
  const auto infinity = [&](ExprId id) {
    return storage.kind(id) == ExprKind::kInfinity ? pool.value(id) : 0;
  };
  // Whether the sign of left - right makes the comparison true.
  const auto of_sign = [&](int64_t sign) { return pool.Bool(Compute(kind, sign, 0) == 1); };
  if (left == right) return of_sign(0);
  if (infinity(left) != 0) return of_sign(infinity(left));
  if (infinity(right) != 0) return of_sign(-infinity(right));
  if (!IsPredicate(storage.kind(left)) && !IsPredicate(storage.kind(right))) {
    const ExprId difference = pool.Subtract(left, right);
    if (storage.kind(difference) == ExprKind::kInteger) {
      return of_sign(storage.node(difference).payload);
    }
  }
  const bool is_symmetric = kind == ExprKind::kEqual || kind == ExprKind::kNotEqual;
  const bool left_is_constant = storage.kind(left) == ExprKind::kInteger;
  const bool right_is_constant = storage.kind(right) == ExprKind::kInteger;
  if (is_symmetric && !right_is_constant &&
      (left_is_constant || storage.Compare(left, right) > 0)) {
    std::swap(left, right);
  }
  return storage.Intern(kind, {left, right});
}

// Converts a number used as a truth value. Symbols and calls may be truth values themselves.
ExprId AsTruth(ExprPool& pool, const Storage& storage, ExprId id) {
  const ExprKind kind = storage.kind(id);
  const bool is_truth = IsPredicate(kind) || kind == ExprKind::kSymbol || kind == ExprKind::kCall;
  return is_truth ? id : pool.Binary(ExprKind::kNotEqual, id, pool.Integer(0));
}

}  // namespace

std::string_view OperatorOf(ExprKind kind) {
  return std::ranges::find(kOperatorNames, kind, &std::pair<ExprKind, std::string_view>::first)
      ->second;
}

ExprKind KindOfOperator(std::string_view name) {
  const auto* const found =
      std::ranges::find(kOperatorNames, name, &std::pair<ExprKind, std::string_view>::second);
  return found == std::end(kOperatorNames) ? ExprKind::kNone : found->first;
}

ExprId MakeOfKind(ExprPool& pool, ExprKind kind, std::span<const ExprId> operands) {
  switch (kind) {
    case ExprKind::kAdd:
      return pool.Add(operands);
    case ExprKind::kMul:
      return pool.Mul(operands);
    case ExprKind::kMin:
    case ExprKind::kMax:
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return pool.Fold(kind, operands);
    case ExprKind::kNot:
      return pool.Not(operands[0]);
    default:
      return pool.Binary(kind, operands[0], operands[1]);
  }
}

ExprId ExprPool::Binary(ExprKind kind, ExprId left, ExprId right) {
  Storage& storage = *storage_;
  if (left == ExprId::kNone || right == ExprId::kNone) return ExprId::kNone;
  if (storage.IsFloat(left) || storage.IsFloat(right)) {
    return Call(OperatorOf(kind), std::array{left, right});
  }
  if (IsComparison(kind)) return MakeComparison(*this, storage, kind, left, right);
  if (storage.kind(right) == ExprKind::kInfinity) return ExprId::kNone;
  if (storage.kind(left) == ExprKind::kInfinity) {
    const bool is_division = kind == ExprKind::kFloorDiv || kind == ExprKind::kCeilDiv;
    const bool is_signed = storage.kind(right) == ExprKind::kInteger && value(right) != 0;
    if (!is_division || !is_signed) return ExprId::kNone;
    return Infinity((value(left) < 0) != (value(right) < 0));
  }
  return MakeArithmetic(*this, storage, kind, left, right);
}

namespace {

// The operands of Min or Max with at most one constant or infinity. An infinity that decides the
// result replaces all operands; one that does not is dropped.
Operands KeepOneConstant(ExprPool& pool, const Storage& storage, ExprKind kind,
                         const Operands& operands) {
  const bool is_max = kind == ExprKind::kMax;
  ExprId constant = ExprId::kNone;
  const auto is_better = [&](ExprId id) {
    if (constant == ExprId::kNone) return true;
    return pool.Binary(ExprKind::kLess, is_max ? constant : id, is_max ? id : constant) ==
           pool.Bool(true);
  };
  Operands others;
  for (const ExprId id : operands) {
    const bool is_constant =
        storage.kind(id) == ExprKind::kInteger || storage.kind(id) == ExprKind::kInfinity;
    if (!is_constant) {
      others.push_back(id);
    } else if (is_better(id)) {
      constant = id;
    }
  }
  if (constant == ExprId::kNone) return others;
  if (storage.kind(constant) != ExprKind::kInfinity) {
    others.push_back(constant);
  } else if (others.empty() || (pool.value(constant) > 0) == is_max) {
    return {constant};
  }
  return others;
}

}  // namespace

ExprId ExprPool::Fold(ExprKind kind, std::span<const ExprId> operands) {
  Storage& storage = *storage_;
  const bool is_logic = kind == ExprKind::kAnd || kind == ExprKind::kOr;
  bool has_float = false;
  for (const ExprId operand : operands) {
    if (operand == ExprId::kNone) return ExprId::kNone;
    has_float |= storage.IsFloat(operand);
  }
  if (operands.empty()) return is_logic ? Bool(kind == ExprKind::kAnd) : ExprId::kNone;
  if (operands.size() == 1) return operands[0];
  if (has_float && !is_logic) return Call(OperatorOf(kind), operands);

  Operands flat;
  for (const ExprId operand : operands) {
    if (storage.kind(operand) == kind) {
      llvm::append_range(flat, storage.operands(operand));
    } else {
      flat.push_back(is_logic ? AsTruth(*this, storage, operand) : operand);
    }
  }
  std::sort(flat.begin(), flat.end());
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());

  if (is_logic) {
    const ExprId neutral = Bool(kind == ExprKind::kAnd);
    const ExprId decisive = Bool(kind == ExprKind::kOr);
    if (llvm::is_contained(flat, decisive)) return decisive;
    llvm::erase_value(flat, neutral);
    if (flat.empty()) return neutral;
  } else {
    flat = KeepOneConstant(*this, storage, kind, flat);
  }
  if (flat.size() == 1) return flat[0];
  std::ranges::sort(flat, [&](ExprId a, ExprId b) { return storage.Compare(a, b) < 0; });
  return storage.Intern(kind, flat);
}

ExprId ExprPool::Not(ExprId predicate) {
  Storage& storage = *storage_;
  const std::span<const ExprId> operands = storage.operands(predicate);
  switch (storage.kind(predicate)) {
    case ExprKind::kNone:
      return ExprId::kNone;
    case ExprKind::kTrue:
    case ExprKind::kFalse:
      return Bool(storage.kind(predicate) == ExprKind::kFalse);
    case ExprKind::kEqual:
      return Binary(ExprKind::kNotEqual, operands[0], operands[1]);
    case ExprKind::kNotEqual:
      return Binary(ExprKind::kEqual, operands[0], operands[1]);
    case ExprKind::kLess:
      return Binary(ExprKind::kLessEqual, operands[1], operands[0]);
    case ExprKind::kLessEqual:
      return Binary(ExprKind::kLess, operands[1], operands[0]);
    case ExprKind::kAnd:
    case ExprKind::kOr: {
      Operands negated;
      for (const ExprId operand : operands) negated.push_back(Not(operand));
      return Fold(storage.kind(predicate) == ExprKind::kAnd ? ExprKind::kOr : ExprKind::kAnd,
                  negated);
    }
    case ExprKind::kNot:
      return operands[0];
    case ExprKind::kSymbol:
    case ExprKind::kCall:
      return storage.Intern(ExprKind::kNot, {&predicate, 1});
    default:
      return Binary(ExprKind::kEqual, predicate, Integer(0));
  }
}

ExprId ExprPool::Call(std::string_view name, std::span<const ExprId> operands) {
  if (name.empty() || llvm::is_contained(operands, ExprId::kNone)) return ExprId::kNone;
  const auto text = static_cast<int64_t>(storage_->names.Intern(name));
  return storage_->Intern(ExprKind::kCall, text, operands,
                          NumberKindOfCall(name, *storage_, operands));
}

}  // namespace shapewise
