#include "symbolic/constraint_search.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace shapewise::constraints {
namespace {

// Up to this many values the set may consist of any segments; beyond, of few.
constexpr uint64_t kFewValues = 4096;
constexpr size_t kMostSegments = 16;
// Give up growing rays after this many solutions per segment.
constexpr size_t kSolutionsPerSegment = 8;
constexpr int64_t kLargestModulus = 1024;

// Directions tried in addition to one per symbol.
constexpr size_t kMostTries = 24;

// The largest number below `end` for which `holds` is true, given that it holds for all smaller
// ones and for zero.
template <typename Predicate>
int64_t LastOf(int64_t end, Predicate holds) {
  int64_t low = 0;
  while (end - low > 1) {
    const int64_t middle = low + (end - low) / 2;
    (holds(middle) ? low : end) = middle;
  }
  return low;
}

// Curves are followed up to this many steps, so that the square fits into 128 bits.
constexpr int64_t kMostCurvedSteps = int64_t{1} << 31;

// Follows rays under one set of constraints: how far they hold from one point in steps of one
// direction. One point proves that one value of a variable is possible. A ray proves it for every
// modulus-th value, possibly without end: this is how an infinite projection is proven.
class RayTracer {
 public:
  RayTracer(const Model& model, std::span<const size_t> constraints, Budget& budget)
      : model_(model),
        constraints_(constraints.begin(), constraints.end()),
        budget_(budget),
        courses_(model.variables().size()),
        definition_limiters_(model.variables().size()) {}

