// Solutions in a row: how far constraints hold from one point in steps of one direction.
//
// One point proves that one value of a variable is possible. A ray proves it for every modulus-th
// value, possibly without end: this is how an infinite projection is proven.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_RAY_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_RAY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "symbolic/constraint_propagation.h"

namespace shapewise::constraints {

/// Follows rays under one set of constraints.
class RayTracer {
 public:
  RayTracer(const Model& model, std::span<const size_t> constraints, Budget& budget);

  /// Returns the largest number of steps such that every point `point + i * direction`, 0 <= i <=
  /// steps, was proven to satisfy the constraints, for the best direction found that moves
  /// `variable` by `stride`; kPlusInfinity: without end. `point` must satisfy them.
  int64_t LongestRay(std::span<const int64_t> point, uint32_t variable, int64_t stride);

 private:
  /// A number as a function of steps: base + slope * steps + curve * steps^2, valid up to `limit`
  /// steps; a limit of -1: it has no value.
  struct Course {
    int64_t base = 0;
    int64_t slope = 0;
    int64_t curve = 0;
    int64_t limit = -1;

    bool IsConstant() const { return slope == 0 && curve == 0; }
  };
  /// What limits the ray: a form, and the slope that it should have.
  struct Limiter {
    enum class Kind : uint8_t { kNone, kAtMostZero, kZero, kMultiple };
    Kind kind = Kind::kNone;
    LinearForm form;
    int64_t divisor = 0;  ///< for kMultiple: the slope should be a multiple of it
  };
  struct Trace {
    int64_t steps = -1;
    Limiter limiter;
  };

  Trace Follow(std::span<const int64_t> point, std::span<const int64_t> direction);
  void FollowDefinition(const Definition& definition);
  void FollowDivision(const Definition& definition, const Course& dividend, Wide divisor);
  Trace TraceFormula(uint32_t formula) const;
  Trace TraceForm(const LinearForm& form, Relation relation) const;
  Course CourseOf(const LinearForm& form) const;
  static Course MakeCourse(Wide base, Wide slope, Wide curve, int64_t limit);
  static Course Difference(const Course& a, const Course& b, int64_t sign);
  static Course Multiply(const Course& a, const Course& b);
  static int64_t StepsUntilAbove(const Course& course);
  /// Changes the direction, one symbol at a time, so that what limits the ray no longer does.
  void Improve(std::span<const int64_t> point, std::vector<int64_t>& direction, const Trace& trace,
               size_t depth);

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

}  // namespace shapewise::constraints

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_RAY_H_
