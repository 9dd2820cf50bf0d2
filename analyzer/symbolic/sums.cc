#include "symbolic/storage.h"

#include <algorithm>
#include <limits>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "symbolic/checked.h"

namespace shapewise {
namespace {

using Storage = ExprPool::Storage;
using Operands = llvm::SmallVector<ExprId, 8>;

bool FitsIn64(Int128 value) {
  return value >= std::numeric_limits<int64_t>::min() &&
         value <= std::numeric_limits<int64_t>::max();
}

bool IsConstant(const Storage& storage, ExprId id) {
  return storage.kind(id) == ExprKind::kInteger;
}

ExprTerm TermOf(ExprPool& pool, Storage& storage, ExprId id) {
  const std::span<const ExprId> operands = storage.operands(id);
  switch (storage.kind(id)) {
    case ExprKind::kInteger:
      return {storage.node(id).payload, ExprId::kNone};
    case ExprKind::kMul: {
      // A product whose constants overflow keeps them as a separate term.
      if (!IsConstant(storage, operands[0]) || IsConstant(storage, operands[1])) return {1, id};
      const int64_t coefficient = storage.node(operands[0]).payload;
      if (operands.size() == 2) return {coefficient, operands[1]};
      return {coefficient, storage.Intern(ExprKind::kMul, operands.subspan(1))};
    }
    case ExprKind::kTrueDiv: {
      const ExprTerm numerator = TermOf(pool, storage, operands[0]);
      if (numerator.coefficient == 1 || numerator.coefficient == 0) return {1, id};
      const ExprId rest = numerator.base == ExprId::kNone ? pool.Integer(1) : numerator.base;
      return {numerator.coefficient, storage.Intern(ExprKind::kTrueDiv, {rest, operands[1]})};
    }
    default:
      return {1, id};
  }
}

// Collects the summands of nested sums, without recursion: a sum never contains a sum.
void Flatten(const Storage& storage, std::span<const ExprId> terms, Operands& flat) {
  for (const ExprId term : terms) {
    if (storage.kind(term) == ExprKind::kAdd) {
      llvm::append_range(flat, storage.operands(term));
    } else {
      flat.push_back(term);
    }
  }
}

// An infinite term absorbs finite ones; opposite infinities have no sum.
ExprId AddInfinity(const Storage& storage, const Operands& terms) {
  ExprId infinity = ExprId::kNone;
  for (const ExprId term : terms) {
    if (storage.kind(term) != ExprKind::kInfinity) continue;
    if (infinity != ExprId::kNone && infinity != term) return ExprId::kNone;
    infinity = term;
  }
  return infinity;
}

// One term of a sum, split and in original form.
struct Part {
  ExprTerm term;
  ExprId whole;
};
using Parts = llvm::SmallVector<Part, 8>;

// Adds like terms; if coefficients overflow, they stay separate. `is_changed`: a quotient became
// another term, which may match a third one. False: the sum is not an expression.
bool CollectTerms(ExprPool& pool, Storage& storage, const Operands& terms, Parts& sums,
                  bool& is_changed) {
  Parts parts;
  for (const ExprId term : terms) parts.push_back({TermOf(pool, storage, term), term});
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    if (a.term.base != b.term.base) return a.term.base < b.term.base;
    return a.term.coefficient < b.term.coefficient;
  });
  for (size_t begin = 0; begin < parts.size();) {
    const ExprId base = parts[begin].term.base;
    size_t end = begin;
    Int128 total = 0;
    for (; end < parts.size() && parts[end].term.base == base; ++end) {
      total += parts[end].term.coefficient;
    }
    if (end - begin == 1 || !FitsIn64(total)) {
      if (total != 0) sums.append(parts.begin() + begin, parts.begin() + end);
    } else if (total != 0) {
      const auto coefficient = static_cast<int64_t>(total);
      ExprId sum = pool.Integer(coefficient);
      if (base != ExprId::kNone) {
        sum = pool.Mul({sum, base});
        if (sum == ExprId::kNone) return false;
        is_changed |= storage.kind(base) == ExprKind::kTrueDiv;
      }
      sums.push_back({{coefficient, base}, sum});
    }
    begin = end;
  }
  return true;
}

}  // namespace

