#include "knowledge.h"

#include <algorithm>

#include "checked.h"

namespace shapewise {
namespace {

using Operands = llvm::SmallVector<ExprId, 8>;

constexpr int kMaxRounds = 6;
constexpr size_t kMaxSubstitutions = 512;
// In larger systems sums are checked against their parts only.
constexpr size_t kManyRelations = 200;
constexpr uint32_t kRoundBudget = 40;
constexpr int kMaxExcludedSteps = 64;

Interval UpTo(int64_t upper) { return {std::nullopt, upper}; }
Interval From(int64_t lower) { return {lower, std::nullopt}; }

}  // namespace

Knowledge::Knowledge(ExprPool& pool, std::span<const ExprId> predicates) : pool_(pool) {
  for (const ExprId predicate : predicates) Collect(predicate);
  SolveEqualities();
  for (size_t i = 0; i < conjuncts_.size(); ++i) AddFact(Apply(conjuncts_[i]));
  for (int round = 0; round < kMaxRounds && !is_contradictory_; ++round) {
    has_changed_ = false;
    RunRound();
    if (!has_changed_) break;
  }
  cache_.clear();
}

void Knowledge::Collect(ExprId predicate) {
  if (pool_.kind(predicate) != ExprKind::kAnd) {
    conjuncts_.push_back(predicate);
    return;
  }
  for (const ExprId operand : pool_.operands(predicate)) conjuncts_.push_back(operand);
}

ExprId Knowledge::Apply(ExprId expression) {
  if (substitution_.empty()) return expression;
  const ExprId result = pool_.Substitute(expression, [&](ExprId symbol) {
    const auto found = substitution_.find(KeyOf(symbol));
    return found == substitution_.end() ? ExprId::kNone : found->second;
  });
  return result == ExprId::kNone ? expression : result;
}

// An equality may become solvable once another one was.
void Knowledge::SolveEqualities() {
  std::vector<ExprId> equalities;
  for (const ExprId conjunct : conjuncts_) {
    if (pool_.kind(conjunct) == ExprKind::kEqual) equalities.push_back(conjunct);
  }
  for (int round = 0; round < kMaxRounds; ++round) {
    const size_t before = equalities.size();
    std::erase_if(equalities, [&](ExprId equality) { return SolveFor(equality); });
    if (equalities.size() == before) break;
  }
}

// For a symbol with coefficient 1 or -1 that stands nowhere else in the equality.
bool Knowledge::SolveFor(ExprId equality) {
  const ExprId applied = Apply(equality);
  if (pool_.kind(applied) != ExprKind::kEqual) return true;
  if (substitution_.size() >= kMaxSubstitutions) return false;
  const std::span<const ExprId> sides = pool_.operands(applied);
  const auto form = MakeLinearForm(pool_, pool_.Subtract(sides[0], sides[1]), true);
  if (!form) return false;
  for (size_t i = form->terms.size(); i-- > 0;) {
    const LinearForm::Term term = form->terms[i];
    const bool is_unit = term.coefficient == 1 || term.coefficient == -1;
    if (!is_unit || pool_.kind(term.base) != ExprKind::kSymbol) continue;
    const bool stands_elsewhere =
        std::any_of(form->terms.begin(), form->terms.end(), [&](const LinearForm::Term& other) {
          const std::vector<ExprId> symbols = pool_.SymbolsOf(other.base);
          return other.base != term.base &&
                 std::find(symbols.begin(), symbols.end(), term.base) != symbols.end();
        });
    if (stands_elsewhere) continue;
    Operands terms;
    const auto rest = ScaleForm(WithoutTerm(*form, i), -term.coefficient);
    if (!rest) return false;
    for (const LinearForm::Term& part : rest->terms) {
      const ExprId factors[] = {pool_.Integer(part.coefficient), part.base};
      terms.push_back(pool_.Mul(factors));
    }
    terms.push_back(pool_.Integer(rest->constant));
    const ExprId replacement = pool_.Add(terms);
    if (replacement == ExprId::kNone) return false;
    AddSubstitution(term.base, replacement);
    return true;
  }
  return false;
}

// Replacements never hold symbols that are replaced themselves.
void Knowledge::AddSubstitution(ExprId symbol, ExprId replacement) {
  std::vector<ExprId> users = std::move(users_[KeyOf(symbol)]);
  users_.erase(KeyOf(symbol));
  std::sort(users.begin(), users.end());
  users.erase(std::unique(users.begin(), users.end()), users.end());
  substitution_[KeyOf(symbol)] = replacement;
  const std::vector<ExprId> symbols = pool_.SymbolsOf(replacement);
  for (const ExprId used : symbols) users_[KeyOf(used)].push_back(symbol);
  for (const ExprId user : users) {
    substitution_[KeyOf(user)] = Apply(substitution_[KeyOf(user)]);
    for (const ExprId used : symbols) users_[KeyOf(used)].push_back(user);
  }
}

void Knowledge::AddFact(ExprId predicate) {
  switch (pool_.kind(predicate)) {
    case ExprKind::kTrue:
    case ExprKind::kNone:
      return;
    case ExprKind::kFalse:
      is_contradictory_ = true;
      return;
    case ExprKind::kAnd:
      for (const ExprId operand : pool_.operands(predicate)) AddFact(operand);
      return;
    case ExprKind::kOr:
      literals_.insert(KeyOf(predicate));
      alternatives_.push_back(predicate);
      return;
    case ExprKind::kEqual:
    case ExprKind::kNotEqual:
    case ExprKind::kLess:
    case ExprKind::kLessEqual:
      literals_.insert(KeyOf(predicate));
      AddComparison(predicate);
      return;
    case ExprKind::kCall:
    case ExprKind::kNot:
      literals_.insert(KeyOf(predicate));
      break;
    default:
      break;
  }
  // A number that is used as a truth value is not 0.
  const bool is_negated = pool_.kind(predicate) == ExprKind::kNot;
  const ExprId number = is_negated ? pool_.operands(predicate)[0] : predicate;
  if (!pool_.IsInteger(number)) return;
  const auto form = MakeLinearForm(pool_, number, true);
  if (!form) return;
  if (is_negated) {
    NarrowForm(*form, {PointInterval(0), PointCongruence(0)});
  } else {
    Exclude(*form);
  }
}

void Knowledge::AddComparison(ExprId predicate) {
  const std::span<const ExprId> sides = pool_.operands(predicate);
  const auto form = MakeLinearForm(pool_, pool_.Subtract(sides[0], sides[1]), true);
  if (!form) return;
  switch (pool_.kind(predicate)) {
    case ExprKind::kEqual:
      NarrowForm(*form, {PointInterval(0), PointCongruence(0)});
      break;
    case ExprKind::kNotEqual:
      Exclude(*form);
      break;
    case ExprKind::kLess:
      NarrowForm(*form, {UpTo(-1), {}});
      break;
    default:
      NarrowForm(*form, {UpTo(0), {}});
      break;
  }
}

Knowledge::Relation* Knowledge::FindOrAddRelation(const LinearForm& form,
                                                  const Direction& direction) {
  if (direction.id == ExprId::kNone) return nullptr;
  const auto [entry, is_new] = relation_of_direction_.try_emplace(
      KeyOf(direction.id), static_cast<uint32_t>(relations_.size()));
  if (!is_new) return &relations_[entry->second];
  Relation relation;
  for (const LinearForm::Term& term : form.terms) {
    relation.form.terms.push_back({term.base, term.coefficient / direction.scale});
    if (form.terms.size() > 1) relations_of_base_[KeyOf(term.base)].push_back(entry->second);
  }
  relations_.push_back(std::move(relation));
  return &relations_.back();
}

// Takes `form` to lie in `domain`.
void Knowledge::NarrowForm(const LinearForm& form, const Domain& domain) {
  if (form.terms.empty()) {
    Domain constant{PointInterval(form.constant), PointCongruence(form.constant)};
    constant.range = IntersectIntervals(constant.range, domain.range);
    is_contradictory_ |=
        constant.range.IsEmpty() || !ContainsValue(domain.congruence, form.constant);
    return;
  }
  const auto direction = DirectionOf(pool_, form);
  const auto back = direction ? CheckedSubtract(0, direction->offset) : std::nullopt;
  if (!back) return;
  Congruence congruence = AddCongruences(domain.congruence, PointCongruence(*back));
  if (!DivideCongruence(congruence, direction->scale)) {
    is_contradictory_ = true;
    return;
  }
  const Interval range =
      DivideIntervalInwards(AddIntervals(domain.range, PointInterval(*back)), direction->scale);
  Relation* const relation = FindOrAddRelation(form, *direction);
  if (relation == nullptr) return;
  Domain narrowed = relation->domain;
  narrowed.range = IntersectIntervals(narrowed.range, range);
  if (!IntersectCongruence(narrowed.congruence, congruence) || !TightenDomain(narrowed)) {
    is_contradictory_ = true;
    return;
  }
  has_changed_ |= narrowed != relation->domain;
  relation->domain = narrowed;
}

void Knowledge::NarrowExpression(ExprId expression, const Domain& domain) {
  const auto form = MakeLinearForm(pool_, expression, true);
  if (form && form->denominator == 1) NarrowForm(*form, domain);
}

// Takes `form` not to be 0.
void Knowledge::Exclude(const LinearForm& form) {
  if (form.terms.empty()) {
    is_contradictory_ |= form.constant == 0;
    return;
  }
  const auto direction = DirectionOf(pool_, form);
  const auto back = direction ? CheckedSubtract(0, direction->offset) : std::nullopt;
  if (!back || CheckedModulo(*back, direction->scale) != 0) return;
  const auto value = CheckedFloorDivide(*back, direction->scale);
  Relation* const relation = value ? FindOrAddRelation(form, *direction) : nullptr;
  if (relation == nullptr) return;
  auto& excluded = relation->excluded;
  auto* const place = std::lower_bound(excluded.begin(), excluded.end(), *value);
  if (place == excluded.end() || *place != *value) excluded.insert(place, *value);
}

void Knowledge::DropExcludedBounds(Relation& relation) {
  const auto is_excluded = [&](const std::optional<int64_t>& value) {
    return value && std::binary_search(relation.excluded.begin(), relation.excluded.end(), *value);
  };
  Domain& domain = relation.domain;
  for (int step = 0; step < kMaxExcludedSteps && !is_contradictory_; ++step) {
    if (is_excluded(domain.range.lower)) {
      domain.range.lower = CheckedAdd(*domain.range.lower, 1).value_or(*domain.range.lower);
    } else if (is_excluded(domain.range.upper)) {
      domain.range.upper = CheckedSubtract(*domain.range.upper, 1).value_or(*domain.range.upper);
    } else {
      return;
    }
    has_changed_ = true;
    is_contradictory_ |= !TightenDomain(domain);
  }
}

void Knowledge::RunRound() {
  cache_.clear();
  // Relations may be added on the way, and move.
  for (size_t i = 0; i < relations_.size() && !is_contradictory_; ++i) {
    if (relations_[i].form.terms.size() == 1) {
      // What follows from the parts of a base lets excluded values become bounds.
      const Domain known = DomainOfBase(relations_[i].form.terms[0].base);
      NarrowForm(LinearForm(relations_[i].form), known);
    } else {
      budget_ = kRoundBudget;
      const int depth = relations_.size() <= kManyRelations ? 1 : 0;
      const LinearForm form = relations_[i].form;
      NarrowForm(form, {BoundForm(form, depth), {}});
    }
    if (is_contradictory_) return;
    DropExcludedBounds(relations_[i]);
    if (is_contradictory_) return;
    const Relation relation = relations_[i];
    PassOn(relation);
  }
  PruneAlternatives();
}

void Knowledge::PassOn(const Relation& relation) {
  const LinearForm& form = relation.form;
  if (form.terms.size() == 1) {
    PassOnToOperands(form.terms[0].base, relation.domain);
    return;
  }
  // What the other terms leave of each one.
  llvm::SmallVector<Domain, 8> terms;
  for (const LinearForm::Term& term : form.terms) {
    const Domain domain = DomainOfBase(term.base);
    terms.push_back({ScaleInterval(domain.range, term.coefficient),
                     ScaleCongruence(domain.congruence, term.coefficient)});
  }
  const auto add = [](const Domain& a, const Domain& b) {
    return Domain{AddIntervals(a.range, b.range), AddCongruences(a.congruence, b.congruence)};
  };
  const Domain zero{PointInterval(0), PointCongruence(0)};
  llvm::SmallVector<Domain, 8> sums_after(terms.size() + 1, zero);
  for (size_t i = terms.size(); i-- > 0;) sums_after[i] = add(terms[i], sums_after[i + 1]);
  Domain before = zero;
  for (size_t i = 0; i < terms.size() && !is_contradictory_; ++i) {
    const Domain others = add(before, sums_after[i + 1]);
    const Domain left{ScaleInterval(others.range, -1), ScaleCongruence(others.congruence, -1)};
    const Domain product = add(relation.domain, left);
    LinearForm term;
    term.terms.push_back(form.terms[i]);
    NarrowForm(term, product);
    before = add(before, terms[i]);
  }
}

// From what a base is to what its operands must be.
void Knowledge::PassOnToOperands(ExprId base, const Domain& domain) {
  const std::span<const ExprId> operands = pool_.operands(base);
  switch (pool_.kind(base)) {
    case ExprKind::kFloorDiv:
      PassOnToDividend(operands[0], operands[1], domain);
      break;
    case ExprKind::kMod:
      if (pool_.kind(operands[1]) == ExprKind::kInteger && pool_.value(operands[1]) > 0 &&
          domain.congruence.modulus == 0) {
        Congruence residue{static_cast<uint64_t>(pool_.value(operands[1])), 0};
        residue = AddCongruences(residue, domain.congruence);
        NarrowExpression(operands[0], {{}, residue});
      }
      break;
    case ExprKind::kMin:
    case ExprKind::kMax:
      PassOnToChoices(base, domain);
      break;
    case ExprKind::kMul:
      PassOnToFactors(base, domain);
      break;
    default:
      break;
  }
}

// divisor * q <= dividend <= divisor * q + divisor - 1
void Knowledge::PassOnToDividend(ExprId dividend, ExprId divisor, const Domain& domain) {
  if (pool_.kind(divisor) != ExprKind::kInteger || pool_.value(divisor) <= 0) return;
  Interval range = ScaleInterval(domain.range, pool_.value(divisor));
  if (range.upper) range.upper = CheckedAdd(*range.upper, pool_.value(divisor) - 1);
  NarrowExpression(dividend, {range, {}});
}

// No operand of a Max is above it. One that alone can be as large as the Max is at least so.
void Knowledge::PassOnToChoices(ExprId choice, const Domain& domain) {
  const bool is_max = pool_.kind(choice) == ExprKind::kMax;
  const std::optional<int64_t> all = is_max ? domain.range.upper : domain.range.lower;
  const std::optional<int64_t> some = is_max ? domain.range.lower : domain.range.upper;
  const std::span<const ExprId> operands = pool_.operands(choice);
  const auto falls_short = [&](ExprId operand) {
    const Interval range = DomainOfOperand(operand).range;
    return is_max ? range.upper && *range.upper < *some : range.lower && *range.lower > *some;
  };
  ExprId only = ExprId::kNone;
  size_t able = 0;
  for (const ExprId operand : operands) {
    if (all) NarrowExpression(operand, {is_max ? UpTo(*all) : From(*all), {}});
    if (!some || falls_short(operand)) continue;
    only = operand;
    ++able;
  }
  if (!some) return;
  is_contradictory_ |= able == 0;
  if (able == 1) NarrowExpression(only, {is_max ? From(*some) : UpTo(*some), {}});
}

// x * rest <= upper with rest >= 1: x <= upper / rest, where that is not negative.
void Knowledge::PassOnToFactors(ExprId product, const Domain& domain) {
  const std::span<const ExprId> factors = pool_.operands(product);
  if (factors.size() > kMaxFactors) return;
  for (size_t i = 0; i < factors.size(); ++i) {
    Interval rest = PointInterval(1);
    for (size_t j = 0; j < factors.size(); ++j) {
      if (j != i) rest = MultiplyIntervals(rest, DomainOfOperand(factors[j]).range);
    }
    if (!rest.lower || *rest.lower < 1 || rest.IsEmpty()) continue;
    Interval range;
    if (domain.range.upper && *domain.range.upper >= 0) {
      range.upper = *domain.range.upper / *rest.lower;
    }
    if (domain.range.lower && *domain.range.lower > 0) {
      range.lower = rest.upper ? *CheckedCeilDivide(*domain.range.lower, *rest.upper) : 1;
    }
    NarrowExpression(factors[i], {range, {}});
  }
}

// Where one branch of a disjunction is left, it holds.
void Knowledge::PruneAlternatives() {
  std::vector<ExprId> open;
  std::swap(open, alternatives_);
  for (const ExprId alternative : open) {
    if (is_contradictory_) return;
    ExprId only = ExprId::kNone;
    size_t possible = 0;
    for (const ExprId branch : pool_.operands(alternative)) {
      if (ProveApplied(branch) == Truth::kFalse) continue;
      only = branch;
      ++possible;
    }
    if (possible == 0) {
      is_contradictory_ = true;
    } else if (possible == 1) {
      AddFact(only);
      has_changed_ = true;
    } else {
      alternatives_.push_back(alternative);
    }
  }
}

}  // namespace shapewise
