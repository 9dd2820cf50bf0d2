// How each kind of propagator narrows the domains of its variables.

#include <algorithm>
#include <vector>

#include "symbolic/constraint_domain.h"
#include "symbolic/constraint_propagation.h"

namespace shapewise::constraints {
namespace {

using Activity = SearchState::Activity;

/// The bounds on x from coefficient * x <= -(minimum of the other terms) and, for an equality,
/// coefficient * x >= -(maximum of the other terms).
WideInterval LinearBounds(int64_t coefficient, std::optional<Wide> least_others,
                          std::optional<Wide> greatest_others) {
  WideInterval bounds;
  if (least_others && coefficient > 0) bounds.upper = FloorDivide(-*least_others, coefficient);
  if (least_others && coefficient < 0) bounds.lower = CeilDivide(-*least_others, coefficient);
  if (greatest_others && coefficient > 0) bounds.lower = CeilDivide(-*greatest_others, coefficient);
  if (greatest_others && coefficient < 0) {
    bounds.upper = FloorDivide(-*greatest_others, coefficient);
  }
  return bounds;
}

Wide MagnitudeOf(Wide value) { return value < 0 ? -value : value; }

/// (r + m * i) * (s + n * j) equals r * s modulo the common divisors of m * n, m * s and n * r:
/// returns the greatest; 0: both factors are fixed.
uint64_t CommonStep(const Domain& left, const Domain& right) {
  const auto step = [](const Domain& domain) {
    return static_cast<Wide>(domain.IsFixed() ? uint64_t{0}
                                              : static_cast<uint64_t>(domain.modulus));
  };
  const Wide parts[] = {step(left) * step(right), step(left) * MagnitudeOf(MemberOf(right)),
                        step(right) * MagnitudeOf(MemberOf(left))};
  uint64_t common = 0;
  for (const Wide part : parts) {
    common = part < kPlusInfinity ? Gcd(common, static_cast<uint64_t>(part)) : 1;
    if (common == 1) break;
  }
  return common;
}

}  // namespace

bool Propagation::RunPropagator(SearchState& state, uint32_t index) {
  const Propagator& propagator = model_.propagators()[index];
  switch (propagator.kind) {
    case Propagator::Kind::kLinear:
      return propagator.relation == Relation::kNotEqual ? RunNotEqual(state, index)
                                                        : RunLinear(state, index);
    case Propagator::Kind::kProduct:
      return RunProduct(state, propagator);
    case Propagator::Kind::kDivide:
      return RunDivision(state, propagator);
    case Propagator::Kind::kMinimum:
    case Propagator::Kind::kMaximum:
      return RunExtreme(state, propagator);
    case Propagator::Kind::kDivideConstant:
      break;
  }
  return true;
}

bool Propagation::RunLinear(SearchState& state, uint32_t index) {
  const Propagator& propagator = model_.propagators()[index];
  const LinearForm& form = propagator.form;
  const bool is_equality = propagator.relation == Relation::kEqual;
  SumEnd least{form.constant, 0};
  SumEnd greatest{form.constant, 0};
  for (const Term& term : form.terms) {
    const TermEnds ends = EndsOf(state.domains[term.variable], term.coefficient);
    least.Add(ends.least);
    greatest.Add(ends.greatest);
  }
  if (least.num_infinite == 0 && least.finite > 0) return false;
  const bool is_never_above = greatest.num_infinite == 0 && greatest.finite <= 0;
  if (!is_equality) {
    if (is_never_above) {
      state.activity[index] = Activity::kDone;
      return true;
    }
  } else {
    if (greatest.num_infinite == 0 && greatest.finite < 0) return false;
    if (is_never_above && least.num_infinite == 0 && least.finite == 0) {
      state.activity[index] = Activity::kDone;
      return true;
    }
  }
  for (const Term& term : form.terms) {
    const TermEnds ends = EndsOf(state.domains[term.variable], term.coefficient);
    const std::optional<Wide> least_others = least.Without(ends.least);
    const std::optional<Wide> greatest_others =
        is_equality ? greatest.Without(ends.greatest) : std::nullopt;
    const WideInterval bounds = LinearBounds(term.coefficient, least_others, greatest_others);
    const Domain before = state.domains[term.variable];
    if (!Narrow(state, term.variable, bounds)) return false;
    const Domain& after = state.domains[term.variable];
    if (before == after) continue;
    // Update the sums, so that one run sees its own effect.
    const TermEnds new_ends = EndsOf(after, term.coefficient);
    least.Remove(ends.least);
    least.Add(new_ends.least);
    greatest.Remove(ends.greatest);
    greatest.Add(new_ends.greatest);
  }
  return !is_equality || RunCongruence(state, form);
}

bool Propagation::RunCongruence(SearchState& state, const LinearForm& form) {
  // a * x is congruent to -(rest) modulo the common step of the other terms.
  const size_t count = form.terms.size();
  std::vector<uint64_t> gcd_of_rest(count + 1, 0);
  Wide sum = form.constant;
  for (size_t i = count; i-- > 0;) {
    const Domain& domain = state.domains[form.terms[i].variable];
    gcd_of_rest[i] = Gcd(gcd_of_rest[i + 1], StepOf(domain, form.terms[i].coefficient));
    sum += MemberOf(domain) * form.terms[i].coefficient;
  }
  if (gcd_of_rest[0] == 0) return sum == 0;
  if (sum % static_cast<Wide>(gcd_of_rest[0]) != 0) return false;
  uint64_t before = 0;
  for (size_t i = 0; i < count; ++i) {
    const Term& term = form.terms[i];
    const Domain domain = state.domains[term.variable];
    const uint64_t step = Gcd(before, gcd_of_rest[i + 1]);
    before = Gcd(before, StepOf(domain, term.coefficient));
    if (step <= 1 || domain.IsFixed()) continue;
    const Wide rest = sum - MemberOf(domain) * term.coefficient;
    const auto common = static_cast<Wide>(Gcd(step, Magnitude(term.coefficient)));
    if (rest % common != 0) return false;
    const Wide modulus = static_cast<Wide>(step) / common;
    if (modulus == 1) continue;
    const Wide inverse = InverseModulo(term.coefficient / common, modulus);
    Domain& narrowed = state.domains[term.variable];
    if (!narrowed.RestrictCongruence(modulus, FloorModulo(-rest / common, modulus) * inverse)) {
      continue;
    }
    Touch(term.variable);
    if (!AfterChange(state, term.variable)) return false;
    // The representative of the variable may have changed.
    sum = rest + MemberOf(state.domains[term.variable]) * term.coefficient;
  }
  return true;
}

bool Propagation::RunNotEqual(SearchState& state, uint32_t index) {
  const Propagator& propagator = model_.propagators()[index];
  const LinearForm& form = propagator.form;
  const auto done = [&] {
    state.activity[index] = Activity::kDone;
    return true;
  };
  for (const uint32_t stronger : propagator.cases) {
    if (state.activity[stronger] != Activity::kIdle) return done();
  }
  Wide sum = form.constant;
  const Term* open = nullptr;
  size_t num_open = 0;
  for (const Term& term : form.terms) {
    const Domain& domain = state.domains[term.variable];
    if (domain.IsFixed()) {
      sum += static_cast<Wide>(domain.lower) * term.coefficient;
    } else {
      open = &term;
      ++num_open;
    }
  }
  if (num_open == 0) return sum != 0 && done();
  if (num_open > 1) {
    const Domain range = RangeOf(state, form);
    return range.Contains(0) ? true : done();
  }
  if (sum % open->coefficient != 0) return done();
  const auto excluded = ::shapewise::constraints::Narrow(-sum / open->coefficient);
  Domain& domain = state.domains[open->variable];
  if (!excluded || !domain.Contains(*excluded)) return done();
  bool changed = false;
  if (domain.lower == *excluded) {
    changed = domain.RestrictLower(static_cast<Wide>(*excluded) + 1);
  } else if (domain.upper == *excluded) {
    changed = domain.RestrictUpper(static_cast<Wide>(*excluded) - 1);
  }
  if (!changed) return true;
  Touch(open->variable);
  return AfterChange(state, open->variable) && done();
}

bool Propagation::RunProduct(SearchState& state, const Propagator& propagator) {
  const bool is_square = propagator.left == propagator.right;
  const Domain left = state.domains[propagator.left];
  const Domain right = state.domains[propagator.right];
  WideInterval bounds = MultiplyIntervals(WideOf(left), WideOf(right));
  if (is_square) {
    bounds.lower = 0;
    if (!left.Contains(0)) {
      const WideInterval smallest{left.Smallest(), left.Smallest()};
      bounds.lower = MultiplyIntervals(smallest, smallest).lower;
    }
  }
  if (!Narrow(state, propagator.result, bounds)) return false;
  if (const uint64_t common = CommonStep(left, right); common > 1) {
    Domain& result = state.domains[propagator.result];
    if (result.RestrictCongruence(common, MemberOf(left) * MemberOf(right))) {
      Touch(propagator.result);
      if (!AfterChange(state, propagator.result)) return false;
    }
  }
  return NarrowFactor(state, propagator, propagator.left, propagator.right) &&
         NarrowFactor(state, propagator, propagator.right, propagator.left);
}

bool Propagation::NarrowFactor(SearchState& state, const Propagator& product, uint32_t variable,
                               uint32_t other_variable) {
  const Domain result = state.domains[product.result];
  if (!result.Contains(0)) {
    // Neither factor is zero or larger in magnitude than the product.
    Domain narrowed = state.domains[variable];
    if (narrowed.lower == 0) narrowed.RestrictLower(1);
    if (narrowed.upper == 0) narrowed.RestrictUpper(-1);
    if (result.IsFinite()) {
      const Wide greatest = std::max(MagnitudeOf(result.lower), MagnitudeOf(result.upper));
      narrowed.RestrictLower(-greatest);
      narrowed.RestrictUpper(greatest);
    }
    if (!Narrow(state, variable, narrowed)) return false;
  }
  const Domain& other = state.domains[other_variable];
  if (other.lower <= 0 && other.upper >= 0) return true;
  if (!Narrow(state, variable, FactorInterval(WideOf(result), WideOf(other)))) return false;
  if (!other.IsFixed() || variable == other_variable) return true;
  // other * x == result with a constant: as in a linear equality.
  const auto common =
      static_cast<Wide>(Gcd(Magnitude(other.lower), static_cast<uint64_t>(result.modulus)));
  if (result.remainder % common != 0) return false;
  const Wide modulus = result.modulus / common;
  if (modulus <= 1) return true;
  Domain& narrowed = state.domains[variable];
  if (!narrowed.RestrictCongruence(modulus, FloorModulo(result.remainder / common, modulus) *
                                                InverseModulo(other.lower / common, modulus))) {
    return true;
  }
  Touch(variable);
  return AfterChange(state, variable);
}

bool Propagation::RunDivision(SearchState& state, const Propagator& propagator) {
  Domain divisor = state.domains[propagator.right];
  if (divisor.lower == 0) divisor.RestrictLower(1);
  if (divisor.upper == 0) divisor.RestrictUpper(-1);
  if (!Narrow(state, propagator.right, divisor)) return false;
  divisor = state.domains[propagator.right];
  const Domain dividend = state.domains[propagator.left];
  const WideInterval divisors = WideOf(divisor);
  const WideInterval dividends = WideOf(dividend);

  // The remainder is between zero and the divisor, on its side.
  WideInterval remainders{std::min<Wide>(divisors.lower + 1, 0),
                          std::max<Wide>(divisors.upper - 1, 0)};
  if (dividends.lower >= 0 && divisors.lower > 0) {
    remainders.upper = std::min(remainders.upper, dividends.upper);
  }
  if (!Narrow(state, propagator.remainder, remainders)) return false;
  const WideInterval remainder = WideOf(state.domains[propagator.remainder]);
  WideInterval new_divisors;
  if (remainder.lower > 0) new_divisors.lower = remainder.lower + 1;
  if (remainder.upper < 0) new_divisors.upper = remainder.upper - 1;
  if (!Narrow(state, propagator.right, new_divisors)) return false;

  WideInterval quotients;
  if (divisors.lower > 0 || divisors.upper < 0) {
    quotients = FloorDivideIntervals(dividends, divisors);
  } else {
    quotients = {std::min({dividends.lower, -dividends.upper, static_cast<Wide>(-1)}),
                 std::max({dividends.upper, -dividends.lower, static_cast<Wide>(0)})};
  }
  return Narrow(state, propagator.result, quotients);
}

bool Propagation::RunExtreme(SearchState& state, const Propagator& propagator) {
  const bool is_minimum = propagator.kind == Propagator::Kind::kMinimum;
  // Inequalities bound the result by all operands; here it equals one of them.
  WideInterval bounds{kWideInfinity, -kWideInfinity};
  const Domain result = state.domains[propagator.result];
  uint32_t last_open = 0;
  size_t num_open = 0;
  for (const uint32_t operand : propagator.operands) {
    const WideInterval interval = WideOf(state.domains[operand]);
    const WideInterval reached = WideOf(result);
    if (interval.lower > reached.upper || interval.upper < reached.lower) continue;
    bounds.lower = std::min(bounds.lower, interval.lower);
    bounds.upper = std::max(bounds.upper, interval.upper);
    last_open = operand;
    ++num_open;
  }
  if (num_open == 0) return false;
  if (is_minimum) {
    bounds.upper = kWideInfinity;
  } else {
    bounds.lower = -kWideInfinity;
  }
  if (!Narrow(state, propagator.result, bounds)) return false;
  if (num_open > 1) return true;
  return Narrow(state, last_open, state.domains[propagator.result]) &&
         Narrow(state, propagator.result, state.domains[last_open]);
}

}  // namespace shapewise::constraints
