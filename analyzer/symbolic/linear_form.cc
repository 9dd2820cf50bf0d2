#include "linear_form.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "checked.h"

namespace shapewise {
namespace {

using Operands = llvm::SmallVector<ExprId, 8>;

// Products of sums are multiplied out up to this many terms.
constexpr size_t kMaxExpandedTerms = 24;

// Of a kTrueDiv; 0: it is no positive constant.
int64_t DenominatorOf(const ExprPool& pool, ExprId id) {
  const ExprId denominator = pool.operands(id)[1];
  const bool is_constant = pool.kind(denominator) == ExprKind::kInteger;
  return is_constant ? std::max<int64_t>(0, pool.value(denominator)) : 0;
}

class Builder {
 public:
  Builder(ExprPool& pool, bool expands) : pool_(pool), expands_(expands) {}

  bool AddMultiple(ExprId id, int64_t coefficient) {
    switch (pool_.kind(id)) {
      case ExprKind::kInteger: {
        const auto product = CheckedMultiply(pool_.value(id), coefficient);
        const auto sum = product ? CheckedAdd(form_.constant, *product) : std::nullopt;
        if (sum) form_.constant = *sum;
        return sum.has_value();
      }
      case ExprKind::kAdd: {
        for (const ExprId operand : pool_.operands(id)) {
          if (!AddMultiple(operand, coefficient)) return false;
        }
        return true;
      }
      case ExprKind::kMul:
        return AddProduct(id, coefficient);
      case ExprKind::kTrueDiv:
        return AddQuotient(id, coefficient);
      case ExprKind::kInfinity:
      case ExprKind::kNone:
        return false;
      default:
        if (!pool_.IsInteger(id)) return false;
        form_.terms.push_back({id, coefficient});
        return true;
    }
  }

  std::optional<LinearForm> Take() {
    std::sort(form_.terms.begin(), form_.terms.end(),
              [](const auto& a, const auto& b) { return a.base < b.base; });
    size_t kept = 0;
    for (size_t i = 0; i < form_.terms.size();) {
      const ExprId base = form_.terms[i].base;
      int64_t total = 0;
      for (; i < form_.terms.size() && form_.terms[i].base == base; ++i) {
        const auto sum = CheckedAdd(total, form_.terms[i].coefficient);
        if (!sum) return std::nullopt;
        total = *sum;
      }
      if (total != 0) form_.terms[kept++] = {base, total};
    }
    form_.terms.truncate(kept);
    return std::move(form_);
  }

 private:
  bool AddProduct(ExprId id, int64_t coefficient) {
    const std::span<const ExprId> operands = pool_.operands(id);
    if (pool_.kind(operands[0]) == ExprKind::kInteger) {
      const auto product = CheckedMultiply(pool_.value(operands[0]), coefficient);
      return product && AddMultiple(pool_.Mul(operands.subspan(1)), *product);
    }
    if (!pool_.IsInteger(id)) return false;
    if (expands_) {
      const auto* const sum =
          std::find_if(operands.data(), operands.data() + operands.size(),
                       [&](ExprId x) { return pool_.kind(x) == ExprKind::kAdd; });
      if (sum != operands.data() + operands.size()) {
        const std::span<const ExprId> terms = pool_.operands(*sum);
        expanded_ += terms.size();
        if (expanded_ <= kMaxExpandedTerms) {
          Operands rest;
          for (const ExprId& operand : operands) {
            if (&operand != sum) rest.push_back(operand);
          }
          const ExprId others = pool_.Mul(rest);
          return std::all_of(terms.begin(), terms.end(), [&](ExprId term) {
            const ExprId factors[] = {others, term};
            const ExprId product = pool_.Mul(factors);
            return product != ExprId::kNone && AddMultiple(product, coefficient);
          });
        }
      }
    }
    form_.terms.push_back({id, coefficient});
    return true;
  }

  bool AddQuotient(ExprId id, int64_t coefficient) {
    const std::span<const ExprId> operands = pool_.operands(id);
    const int64_t divisor = DenominatorOf(pool_, id);
    if (divisor == 0 || coefficient % divisor != 0) return false;
    return AddMultiple(operands[0], coefficient / divisor);
  }

