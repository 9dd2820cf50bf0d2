#include "symbolic/constraint_propagation.h"

#include <limits>
#include <utility>

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

bool Propagation::Narrow(SearchState& state, uint32_t variable, const Domain& other) {
  if (!state.domains[variable].Restrict(other)) return true;
  Touch(variable);
  return AfterChange(state, variable);
}

bool Propagation::NarrowBounds(SearchState& state, uint32_t variable, const WideInterval& bounds) {
  Domain& domain = state.domains[variable];
  bool changed = false;
  if (bounds.lower > -kWideInfinity) changed |= domain.RestrictLower(bounds.lower);
  if (bounds.upper < kWideInfinity) changed |= domain.RestrictUpper(bounds.upper);
  if (!changed) return true;
  Touch(variable);
  return AfterChange(state, variable);
}

}  // namespace shapewise::constraints
