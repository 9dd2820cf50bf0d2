// Narrows domains to a fixpoint.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_PROPAGATION_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_PROPAGATION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "symbolic/constraint_domain.h"
#include "symbolic/constraint_model.h"

namespace shapewise::constraints {

/// The remaining work for an answer. Counted, not timed, so that results are the same on every
/// machine.
class Budget {
 public:
  /// A step is a node of the search, or this many runs of propagators.
  static constexpr uint64_t kRunsPerStep = 32;

  explicit Budget(uint64_t steps);
  void Spend(uint64_t runs) { left_ -= runs < left_ ? runs : left_; }
  bool IsSpent() const { return left_ == 0; }

 private:
  uint64_t left_;
};

/// A state of the search: remaining domains, required propagators, and undecided alternatives.
struct SearchState {
  enum class Activity : uint8_t {
    kIdle,  ///< not required
    kActive,
    kDone,  ///< holds for all remaining values
  };
  std::vector<Domain> domains;
  std::vector<Activity> activity;  // by propagator
  std::vector<uint32_t> pending;   // formulas of kind kOr

  bool IsActive(uint32_t propagator) const { return activity[propagator] == Activity::kActive; }
};

/// Forbidden values of one variable.
struct Exclusion {
  uint32_t variable = 0;
  const ValueSet* values = nullptr;  ///< nullptr: none
};

class Propagation {
 public:
  Propagation(const Model& model, const Exclusion& exclusion, Budget& budget);

  SearchState InitialState() const;
  /// Requires the formula or propagator from now on.
  void Assert(SearchState& state, uint32_t formula);
  void Activate(SearchState& state, uint32_t propagator);
  /// Marks the domain of a variable as changed.
  void Touch(uint32_t variable);
  /// Narrows to a fixpoint, or up to a limit; false: no solution.
  bool Run(SearchState& state);
  /// Whether a formula holds for all remaining values, or for none.
  Truth Judge(const SearchState& state, uint32_t formula);

 private:
  bool RunPropagator(SearchState& state, uint32_t index);
  bool RunLinear(SearchState& state, uint32_t index);
  bool RunNotEqual(SearchState& state, uint32_t index);
  bool RunCongruence(SearchState& state, const LinearForm& form);
  bool RunProduct(SearchState& state, const Propagator& propagator);
  /// Narrows one factor of a product by its result and the other factor.
  bool NarrowFactor(SearchState& state, const Propagator& product, uint32_t variable,
                    uint32_t other_variable);
  bool RunDivision(SearchState& state, const Propagator& propagator);
  bool RunExtreme(SearchState& state, const Propagator& propagator);
  bool RunPending(SearchState& state);
  /// Restricts the domain of a variable to `limits`, a domain or its bounds; false: empty.
  template <typename Limits>
  bool Narrow(SearchState& state, uint32_t variable, const Limits& limits) {
    if (!state.domains[variable].Restrict(limits)) return true;
    Touch(variable);
    return AfterChange(state, variable);
  }
  bool AfterChange(SearchState& state, uint32_t variable);
  void Drain();

  Domain DomainFor(const SearchState& state, uint32_t variable) const;
  Domain RangeOf(const SearchState& state, const LinearForm& form) const;
  /// Computes the auxiliary variables of definitions that are not asserted; returns whether all are
  /// defined for all remaining values.
  Truth Forward(const SearchState& state, const std::vector<uint32_t>& definitions);
  Truth ForwardOne(const SearchState& state, const Definition& definition);
  bool IsAsserted(const SearchState& state, const Definition& definition) const;

  const Model& model_;
  Exclusion exclusion_;
  Budget& budget_;
  std::vector<uint32_t> queue_;
  std::vector<bool> is_queued_;
  std::vector<Domain> forwarded_;  // by variable, for definitions that are not asserted
};

}  // namespace shapewise::constraints

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_PROPAGATION_H_