ExprId CallInOrder(ExprPool& pool, const Storage& storage, std::string_view name,
                   std::span<const ExprId> operands) {
  Operands sorted(operands.begin(), operands.end());
  std::sort(sorted.begin(), sorted.end(), [&](ExprId a, ExprId b) {
    // Numbers first.
    const bool a_is_number = storage.operands(a).empty() && storage.kind(a) != ExprKind::kSymbol;
    const bool b_is_number = storage.operands(b).empty() && storage.kind(b) != ExprKind::kSymbol;
    if (a_is_number != b_is_number) return a_is_number;
    return storage.Compare(a, b) < 0;
  });
  return pool.Call(name, sorted);
}

ExprTerms TermsOf(ExprPool& pool, Storage& storage, ExprId id) {
  if (storage.kind(id) != ExprKind::kAdd) return {TermOf(pool, storage, id)};
  ExprTerms terms;
  for (const ExprId operand : storage.operands(id)) {
    terms.push_back(TermOf(pool, storage, operand));
  }
  return terms;
}

ExprId SumOf(ExprPool& pool, const ExprTerms& terms) {
  Operands operands;
  for (const ExprTerm& term : terms) {
    const ExprId coefficient = pool.Integer(term.coefficient);
    operands.push_back(term.base == ExprId::kNone ? coefficient
                                                  : pool.Mul({coefficient, term.base}));
  }
  return pool.Add(operands);
}

ExprId ExprPool::Add(std::span<const ExprId> terms) {
  Storage& storage = *storage_;
  bool has_float = false;
  bool has_infinity = false;
  for (const ExprId term : terms) {
    if (term == ExprId::kNone) return ExprId::kNone;
    has_float |= storage.IsFloat(term);
    has_infinity |= storage.kind(term) == ExprKind::kInfinity;
  }
  if (terms.size() == 1) return terms[0];
  if (has_float) return CallInOrder(*this, storage, "+", terms);

  Operands flat;
  Flatten(storage, terms, flat);
  if (has_infinity) return AddInfinity(storage, flat);

  Parts sums;
  bool is_changed = false;
  if (!CollectTerms(*this, storage, flat, sums, is_changed)) return ExprId::kNone;
  if (sums.empty()) return Integer(0);
  if (sums.size() == 1) return sums[0].whole;

  // Constants last.
  std::sort(sums.begin(), sums.end(), [&](const Part& a, const Part& b) {
    if (a.term.base == b.term.base) return a.term.coefficient < b.term.coefficient;
    if (a.term.base == ExprId::kNone || b.term.base == ExprId::kNone) {
      return b.term.base == ExprId::kNone;
    }
    return storage.CompareTerms(a.term.base, b.term.base) < 0;
  });
  Operands operands;
  for (const Part& part : sums) operands.push_back(part.whole);
  return is_changed ? Add(operands) : storage.Intern(ExprKind::kAdd, operands);
}

namespace {

// Exact for floats: negates a number, or the first number of a product.
ExprId NegateFloat(ExprPool& pool, ExprId operand) {
  const std::string_view name = pool.name(operand);
  const std::span<const ExprId> operands = pool.operands(operand);
  if (operands.empty() && IsNumeral(name)) {
    return pool.Call(name.starts_with('-') ? std::string(name.substr(1)) : "-" + std::string(name),
                     {});
  }
  const bool begins_with_number = name == "*" && pool.kind(operands[0]) == ExprKind::kCall &&
                                  pool.operands(operands[0]).empty() &&
                                  IsNumeral(pool.name(operands[0]));
  if (!begins_with_number) return ExprId::kNone;
  Operands factors(operands.begin(), operands.end());
  factors[0] = NegateFloat(pool, factors[0]);
  return pool.Call("*", factors);
}

}  // namespace

ExprId ExprPool::Negate(ExprId operand) {
  if (storage_->kind(operand) == ExprKind::kCall && storage_->IsFloat(operand)) {
    const ExprId negated = NegateFloat(*this, operand);
    if (negated != ExprId::kNone) return negated;
  }
  if (storage_->kind(operand) == ExprKind::kInfinity) return Infinity(value(operand) > 0);
  return Mul({Integer(-1), operand});
}

ExprId ExprPool::Subtract(ExprId left, ExprId right) { return Add({left, Negate(right)}); }

}  // namespace shapewise
