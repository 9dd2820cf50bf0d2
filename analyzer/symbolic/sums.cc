#include "sums.h"

#include <algorithm>
#include <limits>

#include "checked.h"

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
      // A product whose constants overflow keeps them: it is a term of its own.
      if (!IsConstant(storage, operands[0]) || IsConstant(storage, operands[1])) return {1, id};
      const int64_t coefficient = storage.node(operands[0]).payload;
      if (operands.size() == 2) return {coefficient, operands[1]};
      return {coefficient, storage.Intern(ExprKind::kMul, operands.subspan(1))};
    }
    case ExprKind::kTrueDiv: {
      const ExprTerm numerator = TermOf(pool, storage, operands[0]);
      if (numerator.coefficient == 1) return {1, id};
      if (numerator.coefficient == 0) return {1, id};
      const ExprId rest = numerator.base == ExprId::kNone ? pool.Integer(1) : numerator.base;
      const ExprId parts[] = {rest, operands[1]};
      return {numerator.coefficient, storage.Intern(ExprKind::kTrueDiv, parts)};
    }
    default:
      return {1, id};
  }
}

// Gathers the summands of nested sums, without recursion: a sum never holds a sum.
void Flatten(const Storage& storage, std::span<const ExprId> terms, Operands& flat) {
  for (const ExprId term : terms) {
    if (storage.kind(term) == ExprKind::kAdd) {
      const std::span<const ExprId> operands = storage.operands(term);
      flat.append(operands.begin(), operands.end());
    } else {
      flat.push_back(term);
    }
  }
}

// What is infinite swallows what is finite; opposite infinities have no sum.
ExprId AddInfinity(const Storage& storage, const Operands& terms) {
  ExprId infinity = ExprId::kNone;
  for (const ExprId term : terms) {
    if (storage.kind(term) != ExprKind::kInfinity) continue;
    if (infinity != ExprId::kNone && infinity != term) return ExprId::kNone;
    infinity = term;
  }
  return infinity;
}

}  // namespace

ExprTerms TermsOf(ExprPool& pool, Storage& storage, ExprId id) {
  ExprTerms terms;
  if (storage.kind(id) != ExprKind::kAdd) {
    terms.push_back(TermOf(pool, storage, id));
    return terms;
  }
  for (const ExprId operand : storage.operands(id)) {
    terms.push_back(TermOf(pool, storage, operand));
  }
  return terms;
}

ExprId SumOf(ExprPool& pool, const ExprTerms& terms) {
  Operands operands;
  for (const ExprTerm& term : terms) {
    const ExprId coefficient = pool.Integer(term.coefficient);
    if (term.base == ExprId::kNone) {
      operands.push_back(coefficient);
    } else {
      const ExprId factors[] = {coefficient, term.base};
      operands.push_back(pool.Mul(factors));
    }
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
  if (has_float) return Call("+", terms);

  Operands flat;
  Flatten(storage, terms, flat);
  if (has_infinity) return AddInfinity(storage, flat);

  // Like terms are collected by base; where coefficients overflow the terms stay apart.
  struct Part {
    ExprTerm term;
    ExprId whole;
  };
  llvm::SmallVector<Part, 8> parts;
  for (const ExprId term : flat) parts.push_back({TermOf(*this, storage, term), term});
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    if (a.term.base != b.term.base) return a.term.base < b.term.base;
    return a.term.coefficient < b.term.coefficient;
  });
  llvm::SmallVector<Part, 8> sums;
  bool is_changed = false;  // a quotient became another term, which may be like a third one
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
      ExprId sum = Integer(coefficient);
      if (base != ExprId::kNone) {
        const ExprId factors[] = {sum, base};
        sum = Mul(factors);
        if (sum == ExprId::kNone) return sum;
        is_changed |= storage.kind(base) == ExprKind::kTrueDiv;
      }
      sums.push_back({{coefficient, base}, sum});
    }
    begin = end;
  }
  if (sums.empty()) return Integer(0);
  if (sums.size() == 1) return sums[0].whole;

  // Constants stand last.
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

ExprId ExprPool::Negate(ExprId operand) {
  if (storage_->kind(operand) == ExprKind::kInfinity) return Infinity(value(operand) > 0);
  const ExprId factors[] = {Integer(-1), operand};
  return Mul(factors);
}

ExprId ExprPool::Subtract(ExprId left, ExprId right) {
  const ExprId terms[] = {left, Negate(right)};
  return Add(terms);
}

}  // namespace shapewise
