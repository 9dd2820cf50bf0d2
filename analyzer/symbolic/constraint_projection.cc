#include "symbolic/constraint_search.h"

#include <optional>
#include <utility>

#include "symbolic/constraint_ray.h"

namespace shapewise::constraints {
namespace {

// Up to this many values the set may consist of any segments; beyond, of few.
constexpr uint64_t kFewValues = 4096;
constexpr size_t kMostSegments = 16;
// Give up growing rays after this many solutions per segment.
constexpr size_t kSolutionsPerSegment = 8;
constexpr int64_t kLargestModulus = 1024;

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
