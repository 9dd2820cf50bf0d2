#include "symbolic/storage.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "llvm/ADT/STLExtras.h"
#include "symbolic/checked.h"

namespace shapewise {
namespace {

using Storage = ExprPool::Storage;
using Operands = llvm::SmallVector<ExprId, 8>;

// Longer products are not searched for in others.
constexpr size_t kMaxDivisorFactors = 16;

// base ** exponent, for exponents of one or more.
struct Factor {
  ExprId base = ExprId::kNone;
  int64_t exponent = 1;
};
using Factors = llvm::SmallVector<Factor, 8>;

Factor FactorOf(const Storage& storage, ExprId id) {
  if (storage.kind(id) != ExprKind::kPower) return {id, 1};
  const std::span<const ExprId> operands = storage.operands(id);
  if (storage.kind(operands[1]) != ExprKind::kInteger) return {id, 1};
  return {operands[0], storage.node(operands[1]).payload};
}

// Collects equal bases. Those whose exponents overflow stay separate.
void CollectFactors(Factors& factors) {
  std::sort(factors.begin(), factors.end(), [](const Factor& a, const Factor& b) {
    return a.base != b.base ? a.base < b.base : a.exponent < b.exponent;
  });
  size_t kept = 0;
  for (size_t i = 0; i < factors.size(); ++i) {
    if (kept > 0 && factors[kept - 1].base == factors[i].base) {
      const auto sum = CheckedAdd(factors[kept - 1].exponent, factors[i].exponent);
      if (sum) {
        factors[kept - 1].exponent = *sum;
        continue;
      }
    }
    factors[kept++] = factors[i];
  }
  factors.truncate(kept);
}

// The product of `constants`, or all of them in order if it overflows.
Operands FoldConstants(ExprPool& pool, const Storage& storage, Operands constants) {
  Int128 product = 1;
  bool overflows = false;
  for (const ExprId constant : constants) {
    const int64_t value = storage.node(constant).payload;
    if (value == 0) return {constant};
    if (overflows) continue;
    product *= value;
    overflows = product > (Int128{1} << 63) || product < -(Int128{1} << 63);
  }
  overflows |= product > std::numeric_limits<int64_t>::max();
  if (!overflows) return {pool.Integer(static_cast<int64_t>(product))};
  llvm::erase_value(constants, pool.Integer(1));
  std::ranges::sort(constants, [&](ExprId a, ExprId b) { return storage.Compare(a, b) < 0; });
  return constants;
}

// constant * (a + b) is constant*a + constant*b, unless a coefficient overflows.
std::optional<ExprId> Distribute(ExprPool& pool, Storage& storage, int64_t constant, ExprId sum) {
  ExprTerms terms = TermsOf(pool, storage, sum);
  for (ExprTerm& term : terms) {
    const auto coefficient = CheckedMultiply(term.coefficient, constant);
    if (!coefficient) return std::nullopt;
    term.coefficient = *coefficient;
  }
  return SumOf(pool, terms);
}

// The greatest constant that divides all terms of `id`; 0 for the constant 0.
uint64_t ContentOf(ExprPool& pool, Storage& storage, ExprId id) {
  uint64_t content = 0;
  for (const ExprTerm& term : TermsOf(pool, storage, id)) {
    content = std::gcd(content, Magnitude(term.coefficient));
  }
  return content;
}

ExprId DivideContent(ExprPool& pool, Storage& storage, ExprId id, int64_t divisor) {
  ExprTerms terms = TermsOf(pool, storage, id);
  for (ExprTerm& term : terms) term.coefficient /= divisor;
  return SumOf(pool, terms);
}

ExprId MakeTrueDiv(ExprPool& pool, Storage& storage, ExprId numerator, ExprId denominator) {
  const auto operands = [&](ExprId id) { return storage.operands(id); };
  if (storage.kind(numerator) == ExprKind::kTrueDiv) {
    return pool.Binary(ExprKind::kTrueDiv, operands(numerator)[0],
                       pool.Mul({operands(numerator)[1], denominator}));
  }
  if (storage.kind(denominator) == ExprKind::kTrueDiv) {
    return pool.Binary(ExprKind::kTrueDiv, pool.Mul({numerator, operands(denominator)[1]}),
                       operands(denominator)[0]);
  }
  // Common constants are cancelled, and the denominator's constant is made positive.
  const ExprTerms parts = TermsOf(pool, storage, denominator);
  if (parts.size() == 1 && parts[0].coefficient != 0) {
    const int64_t constant = parts[0].coefficient;
    const uint64_t content = ContentOf(pool, storage, numerator);
    const uint64_t shared = std::gcd(content, Magnitude(constant));
    if (constant < 0 && constant != std::numeric_limits<int64_t>::min()) {
      return pool.Binary(ExprKind::kTrueDiv, pool.Negate(numerator), pool.Negate(denominator));
    }
    if (shared > 1 && shared <= uint64_t{std::numeric_limits<int64_t>::max()}) {
      const auto divisor = static_cast<int64_t>(shared);
      numerator = DivideContent(pool, storage, numerator, divisor);
      denominator = DivideContent(pool, storage, denominator, divisor);
    }
  }
  if (denominator == pool.Integer(1) || numerator == pool.Integer(0)) return numerator;
  return storage.Intern(ExprKind::kTrueDiv, {numerator, denominator});
}

ExprId MakePower(ExprPool& pool, Storage& storage, ExprId base, ExprId exponent) {
  if (storage.kind(exponent) == ExprKind::kInteger) {
    const int64_t power = storage.node(exponent).payload;
    if (power == 0) return pool.Integer(1);
    if (power == 1) return base;
    if (power < 0) {
      const ExprId positive = pool.Negate(exponent);
      if (storage.kind(positive) == ExprKind::kInteger) {
        return pool.Binary(ExprKind::kTrueDiv, pool.Integer(1),
                           pool.Binary(ExprKind::kPower, base, positive));
      }
    } else if (storage.kind(base) == ExprKind::kInteger) {
      const auto value = CheckedPower(storage.node(base).payload, power);
      if (value) return pool.Integer(*value);
    } else if (storage.kind(base) == ExprKind::kMul || storage.kind(base) == ExprKind::kTrueDiv) {
      Operands factors;
      for (const ExprId factor : storage.operands(base)) {
        factors.push_back(pool.Binary(ExprKind::kPower, factor, exponent));
      }
      if (storage.kind(base) == ExprKind::kMul) return pool.Mul(factors);
      return pool.Binary(ExprKind::kTrueDiv, factors[0], factors[1]);
    } else if (const Factor factor = FactorOf(storage, base); factor.exponent > 1) {
      const auto product = CheckedMultiply(factor.exponent, power);
      if (product) {
        return pool.Binary(ExprKind::kPower, factor.base, pool.Integer(*product));
      }
    }
  }
  return storage.Intern(ExprKind::kPower, {base, exponent});
}

}  // namespace

std::optional<ExprId> DivideExactly(ExprPool& pool, Storage& storage, const ExprTerm& term,
                                    ExprId divisor) {
  if (term.coefficient == 0) return pool.Integer(0);
  const auto is_long = [&](ExprId id) {
    return storage.kind(id) == ExprKind::kMul && storage.operands(id).size() > kMaxDivisorFactors;
  };
  if (is_long(divisor)) return std::nullopt;
  const ExprTerms parts = TermsOf(pool, storage, divisor);
  if (parts.size() != 1 || parts[0].coefficient == 0) return std::nullopt;
  const int64_t constant = parts[0].coefficient;
  if (constant == -1 && term.coefficient == std::numeric_limits<int64_t>::min())
    return std::nullopt;
  if (term.coefficient % constant != 0) return std::nullopt;
  if (term.base != ExprId::kNone && !storage.IsInteger(term.base)) return std::nullopt;
  const ExprId coefficient = pool.Integer(term.coefficient / constant);
  const ExprId base = parts[0].base;
  if (base == ExprId::kNone) {
    return term.base == ExprId::kNone ? coefficient : pool.Mul({coefficient, term.base});
  }
  if (term.base == ExprId::kNone || !storage.IsInteger(base)) return std::nullopt;

  const auto factors_of = [&](const ExprId& id) {
    return storage.kind(id) == ExprKind::kMul ? storage.operands(id)
                                              : std::span<const ExprId>(&id, 1);
  };
  Factors rest;
  for (const ExprId factor : factors_of(term.base)) rest.push_back(FactorOf(storage, factor));
  for (const ExprId id : factors_of(base)) {
    const Factor wanted = FactorOf(storage, id);
    auto* const found = std::find_if(rest.begin(), rest.end(), [&](const Factor& factor) {
      return factor.base == wanted.base && factor.exponent >= wanted.exponent;
    });
    if (found == rest.end()) return std::nullopt;
    found->exponent -= wanted.exponent;
  }
  Operands factors = {coefficient};
  for (const Factor& factor : rest) {
    factors.push_back(MakePower(pool, storage, factor.base, pool.Integer(factor.exponent)));
  }
  return pool.Mul(factors);
}

namespace {

// (a / b) * c is (a * c) / b.
ExprId MultiplyQuotients(ExprPool& pool, const Storage& storage, std::span<const ExprId> operands) {
  Operands numerators;
  Operands denominators;
  for (const ExprId operand : operands) {
    if (storage.kind(operand) == ExprKind::kTrueDiv) {
      numerators.push_back(storage.operands(operand)[0]);
      denominators.push_back(storage.operands(operand)[1]);
    } else {
      numerators.push_back(operand);
    }
  }
  return pool.Binary(ExprKind::kTrueDiv, pool.Mul(numerators), pool.Mul(denominators));
}

// Splits products among `operands`, and constants from the rest.
void TakeFactors(const Storage& storage, std::span<const ExprId> operands, Operands& constants,
                 Factors& factors) {
  const auto take = [&](ExprId id) {
    if (storage.kind(id) == ExprKind::kInteger) {
      constants.push_back(id);
    } else {
      factors.push_back(FactorOf(storage, id));
    }
  };
  for (const ExprId operand : operands) {
    if (storage.kind(operand) == ExprKind::kMul) {
      for (const ExprId factor : storage.operands(operand)) take(factor);
    } else {
      take(operand);
    }
  }
}

}  // namespace

ExprId ExprPool::Mul(std::span<const ExprId> operands) {
  Storage& storage = *storage_;
  bool has_float = false;
  bool has_quotient = false;
  bool has_infinity = false;
  for (const ExprId operand : operands) {
    if (operand == ExprId::kNone) return ExprId::kNone;
    has_float |= storage.IsFloat(operand);
    has_quotient |= storage.kind(operand) == ExprKind::kTrueDiv;
    has_infinity |= storage.kind(operand) == ExprKind::kInfinity;
  }
  if (operands.size() == 1) return operands[0];
  if (has_float) return CallInOrder(*this, storage, "*", operands);
  if (has_quotient) return MultiplyQuotients(*this, storage, operands);

  Operands constants;
  Factors factors;
  TakeFactors(storage, operands, constants, factors);
  constants = FoldConstants(*this, storage, std::move(constants));
  const bool is_folded = constants.size() == 1;
  if (has_infinity) {
    // Only a constant has a known sign.
    if (!is_folded || factors.size() != 1 || constants[0] == Integer(0)) return ExprId::kNone;
    return Infinity((value(constants[0]) < 0) != (value(factors[0].base) < 0));
  }
  if (factors.empty() && is_folded) return constants[0];
  if (is_folded) {
    const int64_t constant = value(constants[0]);
    if (constant == 0) return constants[0];
    if (constant == 1) constants.clear();
  }

  CollectFactors(factors);
  if (is_folded && !constants.empty() && factors.size() == 1 && factors[0].exponent == 1 &&
      storage.kind(factors[0].base) == ExprKind::kAdd) {
    const auto sum = Distribute(*this, storage, value(constants[0]), factors[0].base);
    if (sum) return *sum;
  }
  Operands product;
  for (const Factor& factor : factors) {
    product.push_back(factor.exponent == 1
                          ? factor.base
                          : MakePower(*this, storage, factor.base, Integer(factor.exponent)));
    if (product.back() == ExprId::kNone) return ExprId::kNone;
  }
  std::ranges::sort(product, [&](ExprId a, ExprId b) { return storage.CompareFactors(a, b) < 0; });
  product.insert(product.begin(), constants.begin(), constants.end());
  if (product.size() == 1) return product[0];
  return storage.Intern(ExprKind::kMul, product);
}

namespace {

// Integer division, by rules that hold for every non-zero divisor.
ExprId MakeFloorDiv(ExprPool& pool, Storage& storage, ExprId left, ExprId right) {
  if (!storage.IsInteger(left) || !storage.IsInteger(right)) {
    return storage.Intern(ExprKind::kFloorDiv, {left, right});
  }

  // Terms divisible by the divisor are moved outside: (4*s0 + s1) // 4 is s0 + s1//4.
  ExprTerms rest;
  Operands quotients;
  for (const ExprTerm& term : TermsOf(pool, storage, left)) {
    if (const auto quotient = DivideExactly(pool, storage, term, right)) {
      quotients.push_back(*quotient);
    } else {
      rest.push_back(term);
    }
  }
  if (!quotients.empty()) {
    if (!rest.empty()) {
      quotients.push_back(pool.Binary(ExprKind::kFloorDiv, SumOf(pool, rest), right));
    }
    return pool.Add(quotients);
  }
  if (storage.kind(right) != ExprKind::kInteger)
    return storage.Intern(ExprKind::kFloorDiv, {left, right});

  const int64_t divisor = storage.node(right).payload;
  if (divisor == 0 || divisor == std::numeric_limits<int64_t>::min()) {
    return storage.Intern(ExprKind::kFloorDiv, {left, right});
  }
  if (divisor < 0) return pool.Binary(ExprKind::kFloorDiv, pool.Negate(left), pool.Negate(right));
  const auto shared = static_cast<int64_t>(
      std::gcd(ContentOf(pool, storage, left), static_cast<uint64_t>(divisor)));
  if (shared > 1) {
    return pool.Binary(ExprKind::kFloorDiv, DivideContent(pool, storage, left, shared),
                       pool.Integer(divisor / shared));
  }
  // (a // b) // c is a // (b*c) for positive c.
  if (storage.kind(left) == ExprKind::kFloorDiv) {
    const ExprId inner = storage.operands(left)[1];
    const ExprTerms parts = TermsOf(pool, storage, inner);
    if (parts.size() == 1 && CheckedMultiply(parts[0].coefficient, divisor)) {
      return pool.Binary(ExprKind::kFloorDiv, storage.operands(left)[0], pool.Mul({inner, right}));
    }
  }
  return storage.Intern(ExprKind::kFloorDiv, {left, right});
}

ExprId MakeCeilDiv(ExprPool& pool, Storage& storage, ExprId left, ExprId right) {
  // PyTorch writes a quotient rounded up as (a + b - 1) // b.
  const bool is_positive =
      storage.kind(right) == ExprKind::kInteger && storage.node(right).payload > 0;
  if (is_positive && storage.IsInteger(left)) {
    const ExprId last = pool.Integer(storage.node(right).payload - 1);
    return pool.Binary(ExprKind::kFloorDiv, pool.Add({left, last}), right);
  }
  return storage.Intern(ExprKind::kCeilDiv, {left, right});
}

// Terms divisible by the divisor vanish; other coefficients are reduced modulo it.
ExprId MakeMod(ExprPool& pool, Storage& storage, ExprId left, ExprId right) {
  if (left == pool.Integer(0) && right != left) return left;
  if (!storage.IsInteger(left) || !storage.IsInteger(right)) {
    return storage.Intern(ExprKind::kMod, {left, right});
  }
  const bool is_constant = storage.kind(right) == ExprKind::kInteger;
  const int64_t divisor = is_constant ? storage.node(right).payload : 0;
  ExprTerms rest;
  bool is_changed = false;
  for (ExprTerm term : TermsOf(pool, storage, left)) {
    const bool divides =
        term.coefficient != 0 && DivideExactly(pool, storage, term, right).has_value();
    is_changed |= divides;
    if (divides) continue;
    const bool is_reducible =
        divisor != 0 && divisor != -1 && Magnitude(term.coefficient) > Magnitude(divisor);
    if (is_reducible) term.coefficient %= divisor;
    is_changed |= is_reducible;
    rest.push_back(term);
  }
  if (is_changed) return pool.Binary(ExprKind::kMod, SumOf(pool, rest), right);
  if (storage.kind(left) == ExprKind::kMod && storage.operands(left)[1] == right) return left;
  return storage.Intern(ExprKind::kMod, {left, right});
}

}  // namespace

ExprId MakeArithmetic(ExprPool& pool, Storage& storage, ExprKind kind, ExprId left, ExprId right) {
  const bool is_rounded = kind == ExprKind::kFloorDiv || kind == ExprKind::kCeilDiv;
  const bool is_constant =
      storage.kind(left) == ExprKind::kInteger && storage.kind(right) == ExprKind::kInteger;
  if (is_constant && (is_rounded || kind == ExprKind::kMod)) {
    const auto value = Compute(kind, storage.node(left).payload, storage.node(right).payload);
    if (value) return pool.Integer(*value);
  }
  if (is_rounded && storage.kind(left) == ExprKind::kTrueDiv) {
    const std::span<const ExprId> quotient = storage.operands(left);
    return pool.Binary(kind, quotient[0], pool.Mul({quotient[1], right}));
  }
  switch (kind) {
    case ExprKind::kFloorDiv:
      return MakeFloorDiv(pool, storage, left, right);
    case ExprKind::kCeilDiv:
      return MakeCeilDiv(pool, storage, left, right);
    case ExprKind::kTrueDiv:
      return MakeTrueDiv(pool, storage, left, right);
    case ExprKind::kMod:
      return MakeMod(pool, storage, left, right);
    case ExprKind::kPower:
      return MakePower(pool, storage, left, right);
    default:
      return ExprId::kNone;
  }
}

}  // namespace shapewise
