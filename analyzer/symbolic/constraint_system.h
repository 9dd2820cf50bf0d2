// Systems of guards over integer variables: which values they allow, and which guards are
// responsible.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_SYSTEM_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_SYSTEM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "symbolic/expression.h"
#include "symbolic/interval.h"

namespace shapewise {

/// What a system allows for one variable by itself: the values that occur in some solution.
enum class Freedom : uint8_t {
  kFree,        ///< all of its domain
  kBounded,     ///< an interval, smaller than its domain
  kDivisible,   ///< the members of a congruence with modulus 2 or more, within an interval
  kRestricted,  ///< some other set of two or more values
  kPinned,      ///< one value
  kImpossible,  ///< none: the system has no solution
  kUnknown,     ///< undecided within the budget
};

/// The result for one variable.
struct VariableAnalysis {
  Freedom freedom = Freedom::kUnknown;
  /// Hull of the allowed values; empty for kImpossible. For kUnknown, the range and the congruence
  /// are supersets.
  Interval range;
  Congruence congruence;         ///< a congruence that all values satisfy
  std::optional<int64_t> value;  ///< for kPinned
  /// A minimal set of constraints (indices, ascending) that implies the result: with these alone
  /// the variable is equally restricted, and none can be removed. If several minimal sets exist,
  /// the smallest one found; ties go to the lowest indices. Empty for kFree.
  std::vector<size_t> culprits;
  bool culprits_are_minimal = false;  ///< false: the budget ran out while minimizing
};

/// Predicates over integer variables that must hold together.
class ConstraintSystem {
 public:
  /// `budget`: search steps per answer before it is "unknown".
  explicit ConstraintSystem(ExprPool& pool, uint64_t budget = 100'000);
  ~ConstraintSystem();
  ConstraintSystem(const ConstraintSystem&) = delete;
  ConstraintSystem& operator=(const ConstraintSystem&) = delete;

  /// Adds a variable. Symbols in constraints that were not added may be any integer.
  void AddVariable(ExprId symbol, const Interval& domain);
  /// Returns its index, from 0.
  size_t AddConstraint(ExprId predicate);

  /// Whether some values satisfy all constraints and also `further`.
  Truth IsSatisfiable(std::span<const ExprId> further = {}) const;
  VariableAnalysis Analyze(ExprId symbol) const;
  /// VariableAnalysis::range only, which is faster.
  Interval RangeOf(ExprId symbol) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_SYSTEM_H_
