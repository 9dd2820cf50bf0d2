// Questions to what is known: bounds, residues, proofs.

#include <algorithm>

#include "checked.h"
#include "knowledge.h"

namespace shapewise {
namespace {

// How many rewritings may follow each other in one proof, and how many there may be in all.
constexpr int kDepth = 3;
constexpr uint32_t kBudget = 400;
// Longer sums are bounded term by term only.
constexpr size_t kMaxTerms = 16;

bool IsPoint(const Interval& range) {
  return range.lower && range.upper && *range.lower == *range.upper;
}

LinearForm ConstantForm(int64_t value) {
  LinearForm form;
  form.constant = value;
  return form;
}

int64_t ConstantOr(const ExprPool& pool, ExprId id, int64_t otherwise) {
  return pool.kind(id) == ExprKind::kInteger ? pool.value(id) : otherwise;
}

Truth Negated(Truth truth) {
  if (truth == Truth::kUnknown) return truth;
  return truth == Truth::kTrue ? Truth::kFalse : Truth::kTrue;
}

}  // namespace

Domain Knowledge::DomainOfBase(ExprId base) {
  const auto known = cache_.find(KeyOf(base));
  if (known != cache_.end()) return known->second;
  Domain domain;
  const auto relation = relation_of_direction_.find(KeyOf(base));
  if (relation != relation_of_direction_.end()) domain = relations_[relation->second].domain;
  if (pool_.kind(base) != ExprKind::kSymbol) {
    const Domain structural = StructuralDomain(base);
    domain.range = IntersectIntervals(domain.range, structural.range);
    is_contradictory_ |= !IntersectCongruence(domain.congruence, structural.congruence);
    is_contradictory_ |= !TightenDomain(domain);
  }
  cache_[KeyOf(base)] = domain;
  return domain;
}

Domain Knowledge::StructuralDomain(ExprId base) {
  const std::span<const ExprId> operands = pool_.operands(base);
  const ExprKind kind = pool_.kind(base);
  if (IsPredicate(kind)) return {{0, 1}, {}};
  switch (kind) {
    case ExprKind::kMul: {
      Domain product{PointInterval(1), PointCongruence(1)};
      for (const ExprId operand : operands) {
        const Domain factor = DomainOfOperand(operand);
        product = {MultiplyIntervals(product.range, factor.range),
                   MultiplyCongruences(product.congruence, factor.congruence)};
      }
      return product;
    }
    case ExprKind::kPower:
      return DomainOfPower(base);
    case ExprKind::kMin:
    case ExprKind::kMax:
      return DomainOfChoice(base);
    case ExprKind::kFloorDiv:
    case ExprKind::kCeilDiv:
    case ExprKind::kMod:
      break;
    default:
      return {};
  }
  if (!pool_.IsInteger(operands[0]) || !pool_.IsInteger(operands[1])) return {};
  const Domain dividend = DomainOfOperand(operands[0]);
  const Domain divisor = DomainOfOperand(operands[1]);
  const int64_t constant = ConstantOr(pool_, operands[1], 0);
  if (kind == ExprKind::kMod) {
    return {ModuloIntervals(dividend.range, divisor.range),
            constant > 0 ? ModuloCongruence(dividend.congruence, constant) : Congruence()};
  }
  if (kind == ExprKind::kCeilDiv) {
    const Interval negated = FloorDivideIntervals(ScaleInterval(dividend.range, -1), divisor.range);
    return {ScaleInterval(negated, -1), {}};
  }
  return {FloorDivideIntervals(dividend.range, divisor.range),
          constant > 0 ? FloorDivideCongruence(dividend.congruence, constant) : Congruence()};
}

Domain Knowledge::DomainOfPower(ExprId power) {
  const std::span<const ExprId> operands = pool_.operands(power);
  const Domain base = DomainOfOperand(operands[0]);
  const int64_t exponent = ConstantOr(pool_, operands[1], -1);
  if (exponent >= 0) {
    Domain result{PowerOfInterval(base.range, exponent), {}};
    if (exponent > 62) return result;
    result.congruence = PointCongruence(1);
    for (int64_t i = 0; i < exponent; ++i) {
      result.congruence = MultiplyCongruences(result.congruence, base.congruence);
    }
    return result;
  }
  // Powers of a constant grow with the exponent, which is not negative where there is a value.
  if (ConstantOr(pool_, operands[0], 0) < 1) return {};
  const int64_t constant = pool_.value(operands[0]);
  const Interval range = IntersectIntervals(DomainOfOperand(operands[1]).range, {0, std::nullopt});
  if (range.IsEmpty()) return {};
  Domain result{{1, std::nullopt}, {}};
  if (const auto lower = CheckedPower(constant, *range.lower)) result.range.lower = lower;
  if (range.upper) result.range.upper = CheckedPower(constant, *range.upper);
  return result;
}

Domain Knowledge::DomainOfChoice(ExprId choice) {
  const bool is_max = pool_.kind(choice) == ExprKind::kMax;
  const std::span<const ExprId> operands = pool_.operands(choice);
  Domain result = DomainOfOperand(operands[0]);
  for (const ExprId operand : operands.subspan(1)) {
    const Domain other = DomainOfOperand(operand);
    result = {is_max ? MaxOfIntervals(result.range, other.range)
                     : MinOfIntervals(result.range, other.range),
              JoinCongruences(result.congruence, other.congruence)};
  }
  if (operands.size() > 2 || !pool_.IsInteger(choice)) return result;
  // The greater of two is at least half of their sum: Max(s0, -s0) is not negative.
  const Interval half = DivideIntervalInwards(DomainOfOperand(pool_.Add(operands)).range, 2);
  if (is_max && half.lower) {
    result.range = IntersectIntervals(result.range, {half.lower, std::nullopt});
  } else if (!is_max && half.upper) {
    result.range = IntersectIntervals(result.range, {std::nullopt, half.upper});
  }
  return result;
}

Domain Knowledge::DomainOfOperand(ExprId expression) {
  const auto form = MakeLinearForm(pool_, expression, false);
  if (!form) return {};
  Domain domain{BoundForm(*form, 0), CongruenceOfForm(*form)};
  if (form->denominator != 1) {
    return {DivideIntervalOutwards(domain.range, form->denominator), {}};
  }
  is_contradictory_ |= !TightenDomain(domain);
  return domain;
}

const Knowledge::Relation* Knowledge::FindRelation(const LinearForm& form, Direction& direction) {
  if (form.terms.size() < 2 || relations_of_base_.empty()) return nullptr;
  const auto found = DirectionOf(pool_, form);
  if (!found) return nullptr;
  direction = *found;
  const auto relation = relation_of_direction_.find(KeyOf(found->id));
  return relation == relation_of_direction_.end() ? nullptr : &relations_[relation->second];
}

Interval Knowledge::BoundForm(const LinearForm& form, int depth) {
  Interval range = PointInterval(form.constant);
  for (const LinearForm::Term& term : form.terms) {
    range = AddIntervals(range, ScaleInterval(DomainOfBase(term.base).range, term.coefficient));
  }
  Direction direction;
  if (const Relation* const relation = FindRelation(form, direction)) {
    const Interval told = AddIntervals(ScaleInterval(relation->domain.range, direction.scale),
                                       PointInterval(direction.offset));
    range = IntersectIntervals(range, told);
  }
  if (depth == 0 || form.terms.empty() || form.terms.size() > kMaxTerms || IsPoint(range)) {
    return range;
  }
  for (size_t i = 0; i < form.terms.size() && budget_ > 0; ++i) {
    range = IntersectIntervals(range, BoundByTerm(form, i, depth));
  }
  range = IntersectIntervals(range, BoundByRelations(form, depth));
  return IntersectIntervals(range, BoundByFactoring(form, depth));
}

Interval Knowledge::BoundByTerm(const LinearForm& form, size_t index, int depth) {
  switch (pool_.kind(form.terms[index].base)) {
    case ExprKind::kFloorDiv:
      return BoundByQuotient(form, index, depth);
    case ExprKind::kMod:
      return BoundByRemainder(form, index, depth);
    case ExprKind::kMin:
    case ExprKind::kMax:
      return BoundByChoice(form, index, depth);
    default:
      return {};
  }
}

// The dividend takes the place of a quotient: d * (a//d) is a - a%d, and a//b lies between 0 and a
// where a is not negative and b is positive.
Interval Knowledge::BoundByQuotient(const LinearForm& form, size_t index, int depth) {
  const LinearForm::Term term = form.terms[index];
  const std::span<const ExprId> operands = pool_.operands(term.base);
  const auto dividend = MakeLinearForm(pool_, operands[0], true);
  if (!dividend || dividend->denominator != 1 || budget_ == 0) return {};
  --budget_;
  const LinearForm rest = WithoutTerm(form, index);
  const int64_t divisor = ConstantOr(pool_, operands[1], 0);
  if (divisor > 0) {
    const auto scaled = ScaleForm(rest, divisor);
    const auto whole = scaled ? AddForms(*scaled, *dividend, term.coefficient) : std::nullopt;
    if (!whole) return {};
    const Congruence residue = ModuloCongruence(CongruenceOfForm(*dividend), divisor);
    const Interval remainder = residue.modulus == 0 ? PointInterval(residue.remainder)
                                                    : Interval{residue.remainder, divisor - 1};
    const Interval taken = ScaleInterval(ScaleInterval(remainder, -1), term.coefficient);
    return DivideIntervalInwards(AddIntervals(BoundForm(*whole, depth - 1), taken), divisor);
  }
  const Interval divisors = DomainOfOperand(operands[1]).range;
  const Interval dividends = DomainOfOperand(operands[0]).range;
  if (!divisors.lower || *divisors.lower < 1 || !dividends.lower || *dividends.lower < 0) return {};
  const auto largest = AddForms(rest, *dividend, term.coefficient);
  if (!largest) return {};
  const Interval with_dividend = BoundForm(*largest, depth - 1);
  const Interval with_zero = BoundForm(rest, depth - 1);
  return term.coefficient > 0 ? Interval{with_zero.lower, with_dividend.upper}
                              : Interval{with_dividend.lower, with_zero.upper};
}

// a % m is a - m * (a//m).
Interval Knowledge::BoundByRemainder(const LinearForm& form, size_t index, int depth) {
  const LinearForm::Term term = form.terms[index];
  const std::span<const ExprId> operands = pool_.operands(term.base);
  if (ConstantOr(pool_, operands[1], 0) <= 0 || budget_ == 0) return {};
  --budget_;
  const ExprId quotient = pool_.Binary(ExprKind::kFloorDiv, operands[0], operands[1]);
  const ExprId product[] = {operands[1], quotient};
  const auto value = MakeLinearForm(pool_, pool_.Subtract(operands[0], pool_.Mul(product)), true);
  if (!value || value->denominator != 1) return {};
  const auto whole = AddForms(WithoutTerm(form, index), *value, term.coefficient);
  return whole ? BoundForm(*whole, depth - 1) : Interval();
}

// A sum with a Max in it is the greatest of the sums with its operands.
Interval Knowledge::BoundByChoice(const LinearForm& form, size_t index, int depth) {
  const LinearForm::Term term = form.terms[index];
  const LinearForm rest = WithoutTerm(form, index);
  const bool is_greatest = (pool_.kind(term.base) == ExprKind::kMax) == (term.coefficient > 0);
  std::optional<Interval> result;
  for (const ExprId operand : pool_.operands(term.base)) {
    if (budget_ == 0) return {};
    --budget_;
    const auto value = MakeLinearForm(pool_, operand, true);
    if (!value || value->denominator != 1) return {};
    const auto whole = AddForms(rest, *value, term.coefficient);
    if (!whole) return {};
    const Interval range = BoundForm(*whole, depth - 1);
    if (!result) {
      result = range;
    } else {
      result = is_greatest ? MaxOfIntervals(*result, range) : MinOfIntervals(*result, range);
    }
  }
  return result.value_or(Interval());
}

// A multiple of something known is taken out of the sum.
Interval Knowledge::BoundByRelations(const LinearForm& form, int depth) {
  Interval range;
  for (const LinearForm::Term& term : form.terms) {
    const auto related = relations_of_base_.find(KeyOf(term.base));
    if (related == relations_of_base_.end()) continue;
    for (const uint32_t index : related->second) {
      if (budget_ == 0) return range;
      --budget_;
      const Relation& relation = relations_[index];
      if (relation.domain.range == Interval()) continue;
      const auto* const shared =
          std::find_if(relation.form.terms.begin(), relation.form.terms.end(),
                       [&](const LinearForm::Term& other) { return other.base == term.base; });
      if (CheckedModulo(term.coefficient, shared->coefficient) != 0) continue;
      const auto factor = CheckedFloorDivide(term.coefficient, shared->coefficient);
      const auto back = factor ? CheckedSubtract(0, *factor) : std::nullopt;
      const auto rest = back ? AddForms(form, relation.form, *back) : std::nullopt;
      if (!rest) continue;
      const Interval told = ScaleInterval(relation.domain.range, *factor);
      range = IntersectIntervals(range, AddIntervals(told, BoundForm(*rest, depth - 1)));
    }
  }
  return range;
}

// s0*s1 - s0 is s0 * (s1 - 1).
Interval Knowledge::BoundByFactoring(const LinearForm& form, int depth) {
  Interval range;
  llvm::SmallVector<ExprId, 8> candidates;
  for (const LinearForm::Term& term : form.terms) {
    if (pool_.kind(term.base) != ExprKind::kMul) continue;
    if (pool_.operands(term.base).size() > kMaxFactors) return range;
    for (const ExprId factor : pool_.operands(term.base)) {
      const bool is_known =
          std::find(candidates.begin(), candidates.end(), factor) != candidates.end();
      if (!is_known && pool_.kind(factor) != ExprKind::kAdd) candidates.push_back(factor);
    }
  }
  for (const ExprId candidate : candidates) {
    if (budget_ == 0) return range;
    --budget_;
    LinearForm rest = ConstantForm(form.constant);
    std::optional<LinearForm> cofactor = LinearForm();
    size_t shared = 0;
    for (const LinearForm::Term& term : form.terms) {
      ExprId quotient = ExprId::kNone;
      if (term.base == candidate) {
        quotient = pool_.Integer(1);
      } else if (pool_.kind(term.base) == ExprKind::kMul) {
        llvm::SmallVector<ExprId, 8> others;
        for (const ExprId factor : pool_.operands(term.base)) {
          if (factor != candidate) others.push_back(factor);
        }
        if (others.size() < pool_.operands(term.base).size()) quotient = pool_.Mul(others);
      }
      if (quotient == ExprId::kNone) {
        rest.terms.push_back(term);
        continue;
      }
      ++shared;
      const auto part = MakeLinearForm(pool_, quotient, true);
      if (cofactor) cofactor = part ? AddForms(*cofactor, *part, term.coefficient) : std::nullopt;
    }
    if (shared < 2 || !cofactor) continue;
    const Interval product =
        MultiplyIntervals(DomainOfBase(candidate).range, BoundForm(*cofactor, depth - 1));
    range = IntersectIntervals(range, AddIntervals(product, BoundForm(rest, depth - 1)));
  }
  return range;
}

Congruence Knowledge::CongruenceOfForm(const LinearForm& form) {
  Congruence sum = PointCongruence(form.constant);
  for (const LinearForm::Term& term : form.terms) {
    sum =
        AddCongruences(sum, ScaleCongruence(DomainOfBase(term.base).congruence, term.coefficient));
  }
  Direction direction;
  if (const Relation* const relation = FindRelation(form, direction)) {
    const Congruence told =
        AddCongruences(ScaleCongruence(relation->domain.congruence, direction.scale),
                       PointCongruence(direction.offset));
    is_contradictory_ |= !IntersectCongruence(sum, told);
  }
  return sum;
}

bool Knowledge::IsExcluded(const LinearForm& form) {
  const auto direction = DirectionOf(pool_, form);
  if (!direction) return false;
  const auto found = relation_of_direction_.find(KeyOf(direction->id));
  const auto back = CheckedSubtract(0, direction->offset);
  if (found == relation_of_direction_.end() || !back) return false;
  if (CheckedModulo(*back, direction->scale) != 0) return true;
  const auto value = CheckedFloorDivide(*back, direction->scale);
  const auto& excluded = relations_[found->second].excluded;
  return value && std::binary_search(excluded.begin(), excluded.end(), *value);
}

Interval Knowledge::RangeOf(ExprId expression) {
  const ExprId applied = Apply(expression);
  if (IsPredicate(pool_.kind(applied))) {
    const Truth truth = ProveApplied(applied);
    if (truth == Truth::kUnknown) return {0, 1};
    return PointInterval(truth == Truth::kTrue ? 1 : 0);
  }
  const auto form = MakeLinearForm(pool_, applied, true);
  if (!form) return {};
  budget_ = kBudget;
  Domain domain{BoundForm(*form, kDepth), CongruenceOfForm(*form)};
  // A product of sums may be bounded better than what it is multiplied out to.
  if (const auto whole = MakeLinearForm(pool_, applied, false)) {
    domain.range = IntersectIntervals(domain.range, BoundForm(*whole, 0));
  }
  if (form->denominator != 1) return DivideIntervalOutwards(domain.range, form->denominator);
  is_contradictory_ |= !TightenDomain(domain);
  return domain.range;
}

Congruence Knowledge::CongruenceOf(ExprId expression) {
  const auto form = MakeLinearForm(pool_, Apply(expression), true);
  if (!form) return {};
  budget_ = kBudget;
  Domain domain{BoundForm(*form, kDepth), CongruenceOfForm(*form)};
  is_contradictory_ |= !TightenDomain(domain);
  const bool divides = DivideCongruence(domain.congruence, form->denominator);
  return divides ? domain.congruence : Congruence();
}

Truth Knowledge::Prove(ExprId predicate) {
  if (is_contradictory_) return Truth::kTrue;
  const Truth truth = ProveApplied(Apply(predicate));
  return is_contradictory_ ? Truth::kTrue : truth;
}

Truth Knowledge::ProveApplied(ExprId predicate) {
  const ExprKind kind = pool_.kind(predicate);
  if (kind == ExprKind::kNone) return Truth::kUnknown;
  if (kind == ExprKind::kTrue || kind == ExprKind::kFalse) {
    return kind == ExprKind::kTrue ? Truth::kTrue : Truth::kFalse;
  }
  if (literals_.contains(KeyOf(predicate))) return Truth::kTrue;
  switch (kind) {
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return ProveLogic(predicate);
    case ExprKind::kNot:
      return Negated(ProveApplied(pool_.operands(predicate)[0]));
    case ExprKind::kEqual:
    case ExprKind::kNotEqual:
    case ExprKind::kLess:
    case ExprKind::kLessEqual:
      if (literals_.contains(KeyOf(pool_.Not(predicate)))) return Truth::kFalse;
      return ProveComparison(predicate);
    default:
      break;
  }
  if (kind == ExprKind::kCall && literals_.contains(KeyOf(pool_.Not(predicate)))) {
    return Truth::kFalse;
  }
  if (!pool_.IsInteger(predicate)) return Truth::kUnknown;
  return ProveComparison(pool_.Binary(ExprKind::kNotEqual, predicate, pool_.Integer(0)));
}

Truth Knowledge::ProveLogic(ExprId predicate) {
  const bool is_and = pool_.kind(predicate) == ExprKind::kAnd;
  const Truth decisive = is_and ? Truth::kFalse : Truth::kTrue;
  bool is_complete = true;
  for (const ExprId operand : pool_.operands(predicate)) {
    const Truth truth = ProveApplied(operand);
    if (truth == decisive) return decisive;
    is_complete &= truth != Truth::kUnknown;
  }
  return is_complete ? Negated(decisive) : Truth::kUnknown;
}

Truth Knowledge::ProveComparison(ExprId predicate) {
  const ExprKind kind = pool_.kind(predicate);
  if (kind == ExprKind::kTrue) return Truth::kTrue;
  if (kind == ExprKind::kFalse) return Truth::kFalse;
  const std::span<const ExprId> sides = pool_.operands(predicate);
  const auto form = MakeLinearForm(pool_, pool_.Subtract(sides[0], sides[1]), true);
  if (!form) return Truth::kUnknown;
  // A positive denominator changes neither signs nor zeros.
  budget_ = kBudget;
  const Interval range = BoundForm(*form, kDepth);
  const auto at_most = [&](int64_t bound) { return range.upper && *range.upper <= bound; };
  const auto at_least = [&](int64_t bound) { return range.lower && *range.lower >= bound; };
  if (kind == ExprKind::kLess || kind == ExprKind::kLessEqual) {
    const int64_t greatest = kind == ExprKind::kLess ? -1 : 0;
    if (at_most(greatest)) return Truth::kTrue;
    return at_least(greatest + 1) ? Truth::kFalse : Truth::kUnknown;
  }
  Truth is_zero = Truth::kUnknown;
  if (at_most(0) && at_least(0)) is_zero = Truth::kTrue;
  if (at_most(-1) || at_least(1) || !ContainsValue(CongruenceOfForm(*form), 0) ||
      IsExcluded(*form)) {
    is_zero = Truth::kFalse;
  }
  return kind == ExprKind::kEqual ? is_zero : Negated(is_zero);
}

}  // namespace shapewise