  // The largest number of steps such that every point `point + i * direction`, 0 <= i <= steps, was
  // proven to satisfy the constraints, for the best direction found that moves `variable` by
  // `stride`; kPlusInfinity: without end. `point` must satisfy them.
  int64_t LongestRay(std::span<const int64_t> point, uint32_t variable, int64_t stride) {
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

 private:
  // A number as a function of steps: base + slope * steps + curve * steps^2, valid up to `limit`
  // steps; a limit of -1: it has no value.
  struct Course {
    int64_t base = 0;
    int64_t slope = 0;
    int64_t curve = 0;
    int64_t limit = -1;

    bool IsConstant() const { return slope == 0 && curve == 0; }
  };
  // What limits the ray: a form, and the slope that it should have.
  struct Limiter {
    enum class Kind : uint8_t { kNone, kAtMostZero, kZero, kMultiple };
    Kind kind = Kind::kNone;
    LinearForm form;
    int64_t divisor = 0;  //< for kMultiple: the slope should be a multiple of it
  };
  struct Trace {
    int64_t steps = -1;
    Limiter limiter;
  };

  // Changes the direction, one symbol at a time, so that what limits the ray no longer does.
  void Improve(std::span<const int64_t> point, std::vector<int64_t>& direction, const Trace& trace,
               size_t depth) {
    if (trace.limiter.kind == Limiter::Kind::kNone || depth > model_.num_symbols()) return;
    const Limiter& limiter = trace.limiter;
    // Along the old direction; following another one overwrites the courses.
    Follow(point, direction);
    const Course course = CourseOf(limiter.form);
    Wide surplus = course.slope;
    if (limiter.kind == Limiter::Kind::kMultiple) surplus = FloorModulo(surplus, limiter.divisor);
    std::vector<uint32_t> symbols;
    for (const Term& term : limiter.form.terms) {
      const std::vector<uint32_t>& inner = model_.SymbolsIn(term.variable);
      symbols.insert(symbols.end(), inner.begin(), inner.end());
    }
    std::sort(symbols.begin(), symbols.end());
    symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
    for (const uint32_t symbol : symbols) {
      if (is_turned_[symbol] || best_steps_ == kPlusInfinity) continue;
      if (tries_left_ < 2 || budget_.IsSpent()) return;
      tries_left_ -= 2;
      // The effect of a step of this symbol on the slope determines the number of steps.
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
        // Rounded so that the slope falls below zero instead of staying above.
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

  Trace Follow(std::span<const int64_t> point, std::span<const int64_t> direction) {
    budget_.Spend(model_.definitions().size() + constraints_.size());
    Trace trace;
    trace.steps = kPlusInfinity;
    const auto keep_shorter = [&](Trace other) {
      if (other.steps < trace.steps) trace = std::move(other);
    };
    for (uint32_t symbol = 0; symbol < point.size(); ++symbol) {
      courses_[symbol] = {point[symbol], direction[symbol], 0, kPlusInfinity};
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

  // The largest number of steps for which base + slope * n + curve * n^2 <= 0; this must hold for 0
  // steps.
  static int64_t StepsUntilAbove(const Course& course) {
    const Wide base = course.base;
    const Wide slope = course.slope;
    const Wide curve = course.curve;
    if (curve == 0) {
      if (slope <= 0) return kPlusInfinity;
      // More steps than 64 bits can count, but not infinitely many.
      return Narrow(FloorDivide(-base, slope)).value_or(kPlusInfinity - 1);
    }
    const auto is_below = [&](int64_t n) { return base + n * (slope + curve * n) <= 0; };
    // A curve that opens upwards is below zero up to one point, because it begins there.
    if (curve > 0) return LastOf(kMostCurvedSteps, is_below);
    // One that opens downwards rises to its maximum, if at all, and falls from there.
    if (slope <= 0) return kPlusInfinity;
    const Wide top = FloorDivide(-slope, 2 * curve);
    const Wide past_top = top + 2;
    if (past_top >= kMostCurvedSteps) return LastOf(kMostCurvedSteps, is_below);
    const auto end = static_cast<int64_t>(past_top);
    if (is_below(end - 1) && is_below(end - 2)) return kPlusInfinity;
    return LastOf(end - (is_below(end - 2) ? 0 : 1), is_below);
  }

  static Course MakeCourse(Wide base, Wide slope, Wide curve, int64_t limit) {
    const auto narrow_base = Narrow(base);
    const auto narrow_slope = Narrow(slope);
    const auto narrow_curve = Narrow(curve);
    if (!narrow_base || !narrow_slope || !narrow_curve) return {};
    return {*narrow_base, *narrow_slope, *narrow_curve, limit};
  }

  // (a - b) * sign
  static Course Difference(const Course& a, const Course& b, int64_t sign) {
    return MakeCourse((static_cast<Wide>(a.base) - b.base) * sign,
                      (static_cast<Wide>(a.slope) - b.slope) * sign,
                      (static_cast<Wide>(a.curve) - b.curve) * sign, std::min(a.limit, b.limit));
  }

  static Course Multiply(const Course& a, const Course& b) {
    int64_t limit = std::min(a.limit, b.limit);
    const Wide base = static_cast<Wide>(a.base) * b.base;
    // For a product of higher degree only the first point is known.
    if ((a.curve != 0 && !b.IsConstant()) || (b.curve != 0 && !a.IsConstant())) {
      return MakeCourse(base, 0, 0, std::min<int64_t>(limit, 0));
    }
    const Wide curve = static_cast<Wide>(a.slope) * b.slope + static_cast<Wide>(a.curve) * b.base +
                       static_cast<Wide>(b.curve) * a.base;
    return MakeCourse(base,
                      static_cast<Wide>(a.base) * b.slope + static_cast<Wide>(b.base) * a.slope,
                      curve, limit);
  }

  void FollowDefinition(const Definition& definition) {
    definition_limiters_[definition.result] = {};
    Course& result = courses_[definition.result];
    switch (definition.kind) {
      case Definition::Kind::kLinear:
        result = CourseOf(definition.form);
        break;
      case Definition::Kind::kProduct:
        result = Multiply(courses_[definition.left], courses_[definition.right]);
        break;
      case Definition::Kind::kMinimum:
      case Definition::Kind::kMaximum: {
        // The operand that is smallest at first, as long as no other one overtakes it.
        const int64_t sign = definition.kind == Definition::Kind::kMinimum ? 1 : -1;
        Course best = courses_[definition.operands[0]];
        for (const uint32_t operand : definition.operands) {
          const Course ahead = Difference(best, courses_[operand], sign);
          const bool overtakes = ahead.base > 0 || (ahead.base == 0 && StepsUntilAbove(ahead) < 1);
          if (overtakes) best = courses_[operand];
        }
        for (const uint32_t operand : definition.operands) {
          const Course ahead = Difference(best, courses_[operand], sign);
          best.limit = std::min(
              {best.limit, ahead.limit, ahead.base > 0 ? int64_t{0} : StepsUntilAbove(ahead)});
        }
        result = best;
        break;
      }
      case Definition::Kind::kDivideConstant:
        FollowDivision(definition, CourseOf(definition.form), definition.divisor);
        break;
      case Definition::Kind::kDivide: {
        const Course divisor = courses_[definition.right];
        Course dividend = courses_[definition.left];
        dividend.limit = std::min(dividend.limit, divisor.limit);
        if (divisor.IsConstant() || divisor.base <= 0 || dividend.limit < 0) {
          if (!divisor.IsConstant()) dividend.limit = std::min<int64_t>(dividend.limit, 0);
          FollowDivision(definition, dividend, divisor.limit < 0 ? 0 : divisor.base);
          break;
        }
        // The quotient is constant as long as 0 <= dividend - quotient * divisor < divisor.
        const auto quotient = static_cast<int64_t>(FloorDivide(dividend.base, divisor.base));
        const Course remainder =
            Difference(dividend, Multiply(divisor, {quotient, 0, 0, kPlusInfinity}), 1);
        const Course below = Difference({0, 0, 0, kPlusInfinity}, remainder, 1);
        const Course above =
            Difference(remainder, Difference(divisor, {1, 0, 0, kPlusInfinity}, 1), 1);
        definition_limiters_[definition.remainder] = {};
        result = {};
        courses_[definition.remainder] = {};
        if (remainder.limit < 0 || below.limit < 0 || above.limit < 0) break;
        const int64_t limit =
            std::min({remainder.limit, StepsUntilAbove(below), StepsUntilAbove(above)});
        result = {quotient, 0, 0, limit};
        courses_[definition.remainder] = remainder;
        courses_[definition.remainder].limit = limit;
        break;
      }
    }
  }

  void FollowDivision(const Definition& definition, const Course& dividend, Wide divisor) {
    definition_limiters_[definition.remainder] = {};
    Course& quotient = courses_[definition.result];
    Course& remainder = courses_[definition.remainder];
    quotient = {};
    remainder = {};
    if (divisor == 0 || dividend.limit < 0) return;
    const Wide first_quotient = FloorDivide(dividend.base, divisor);
    const Wide first_remainder = FloorModulo(dividend.base, divisor);
    if (dividend.slope % divisor == 0 && dividend.curve % divisor == 0) {
      quotient = MakeCourse(first_quotient, dividend.slope / divisor, dividend.curve / divisor,
                            dividend.limit);
      remainder = MakeCourse(first_remainder, 0, 0, dividend.limit);
      return;
    }
    // Within one block of the divisor, the quotient is constant and the remainder moves.
    const Wide greatest = divisor > 0 ? divisor - 1 : 0;
    const Wide least = divisor > 0 ? 0 : divisor + 1;
    const Course above =
        MakeCourse(first_remainder - greatest, dividend.slope, dividend.curve, kPlusInfinity);
    const Course below = MakeCourse(least - first_remainder, -static_cast<Wide>(dividend.slope),
                                    -static_cast<Wide>(dividend.curve), kPlusInfinity);
    if (above.limit < 0 || below.limit < 0) return;
    const int64_t limit =
        std::min({dividend.limit, StepsUntilAbove(above), StepsUntilAbove(below)});
    quotient = MakeCourse(first_quotient, 0, 0, limit);
    remainder = MakeCourse(first_remainder, dividend.slope, dividend.curve, limit);
    if (definition.kind != Definition::Kind::kDivideConstant) return;
    const Limiter limiter{Limiter::Kind::kMultiple, definition.form, definition.divisor};
    definition_limiters_[definition.result] = limiter;
    definition_limiters_[definition.remainder] = limiter;
  }

  Course CourseOf(const LinearForm& form) const {
    Wide base = form.constant;
    Wide slope = 0;
    Wide curve = 0;
    int64_t limit = kPlusInfinity;
    for (const Term& term : form.terms) {
      const Course& part = courses_[term.variable];
      limit = std::min(limit, part.limit);
      base += static_cast<Wide>(part.base) * term.coefficient;
      slope += static_cast<Wide>(part.slope) * term.coefficient;
      curve += static_cast<Wide>(part.curve) * term.coefficient;
    }
    return MakeCourse(base, slope, curve, limit);
  }

  Trace TraceForm(const LinearForm& form, Relation relation) const {
    const Course course = CourseOf(form);
    if (course.limit < 0) return {};
    Trace trace;
    Limiter limiter;
    limiter.form = form;
    switch (relation) {
      case Relation::kLessEqual:
        if (course.base > 0) return {};
        trace.steps = StepsUntilAbove(course);
        limiter.kind = Limiter::Kind::kAtMostZero;
        break;
      case Relation::kEqual:
        if (course.base != 0) return {};
        trace.steps = course.IsConstant() ? kPlusInfinity : 0;
        limiter.kind = Limiter::Kind::kZero;
        break;
      case Relation::kNotEqual: {
        if (course.base == 0) return {};
        limiter.kind = Limiter::Kind::kZero;
        const Wide base = course.base;
        if (course.curve != 0) {
          // As long as it stays on its side of zero.
          const int64_t sign = course.base < 0 ? 1 : -1;
          trace.steps =
              StepsUntilAbove(MakeCourse(base * sign + 1, static_cast<Wide>(course.slope) * sign,
                                         static_cast<Wide>(course.curve) * sign, kPlusInfinity));
        } else if (course.slope != 0 && base % course.slope == 0 && -base / course.slope > 0) {
          trace.steps = static_cast<int64_t>(-base / course.slope) - 1;
        } else {
          trace.steps = kPlusInfinity;
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

  Trace TraceFormula(uint32_t index) const {
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

  const Model& model_;
  std::vector<size_t> constraints_;
  Budget& budget_;
  std::vector<Course> courses_;
  std::vector<Limiter> definition_limiters_;  // by variable
  std::vector<bool> is_turned_;               // symbols with a final direction
  int64_t best_steps_ = -1;
  int64_t stride_ = 1;
  size_t tries_left_ = 0;
};

// Adds one solution at a time, extended to its ray, until there are no more.
bool Cover(const Model& model, std::span<const size_t> constraints, uint32_t variable,
           size_t most_segments, ValueSet& values, Budget& budget) {
  RayTracer tracer(model, constraints, budget);
  Preference preference = Preference::kLow;
  const size_t most_solutions = most_segments * kSolutionsPerSegment;
  for (size_t i = 0; i < most_solutions && values.num_segments() <= most_segments; ++i) {
    const SearchResult other =
        Search(model, constraints, {variable, &values}, budget, preference).Run();
    // A ray may be short because other variables are close to one of their bounds.
    preference = preference == Preference::kLow ? Preference::kHigh : Preference::kLow;
    if (other.is_satisfiable == Truth::kFalse) return true;
    if (other.is_satisfiable == Truth::kUnknown) return false;
    const int64_t anchor = other.point[variable];
    const auto end_of = [&](int64_t stride, int64_t infinity) {
      const int64_t steps = tracer.LongestRay(other.point, variable, stride);
      if (steps == kPlusInfinity) return infinity;
      return Narrow(anchor + static_cast<Wide>(steps) * stride).value_or(anchor);
    };
    const int64_t upper = end_of(values.modulus(), kPlusInfinity);
    const int64_t lower = end_of(-values.modulus(), kMinusInfinity);
    values.Add(anchor, lower, upper);
  }
  return false;
}

// A modulus such that the guards treat all values alike with respect to remainders.
std::optional<int64_t> CommonModulus(const Model& model, int64_t start) {
  int64_t common = start;
  for (const int64_t modulus : model.moduli()) {
    const int64_t factor =
        modulus / static_cast<int64_t>(Gcd(static_cast<uint64_t>(common), Magnitude(modulus)));
    if (factor > kLargestModulus / common) return std::nullopt;
    common *= factor;
  }
  return common;
}

}  // namespace

Projection Project(const Model& model, std::span<const size_t> constraints, uint32_t variable,
                   Budget& budget) {
  Projection projection;
  Search narrowing(model, constraints, {}, budget);
  if (!narrowing.NarrowRoot()) {
    projection.is_exact = true;
    projection.hull.RestrictUpper(0);
    projection.hull.RestrictLower(1);
    return projection;
  }
  projection.hull = narrowing.RootDomain(variable);
  const bool is_small = projection.hull.Count() <= kFewValues;
  const int64_t step = projection.hull.modulus <= kLargestModulus ? projection.hull.modulus : 1;
  projection.values = ValueSet(step);
  projection.is_exact = Cover(model, constraints, variable,
                              is_small ? std::numeric_limits<size_t>::max() : kMostSegments,
                              projection.values, budget);
  if (projection.is_exact || is_small) return projection;
  const std::optional<int64_t> modulus = CommonModulus(model, step);
  if (!modulus || *modulus == step) return projection;
  ValueSet values(*modulus);
  projection.is_exact = Cover(model, constraints, variable,
                              kMostSegments + 2 * static_cast<size_t>(*modulus), values, budget);
  if (projection.is_exact) projection.values = std::move(values);
  return projection;
}

}  // namespace shapewise::constraints
