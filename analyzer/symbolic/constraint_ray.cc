#include "symbolic/constraint_ray.h"

#include <algorithm>
#include <cstdlib>

namespace shapewise::constraints {
namespace {

// Directions that are tried before the best one so far is taken, beyond one for each symbol.
constexpr size_t kMostTries = 24;

// The last step for which start + rate * step stays at or below zero; start is.
int64_t StepsUntilAbove(Wide start, Wide rate) {
  if (rate <= 0) return kPlusInfinity;
  // More steps than 64 bits count are many, but not without end.
  return Narrow(FloorDivide(-start, rate)).value_or(kPlusInfinity - 1);
}

}  // namespace

RayTracer::RayTracer(const Model& model, std::span<const size_t> constraints, Budget& budget)
    : model_(model),
      constraints_(constraints.begin(), constraints.end()),
      budget_(budget),
      courses_(model.variables().size()),
      definition_limiters_(model.variables().size()) {}

int64_t RayTracer::LongestRay(std::span<const int64_t> point, uint32_t variable, int64_t stride) {
  std::vector<int64_t> direction(model_.num_symbols(), 0);
  direction[variable] = stride;
  is_turned_.assign(model_.num_symbols(), false);
  is_turned_[variable] = true;
  stride_ = stride;
  tries_left_ = kMostTries + 2 * model_.num_symbols();
  const Trace trace = Follow(point, direction);
  best_steps_ = std::max<int64_t>(trace.steps, 0);
  if (trace.steps != kPlusInfinity) Improve(point, direction, trace, 0);
  return best_steps_;
}

void RayTracer::Improve(std::span<const int64_t> point, std::vector<int64_t>& direction,
                        const Trace& trace, size_t depth) {
  if (trace.limiter.kind == Limiter::Kind::kNone || depth > model_.num_symbols()) return;
  const Limiter& limiter = trace.limiter;
  // Along the old direction; following another one overwrites the courses.
  Follow(point, direction);
  const Course course = CourseOf(limiter.form);
  Wide surplus = course.slope;
  if (limiter.kind == Limiter::Kind::kMultiple) surplus = FloorModulo(surplus, limiter.divisor);
  std::vector<uint32_t> symbols;
  for (const Term& term : limiter.form.terms) {
    const std::vector<uint32_t>& behind = model_.SymbolsBehind(term.variable);
    symbols.insert(symbols.end(), behind.begin(), behind.end());
  }
  std::sort(symbols.begin(), symbols.end());
  symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
  for (const uint32_t symbol : symbols) {
    if (is_turned_[symbol] || best_steps_ == kPlusInfinity) continue;
    if (tries_left_ < 2 || budget_.IsSpent()) return;
    tries_left_ -= 2;
    // What a step of this symbol does to the slope tells how many steps it takes.
    const int64_t old_direction = direction[symbol];
    direction[symbol] = old_direction + stride_;
    Follow(point, direction);
    const Course changed = CourseOf(limiter.form);
    const Wide effect = static_cast<Wide>(changed.slope) - course.slope;
    direction[symbol] = old_direction;
    if (effect == 0) continue;
    const Wide wanted = -surplus * stride_;
    Wide turn = wanted / effect;
    if (turn * effect != wanted) {
      if (limiter.kind != Limiter::Kind::kAtMostZero) continue;
      // Rounded so that the slope falls below zero rather than stays above.
      turn += (wanted < 0) == (effect < 0) ? 1 : -1;
    }
    const auto new_direction = Narrow(old_direction + turn);
    if (!new_direction) continue;
    direction[symbol] = *new_direction;
    const Trace better = Follow(point, direction);
    best_steps_ = std::max(best_steps_, better.steps);
    if (better.steps != kPlusInfinity && better.steps >= 0) {
      is_turned_[symbol] = true;
      Improve(point, direction, better, depth + 1);
      is_turned_[symbol] = false;
    }
    direction[symbol] = old_direction;
  }
}

RayTracer::Trace RayTracer::Follow(std::span<const int64_t> point,
                                   std::span<const int64_t> direction) {
  budget_.Spend(model_.definitions().size() + constraints_.size());
  Trace trace;
  trace.steps = kPlusInfinity;
  const auto keep_shorter = [&](Trace other) {
    if (other.steps < trace.steps) trace = std::move(other);
  };
  for (uint32_t symbol = 0; symbol < point.size(); ++symbol) {
    courses_[symbol] = {point[symbol], direction[symbol], kPlusInfinity};
  }
  for (const Definition& definition : model_.definitions()) FollowDefinition(definition);
  for (uint32_t symbol = 0; symbol < point.size(); ++symbol) {
    if (direction[symbol] == 0) continue;
    const Domain& domain = model_.variables()[symbol].domain;
    if (domain.upper != kPlusInfinity) {
      keep_shorter(TraceForm({{{symbol, 1}}, -domain.upper}, Relation::kLessEqual));
    }
    if (domain.lower != kMinusInfinity) {
      keep_shorter(TraceForm({{{symbol, -1}}, domain.lower}, Relation::kLessEqual));
    }
  }
  for (const size_t constraint : constraints_) {
    keep_shorter(TraceFormula(model_.constraint(constraint)));
  }
  return trace;
}

void RayTracer::SetCourse(uint32_t variable, Wide base, Wide slope, int64_t limit) {
  const auto narrow_base = Narrow(base);
  const auto narrow_slope = Narrow(slope);
  courses_[variable] = {};
  if (narrow_base && narrow_slope) courses_[variable] = {*narrow_base, *narrow_slope, limit};
}

void RayTracer::FollowDefinition(const Definition& definition) {
  definition_limiters_[definition.result] = {};
  switch (definition.kind) {
    case Definition::Kind::kLinear: {
      const Course course = CourseOf(definition.form);
      SetCourse(definition.result, course.base, course.slope, course.limit);
      break;
    }
    case Definition::Kind::kProduct: {
      const Course left = courses_[definition.left];
      const Course right = courses_[definition.right];
      int64_t limit = std::min(left.limit, right.limit);
      Wide slope =
          static_cast<Wide>(left.base) * right.slope + static_cast<Wide>(right.base) * left.slope;
      // Where both factors change, the product is no linear course.
      if (left.slope != 0 && right.slope != 0) {
        limit = std::min<int64_t>(limit, 0);
        slope = 0;
      }
      SetCourse(definition.result, static_cast<Wide>(left.base) * right.base, slope, limit);
      break;
    }
    case Definition::Kind::kMinimum:
    case Definition::Kind::kMaximum: {
      const int64_t sign = definition.kind == Definition::Kind::kMinimum ? 1 : -1;
      Course best = courses_[definition.operands[0]];
      int64_t limit = kPlusInfinity;
      for (const uint32_t operand : definition.operands) {
        const Course& course = courses_[operand];
        limit = std::min(limit, course.limit);
        const Wide ahead = (static_cast<Wide>(best.base) - course.base) * sign;
        const Wide faster = (static_cast<Wide>(best.slope) - course.slope) * sign;
        if (ahead > 0 || (ahead == 0 && faster > 0)) best = course;
      }
      for (const uint32_t operand : definition.operands) {
        const Course& course = courses_[operand];
        limit =
            std::min(limit, StepsUntilAbove((static_cast<Wide>(best.base) - course.base) * sign,
                                            (static_cast<Wide>(best.slope) - course.slope) * sign));
      }
      SetCourse(definition.result, best.base, best.slope, limit);
      break;
    }
    case Definition::Kind::kDivideConstant:
      FollowDivision(definition, CourseOf(definition.form), definition.divisor);
      break;
    case Definition::Kind::kDivide: {
      const Course divisor = courses_[definition.right];
      Course dividend = courses_[definition.left];
      dividend.limit = std::min(dividend.limit, divisor.limit);
      if (divisor.slope != 0) dividend.limit = std::min<int64_t>(dividend.limit, 0);
      FollowDivision(definition, dividend, divisor.limit < 0 ? 0 : divisor.base);
      break;
    }
  }
}

void RayTracer::FollowDivision(const Definition& definition, const Course& dividend, Wide divisor) {
  definition_limiters_[definition.remainder] = {};
  if (divisor == 0 || dividend.limit < 0) {
    courses_[definition.result] = {};
    courses_[definition.remainder] = {};
    return;
  }
  const Wide quotient = FloorDivide(dividend.base, divisor);
  const Wide remainder = FloorModulo(dividend.base, divisor);
  if (dividend.slope % divisor == 0) {
    SetCourse(definition.result, quotient, dividend.slope / divisor, dividend.limit);
    SetCourse(definition.remainder, remainder, 0, dividend.limit);
    return;
  }
  // Within one block of the divisor the quotient stays and the remainder moves.
  const Wide greatest = divisor > 0 ? divisor - 1 : 0;
  const Wide least = divisor > 0 ? 0 : divisor + 1;
  const int64_t steps = dividend.slope > 0 ? StepsUntilAbove(remainder - greatest, dividend.slope)
                                           : StepsUntilAbove(least - remainder, -dividend.slope);
  const int64_t limit = std::min(dividend.limit, steps);
  SetCourse(definition.result, quotient, 0, limit);
  SetCourse(definition.remainder, remainder, dividend.slope, limit);
  if (definition.kind != Definition::Kind::kDivideConstant) return;
  const Limiter limiter{Limiter::Kind::kMultiple, definition.form, definition.divisor};
  definition_limiters_[definition.result] = limiter;
  definition_limiters_[definition.remainder] = limiter;
}

RayTracer::Course RayTracer::CourseOf(const LinearForm& form) const {
  Wide base = form.constant;
  Wide slope = 0;
  Course course;
  course.limit = kPlusInfinity;
  for (const Term& term : form.terms) {
    const Course& part = courses_[term.variable];
    course.limit = std::min(course.limit, part.limit);
    base += static_cast<Wide>(part.base) * term.coefficient;
    slope += static_cast<Wide>(part.slope) * term.coefficient;
  }
  const auto narrow_base = Narrow(base);
  const auto narrow_slope = Narrow(slope);
  if (!narrow_base || !narrow_slope) return {};
  course.base = *narrow_base;
  course.slope = *narrow_slope;
  return course;
}

RayTracer::Trace RayTracer::TraceForm(const LinearForm& form, Relation relation) const {
  const Course course = CourseOf(form);
  if (course.limit < 0) return {};
  Trace trace;
  Limiter limiter;
  limiter.form = form;
  switch (relation) {
    case Relation::kLessEqual:
      if (course.base > 0) return {};
      trace.steps = StepsUntilAbove(course.base, course.slope);
      limiter.kind = Limiter::Kind::kAtMostZero;
      break;
    case Relation::kEqual:
      if (course.base != 0) return {};
      trace.steps = course.slope == 0 ? kPlusInfinity : 0;
      limiter.kind = Limiter::Kind::kZero;
      break;
    case Relation::kNotEqual: {
      if (course.base == 0) return {};
      trace.steps = kPlusInfinity;
      limiter.kind = Limiter::Kind::kZero;
      const Wide base = course.base;
      if (course.slope != 0 && base % course.slope == 0 && -base / course.slope > 0) {
        trace.steps = static_cast<int64_t>(-base / course.slope) - 1;
      }
      break;
    }
  }
  if (trace.steps != kPlusInfinity) trace.limiter = limiter;
  if (course.limit < trace.steps) {
    trace.steps = course.limit;
    trace.limiter = {};
    for (const Term& term : form.terms) {
      if (courses_[term.variable].limit == course.limit) {
        trace.limiter = definition_limiters_[term.variable];
        break;
      }
    }
  }
  return trace;
}

RayTracer::Trace RayTracer::TraceFormula(uint32_t index) const {
  const Formula& formula = model_.formulas()[index];
  if (formula.kind == Formula::Kind::kComparison) {
    const Propagator& propagator = model_.propagators()[formula.propagator];
    return TraceForm(propagator.form, propagator.relation);
  }
  const bool is_or = formula.kind == Formula::Kind::kOr;
  Trace trace;
  if (!is_or) trace.steps = kPlusInfinity;
  for (const uint32_t child : formula.children) {
    Trace part = TraceFormula(child);
    if (is_or ? part.steps > trace.steps : part.steps < trace.steps) trace = std::move(part);
  }
  return trace;
}

}  // namespace shapewise::constraints
