// Systems of guards over integer variables: which values they leave, and which guards say so.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_SYSTEM_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_SYSTEM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "shapewise/symbolic/expression.h"
#include "shapewise/symbolic/interval.h"

namespace shapewise {

/// What a system leaves of one variable, seen alone: the values that occur in some solution.
enum class Freedom : uint8_t {
  kFree,        ///< all of its domain
  kBounded,     ///< an interval, smaller than its domain
  kDivisible,   ///< the members of a congruence with a modulus of 2 or more, within an interval
  kRestricted,  ///< some other set of two values or more
  kPinned,      ///< one value
  kImpossible,  ///< none: the system has no solution
  kUnknown,     ///< could not be shown within the budget
};

/// The answer for one variable.
struct VariableAnalysis {
  Freedom freedom = Freedom::kUnknown;
  /// Hull of the values that are left; of kImpossible empty. Of kUnknown it encloses them, and so
  /// does the congruence.
  Interval range;
  Congruence congruence;         ///< that all of them share
  std::optional<int64_t> value;  ///< of kPinned
  /// A minimal set of constraints (by index, ascending) that makes it so: with them alone the
  /// variable is as restricted as it is, without any one of them less. Of several minimal sets the
  /// one with the fewest constraints that was found, ties to the lowest indices. Empty for kFree.
  std::vector<size_t> culprits;
  bool culprits_are_minimal = false;  ///< false: the budget ran out while the set was made smaller
};

/// Predicates over integer variables that must hold together.
class ConstraintSystem {
 public:
  /// `budget`: steps of search an answer may take before it is "unknown".
  explicit ConstraintSystem(ExprPool& pool, uint64_t budget = 100'000);
  ~ConstraintSystem();
  ConstraintSystem(const ConstraintSystem&) = delete;
  ConstraintSystem& operator=(const ConstraintSystem&) = delete;

  /// Symbols that stand in constraints without having been added may be any integer.
  void AddVariable(ExprId symbol, const Interval& domain);
  /// Returns its index, counted from 0.
  size_t AddConstraint(ExprId predicate);

  /// Whether some values satisfy all constraints and `further` besides.
  Truth IsSatisfiable(std::span<const ExprId> further = {}) const;
  /// Values for all variables, in the order in which they were added or first stood in a
  /// constraint; absent: there are none, or none were found within the budget.
  std::optional<std::vector<int64_t>> FindSolution(std::span<const ExprId> further = {}) const;
  VariableAnalysis Analyze(ExprId symbol) const;
  /// VariableAnalysis::range alone, which takes less time.
  Interval RangeOf(ExprId symbol) const;
  /// A minimal set of constraints that cannot hold together; empty if they can, or if it is
  /// unknown.
  std::vector<size_t> FindConflict() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_SYSTEM_H_
