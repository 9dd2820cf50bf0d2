// Constructs comparisons, minima and maxima, logic, calls.

#include <algorithm>

#include "llvm/ADT/SmallVector.h"
#include "symbolic/expression.h"
#include "symbolic/storage.h"

namespace shapewise {
namespace {

using Storage = ExprPool::Storage;
using Operands = llvm::SmallVector<ExprId, 8>;

std::string_view OperatorOf(ExprKind kind) {
  switch (kind) {
    case ExprKind::kFloorDiv:
      return "//";
    case ExprKind::kCeilDiv:
      return "CeilDiv";
    case ExprKind::kTrueDiv:
      return "/";
    case ExprKind::kMod:
      return "%";
    case ExprKind::kPower:
      return "**";
    case ExprKind::kEqual:
      return "==";
    case ExprKind::kNotEqual:
      return "!=";
    case ExprKind::kLess:
      return "<";
    case ExprKind::kLessEqual:
      return "<=";
    case ExprKind::kMin:
      return "Min";
    default:
      return "Max";
  }
}

bool IsComparison(ExprKind kind) {
  return kind == ExprKind::kEqual || kind == ExprKind::kNotEqual || kind == ExprKind::kLess ||
         kind == ExprKind::kLessEqual;
}

// Whether the sign of left - right makes the comparison true.
bool Holds(ExprKind kind, int sign) {
  switch (kind) {
    case ExprKind::kEqual:
      return sign == 0;
    case ExprKind::kNotEqual:
      return sign != 0;
    case ExprKind::kLess:
      return sign < 0;
    default:
      return sign <= 0;
  }
}

int SignOf(int64_t value) { return value < 0 ? -1 : value > 0 ? 1 : 0; }

ExprId MakeComparison(ExprPool& pool, Storage& storage, ExprKind kind, ExprId left, ExprId right) {
  const auto infinity = [&](ExprId id) {
    return storage.kind(id) == ExprKind::kInfinity ? static_cast<int>(pool.value(id)) : 0;
  };
  if (left == right) return pool.Bool(Holds(kind, 0));
  if (infinity(left) != 0) return pool.Bool(Holds(kind, infinity(left)));
  if (infinity(right) != 0) return pool.Bool(Holds(kind, -infinity(right)));
  if (!IsPredicate(storage.kind(left)) && !IsPredicate(storage.kind(right))) {
    const ExprId difference = pool.Subtract(left, right);
    if (storage.kind(difference) == ExprKind::kInteger) {
      return pool.Bool(Holds(kind, SignOf(storage.node(difference).payload)));
    }
  }
  const bool is_symmetric = kind == ExprKind::kEqual || kind == ExprKind::kNotEqual;
  const bool left_is_constant = storage.kind(left) == ExprKind::kInteger;
  const bool right_is_constant = storage.kind(right) == ExprKind::kInteger;
  if (is_symmetric && !right_is_constant &&
      (left_is_constant || storage.Compare(left, right) > 0)) {
    std::swap(left, right);
  }
  const ExprId operands[] = {left, right};
  return storage.Intern(kind, operands);
}

// Converts a number used as a truth value. Symbols and calls may be truth values themselves.
ExprId AsTruth(ExprPool& pool, const Storage& storage, ExprId id) {
  const ExprKind kind = storage.kind(id);
  const bool is_truth = IsPredicate(kind) || kind == ExprKind::kSymbol || kind == ExprKind::kCall;
  return is_truth ? id : pool.Binary(ExprKind::kNotEqual, id, pool.Integer(0));
}

}  // namespace

ExprId ExprPool::Binary(ExprKind kind, ExprId left, ExprId right) {
  Storage& storage = *storage_;
  if (left == ExprId::kNone || right == ExprId::kNone) return ExprId::kNone;
  if (storage.IsFloat(left) || storage.IsFloat(right)) {
    const ExprId operands[] = {left, right};
    return Call(OperatorOf(kind), operands);
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
    const ExprId sides[] = {is_max ? constant : id, is_max ? id : constant};
    return pool.Binary(ExprKind::kLess, sides[0], sides[1]) == pool.Bool(true);
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
      const std::span<const ExprId> nested = storage.operands(operand);
      flat.append(nested.begin(), nested.end());
    } else {
      flat.push_back(is_logic ? AsTruth(*this, storage, operand) : operand);
    }
  }
  std::sort(flat.begin(), flat.end());
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());

  if (is_logic) {
    const ExprId neutral = Bool(kind == ExprKind::kAnd);
    const ExprId decisive = Bool(kind == ExprKind::kOr);
    if (std::find(flat.begin(), flat.end(), decisive) != flat.end()) return decisive;
    flat.erase(std::remove(flat.begin(), flat.end(), neutral), flat.end());
    if (flat.empty()) return neutral;
  } else {
    flat = KeepOneConstant(*this, storage, kind, flat);
  }
  if (flat.size() == 1) return flat[0];
  std::sort(flat.begin(), flat.end(),
            [&](ExprId a, ExprId b) { return storage.Compare(a, b) < 0; });
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
  const bool is_complete =
      std::find(operands.begin(), operands.end(), ExprId::kNone) == operands.end();
  if (name.empty() || !is_complete) return ExprId::kNone;
  const auto text = static_cast<int64_t>(storage_->names.Intern(name));
  return storage_->Intern(ExprKind::kCall, text, operands,
                          NumberKindOfCall(name, *storage_, operands));
}

}  // namespace shapewise
