#include "symbolic/constraint_propagation.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "symbolic/constraint_domain.h"

namespace shapewise::constraints {
namespace {

using Activity = SearchState::Activity;

// Stop before the fixpoint if it takes longer: narrowing so far is sound.
constexpr uint64_t kMostRunsPerPropagator = 24;
constexpr uint64_t kLeastRuns = 256;

}  // namespace

Budget::Budget(uint64_t steps)
    : left_(steps > std::numeric_limits<uint64_t>::max() / kRunsPerStep
                ? std::numeric_limits<uint64_t>::max()
                : steps * kRunsPerStep) {}

Propagation::Propagation(const Model& model, const Exclusion& exclusion, Budget& budget)
    : model_(model),
      exclusion_(exclusion),
      budget_(budget),
      is_queued_(model.propagators().size()),
      forwarded_(model.variables().size()) {}

SearchState Propagation::InitialState() const {
  SearchState state;
  state.domains.reserve(model_.variables().size());
  for (const Variable& variable : model_.variables()) state.domains.push_back(variable.domain);
  state.activity.resize(model_.propagators().size(), Activity::kIdle);
  return state;
}

void Propagation::Activate(SearchState& state, uint32_t propagator) {
  if (state.activity[propagator] != Activity::kIdle) return;
  state.activity[propagator] = Activity::kActive;
  if (is_queued_[propagator]) return;
  is_queued_[propagator] = true;
  queue_.push_back(propagator);
}

void Propagation::Assert(SearchState& state, uint32_t formula_index) {
  const Formula& formula = model_.formulas()[formula_index];
  if (formula.kind == Formula::Kind::kComparison) {
    for (const uint32_t definition : formula.definitions) {
      for (const uint32_t propagator : model_.definitions()[definition].propagators) {
        Activate(state, propagator);
      }
    }
    Activate(state, formula.propagator);
  } else if (formula.kind == Formula::Kind::kAnd) {
    for (const uint32_t child : formula.children) Assert(state, child);
  } else if (formula.children.size() == 1) {
    Assert(state, formula.children[0]);
  } else {
    state.pending.push_back(formula_index);
  }
}

void Propagation::Touch(uint32_t variable) {
  for (const uint32_t propagator : model_.WatchersOf(variable)) {
    if (is_queued_[propagator]) continue;
    is_queued_[propagator] = true;
    queue_.push_back(propagator);
  }
}

void Propagation::Drain() {
  for (const uint32_t propagator : queue_) is_queued_[propagator] = false;
  queue_.clear();
}

bool Propagation::Run(SearchState& state) {
  for (const Domain& domain : state.domains) {
    if (domain.IsEmpty()) {
      Drain();
      return false;
    }
  }
  if (exclusion_.values != nullptr && !AfterChange(state, exclusion_.variable)) {
    Drain();
    return false;
  }
  const uint64_t most_runs =
      kLeastRuns + kMostRunsPerPropagator * static_cast<uint64_t>(state.activity.size());
  uint64_t runs = 0;
  while (true) {
    for (size_t next = 0; next < queue_.size(); ++next) {
      const uint32_t propagator = queue_[next];
      is_queued_[propagator] = false;
      if (!state.IsActive(propagator)) continue;
      if (++runs > most_runs) break;
      if (!RunPropagator(state, propagator)) {
        budget_.Spend(runs);
        Drain();
        return false;
      }
      // Drop the processed part occasionally.
      if (next > 4096) {
        queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(next) + 1);
        next = static_cast<size_t>(-1);
      }
    }
    Drain();
    if (runs > most_runs) break;
    runs += state.pending.size();
    if (!RunPending(state)) {
      budget_.Spend(runs);
      Drain();
      return false;
    }
    if (queue_.empty()) break;
  }
  budget_.Spend(runs);
  return true;
}

bool Propagation::RunPending(SearchState& state) {
  std::vector<uint32_t> pending = std::move(state.pending);
  state.pending.clear();
  for (const uint32_t formula : pending) {
    uint32_t last_open = 0;
    size_t num_open = 0;
    bool holds = false;
    for (const uint32_t child : model_.formulas()[formula].children) {
      const Truth truth = Judge(state, child);
      if (truth == Truth::kFalse) continue;
      holds |= truth == Truth::kTrue;
      last_open = child;
      ++num_open;
    }
    if (holds) continue;
    if (num_open == 0) return false;
    if (num_open == 1) {
      Assert(state, last_open);
    } else {
      state.pending.push_back(formula);
    }
  }
  return true;
}

bool Propagation::AfterChange(SearchState& state, uint32_t variable) {
  Domain& domain = state.domains[variable];
  if (exclusion_.values != nullptr && exclusion_.variable == variable && !domain.IsEmpty() &&
      exclusion_.values->RemoveFrom(domain)) {
    Touch(variable);
  }
  return !domain.IsEmpty();
}

bool Propagation::IsAsserted(const SearchState& state, const Definition& definition) const {
  return state.activity[definition.propagators.back()] != Activity::kIdle;
}

Domain Propagation::DomainFor(const SearchState& state, uint32_t variable) const {
  const std::optional<uint32_t> definition = model_.variables()[variable].definition;
  if (!definition || IsAsserted(state, model_.definitions()[*definition])) {
    return state.domains[variable];
  }
  return forwarded_[variable];
}