  ExprPool& pool_;
  bool expands_;
  size_t expanded_ = 0;
  LinearForm form_;
};

// The least common denominator of the quotients that `id` sums up. Absent: there is none.
std::optional<int64_t> CommonDenominator(const ExprPool& pool, ExprId id) {
  if (pool.IsInteger(id)) return 1;
  if (pool.kind(id) == ExprKind::kTrueDiv) {
    const int64_t divisor = DenominatorOf(pool, id);
    return divisor == 0 ? std::nullopt : std::optional(divisor);
  }
  if (pool.kind(id) != ExprKind::kAdd) return std::nullopt;
  std::optional<int64_t> common = 1;
  for (const ExprId operand : pool.operands(id)) {
    const auto divisor = CommonDenominator(pool, operand);
    if (!divisor) return std::nullopt;
    common = CheckedMultiply(*common, *divisor / std::gcd(*common, *divisor));
    if (!common) return std::nullopt;
  }
  return common;
}

}  // namespace

std::optional<LinearForm> MakeLinearForm(ExprPool& pool, ExprId id, bool expands) {
  const auto denominator = CommonDenominator(pool, id);
  if (!denominator) return std::nullopt;
  Builder builder(pool, expands);
  if (!builder.AddMultiple(id, *denominator)) return std::nullopt;
  auto form = builder.Take();
  if (form) form->denominator = *denominator;
  return form;
}

std::optional<LinearForm> AddForms(const LinearForm& form, const LinearForm& other,
                                   int64_t factor) {
  const auto scaled = ScaleForm(other, factor);
  if (!scaled) return std::nullopt;
  const auto constant = CheckedAdd(form.constant, scaled->constant);
  if (!constant) return std::nullopt;
  LinearForm sum;
  sum.constant = *constant;
  sum.denominator = form.denominator;
  size_t i = 0;
  size_t j = 0;
  while (i < form.terms.size() || j < scaled->terms.size()) {
    const bool from_left = j == scaled->terms.size() ||
                           (i < form.terms.size() && form.terms[i].base <= scaled->terms[j].base);
    const bool from_right = i == form.terms.size() || (j < scaled->terms.size() &&
                                                       scaled->terms[j].base <= form.terms[i].base);
    const ExprId base = from_left ? form.terms[i].base : scaled->terms[j].base;
    const auto total = CheckedAdd(from_left ? form.terms[i].coefficient : 0,
                                  from_right ? scaled->terms[j].coefficient : 0);
    if (!total) return std::nullopt;
    if (*total != 0) sum.terms.push_back({base, *total});
    if (from_left) ++i;
    if (from_right) ++j;
  }
  return sum;
}

std::optional<LinearForm> ScaleForm(const LinearForm& form, int64_t factor) {
  LinearForm scaled = form;
  if (factor == 0) scaled.terms.clear();
  for (LinearForm::Term& term : scaled.terms) {
    const auto product = CheckedMultiply(term.coefficient, factor);
    if (!product) return std::nullopt;
    term.coefficient = *product;
  }
  const auto constant = CheckedMultiply(form.constant, factor);
  if (!constant) return std::nullopt;
  scaled.constant = *constant;
  return scaled;
}

LinearForm WithoutTerm(const LinearForm& form, size_t index) {
  LinearForm rest = form;
  rest.terms.erase(rest.terms.begin() + index);
  return rest;
}

std::optional<Direction> DirectionOf(ExprPool& pool, const LinearForm& form) {
  if (form.terms.empty()) return std::nullopt;
  uint64_t content = 0;
  for (const LinearForm::Term& term : form.terms) {
    if (term.coefficient == std::numeric_limits<int64_t>::min()) return std::nullopt;
    content = std::gcd(content, Magnitude(term.coefficient));
  }
  if (content > uint64_t{std::numeric_limits<int64_t>::max()}) return std::nullopt;
  auto scale = static_cast<int64_t>(content);
  if (form.terms.front().coefficient < 0) scale = -scale;
  if (form.terms.size() == 1) return Direction{form.terms[0].base, scale, form.constant};
  Operands terms;
  for (const LinearForm::Term& term : form.terms) {
    const ExprId factors[] = {pool.Integer(term.coefficient / scale), term.base};
    terms.push_back(pool.Mul(factors));
  }
  return Direction{pool.Add(terms), scale, form.constant};
}

}  // namespace shapewise
