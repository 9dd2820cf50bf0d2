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
  ExprTerms parts;
  for (const ExprId term : flat) parts.push_back(TermOf(*this, storage, term));
  llvm::SmallVector<unsigned, 8> order;
  for (unsigned i = 0; i < parts.size(); ++i) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
    if (parts[a].base != parts[b].base) return parts[a].base < parts[b].base;
    return parts[a].coefficient < parts[b].coefficient;
  });
  Operands sums;
  Operands constants;
  bool is_changed = false;  // a quotient became another term, which may be like a third one
  for (size_t begin = 0; begin < order.size();) {
    const ExprId base = parts[order[begin]].base;
    size_t end = begin;
    Int128 total = 0;
    for (; end < order.size() && parts[order[end]].base == base; ++end) {
      total += parts[order[end]].coefficient;
    }
    if (base == ExprId::kNone) {
      if (FitsIn64(total)) {
        if (total != 0) constants.push_back(Integer(static_cast<int64_t>(total)));
      } else {
        for (size_t i = begin; i < end; ++i) constants.push_back(flat[order[i]]);
      }
    } else if (end - begin == 1) {
      sums.push_back(flat[order[begin]]);
    } else if (!FitsIn64(total)) {
      for (size_t i = begin; i < end; ++i) sums.push_back(flat[order[i]]);
    } else if (total != 0) {
      const ExprId factors[] = {Integer(static_cast<int64_t>(total)), base};
      const ExprId sum = Mul(factors);
      if (sum == ExprId::kNone) return ExprId::kNone;
      is_changed |= storage.kind(base) == ExprKind::kTrueDiv;
      sums.push_back(sum);
    }
    begin = end;
  }
  if (is_changed) {
    sums.append(constants.begin(), constants.end());
    return Add(sums);
  }
  if (sums.empty() && constants.empty()) return Integer(0);

  // Terms are compared without their coefficients; those with equal bases stay by coefficient.
  std::sort(sums.begin(), sums.end(), [&](ExprId a, ExprId b) {
    const ExprId left = TermOf(*this, storage, a).base;
    const ExprId right = TermOf(*this, storage, b).base;
    return left == right ? storage.Compare(a, b) < 0 : storage.CompareTerms(left, right) < 0;
  });
  sums.append(constants.begin(), constants.end());
  if (sums.size() == 1) return sums[0];
  return storage.Intern(ExprKind::kAdd, sums);
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