Domain Propagation::RangeOf(const SearchState& state, const LinearForm& form) const {
  SumEnd least{form.constant, 0};
  SumEnd greatest{form.constant, 0};
  uint64_t step = 0;
  Wide member = form.constant;
  for (const Term& term : form.terms) {
    const Domain domain = DomainFor(state, term.variable);
    const TermEnds ends = EndsOf(domain, term.coefficient);
    least.Add(ends.least);
    greatest.Add(ends.greatest);
    step = Gcd(step, StepOf(domain, term.coefficient));
    member += MemberOf(domain) * term.coefficient;
  }
  Domain range;
  if (least.num_infinite == 0) range.RestrictLower(least.finite);
  if (greatest.num_infinite == 0) range.RestrictUpper(greatest.finite);
  if (step > 1) range.RestrictCongruence(step, member);
  return range;
}

Truth Propagation::ForwardOne(const SearchState& state, const Definition& definition) {
  Domain& result = forwarded_[definition.result];
  result = {};
  switch (definition.kind) {
    case Definition::Kind::kLinear:
      result = RangeOf(state, definition.form);
      return Truth::kTrue;
    case Definition::Kind::kProduct:
      result.Restrict(MultiplyIntervals(WideOf(DomainFor(state, definition.left)),
                                        WideOf(DomainFor(state, definition.right))));
      return Truth::kTrue;
    case Definition::Kind::kMinimum:
    case Definition::Kind::kMaximum: {
      const bool is_minimum = definition.kind == Definition::Kind::kMinimum;
      WideInterval bounds = WideOf(DomainFor(state, definition.operands[0]));
      for (const uint32_t operand : definition.operands) {
        const WideInterval interval = WideOf(DomainFor(state, operand));
        bounds.lower = is_minimum ? std::min(bounds.lower, interval.lower)
                                  : std::max(bounds.lower, interval.lower);
        bounds.upper = is_minimum ? std::min(bounds.upper, interval.upper)
                                  : std::max(bounds.upper, interval.upper);
      }
      result.Restrict(bounds);
      return Truth::kTrue;
    }
    case Definition::Kind::kDivideConstant:
    case Definition::Kind::kDivide:
      break;
  }
  const bool by_constant = definition.kind == Definition::Kind::kDivideConstant;
  const Domain dividend =
      by_constant ? RangeOf(state, definition.form) : DomainFor(state, definition.left);
  const Domain divisor =
      by_constant ? Domain::Of(definition.divisor) : DomainFor(state, definition.right);
  Domain& remainder = forwarded_[definition.remainder];
  remainder = {};
  if (divisor.IsFixed() && divisor.lower == 0) return Truth::kFalse;
  if (divisor.Contains(0)) return Truth::kUnknown;
  // Bounds on both sides of a non-zero divisor (due to a congruence) still enclose it.
  if (divisor.lower < 0 && divisor.upper > 0) return Truth::kTrue;
  const WideInterval divisors = WideOf(divisor);
  const WideInterval quotients = FloorDivideIntervals(WideOf(dividend), divisors);
  result.Restrict(quotients);
  WideInterval remainders{divisors.lower > 0 ? 0 : divisors.lower + 1,
                          divisors.lower > 0 ? divisors.upper - 1 : 0};
  if (divisor.IsFixed() && quotients.lower == quotients.upper && quotients.lower > -kWideInfinity &&
      quotients.lower < kWideInfinity) {
    // All in one block: the remainder follows the dividend.
    const WideInterval dividends = WideOf(dividend);
    remainders = {dividends.lower - quotients.lower * divisor.lower,
                  dividends.upper - quotients.lower * divisor.lower};
  }
  remainder.Restrict(remainders);
  if (divisor.IsFixed() && !dividend.IsFixed()) {
    const uint64_t common = Gcd(Magnitude(divisor.lower), static_cast<uint64_t>(dividend.modulus));
    remainder.RestrictCongruence(common, dividend.remainder);
  }
  return Truth::kTrue;
}

Truth Propagation::Forward(const SearchState& state, const std::vector<uint32_t>& definitions) {
  Truth all = Truth::kTrue;
  for (const uint32_t index : definitions) {
    const Definition& definition = model_.definitions()[index];
    if (IsAsserted(state, definition)) continue;
    const Truth defined = ForwardOne(state, definition);
    if (defined == Truth::kFalse) return Truth::kFalse;
    if (defined == Truth::kUnknown) all = Truth::kUnknown;
  }
  return all;
}

Truth Propagation::Judge(const SearchState& state, uint32_t formula_index) {
  const Formula& formula = model_.formulas()[formula_index];
  if (formula.kind == Formula::Kind::kComparison) {
    const Truth defined = Forward(state, formula.definitions);
    if (defined == Truth::kFalse) return Truth::kFalse;
    const Propagator& propagator = model_.propagators()[formula.propagator];
    const Domain range = RangeOf(state, propagator.form);
    if (range.IsEmpty()) return Truth::kFalse;
    Truth truth = Truth::kUnknown;
    switch (propagator.relation) {
      case Relation::kLessEqual:
        if (range.lower > 0) truth = Truth::kFalse;
        if (range.upper <= 0) truth = Truth::kTrue;
        break;
      case Relation::kEqual:
      case Relation::kNotEqual: {
        const bool is_equality = propagator.relation == Relation::kEqual;
        if (!range.Contains(0)) truth = is_equality ? Truth::kFalse : Truth::kTrue;
        if (range.IsFixed() && range.lower == 0) {
          truth = is_equality ? Truth::kTrue : Truth::kFalse;
        }
        break;
      }
    }
    return truth == Truth::kTrue && defined == Truth::kUnknown ? Truth::kUnknown : truth;
  }
  return JudgeJunction(formula, [&](uint32_t child) { return Judge(state, child); });
}

}  // namespace shapewise::constraints
