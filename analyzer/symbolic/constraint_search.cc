#include "symbolic/constraint_search.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace shapewise::constraints {
namespace {

// A larger domain is not enumerated before its bounds are used.
constexpr uint64_t kLargeDomain = 4096;
// Up to this many values become one branch each; larger domains are halved.
constexpr uint64_t kValuesToTry = 3;
// Auxiliary variables with up to this many values, mostly remainders, are branched on.
constexpr uint64_t kFewAuxiliaryValues = 64;
constexpr int64_t kMostResidues = 1024;
// Values beyond this are not searched.
constexpr int64_t kFarOut = int64_t{1} << 61;
constexpr int64_t kSmallestWindow = 16;
// How far from zero to look for a value outside of an unbounded exclusion.
constexpr int64_t kNearZero = 1024;

}  // namespace

Search::Search(const Model& model, std::span<const size_t> constraints, const Exclusion& exclusion,
               Budget& budget, Preference preference)
    : model_(model),
      constraints_(constraints.begin(), constraints.end()),
      exclusion_(exclusion),
      preference_(preference),
      budget_(budget),
      propagation_(model, exclusion, budget),
      evaluator_(model),
      root_(propagation_.InitialState()) {
  budget_.Spend(model.variables().size() + model.propagators().size());
  for (const size_t constraint : constraints_) {
    propagation_.Assert(root_, model_.constraint(constraint));
  }
}

bool Search::NarrowRoot() { return propagation_.Run(root_); }

SearchResult Search::Run() {
  // Many questions have an answer near the ends of the domains.
  if (!propagation_.Run(root_)) return {Truth::kFalse, {}};
  if (Dive(root_)) return {Truth::kTrue, point_};
  if (Visit(root_)) return {Truth::kTrue, point_};
  while (!stack_.empty()) {
    if (budget_.IsSpent()) return {Truth::kUnknown, {}};
    budget_.Spend(Budget::kRunsPerStep + model_.variables().size());
    Branch branch = std::move(stack_.back());
    stack_.pop_back();
    Enter(branch);
    if (Visit(std::move(branch.state))) return {Truth::kTrue, point_};
  }
  return {is_complete_ ? Truth::kFalse : Truth::kUnknown, {}};
}

void Search::Enter(Branch& branch) {
  switch (branch.kind) {
    case Branch::Kind::kRoot:
      break;
    case Branch::Kind::kDomain:
      branch.state.domains[branch.index] = branch.domain;
      propagation_.Touch(branch.index);
      break;
    case Branch::Kind::kFormula:
      propagation_.Assert(branch.state, branch.index);
      break;
    case Branch::Kind::kPropagator:
      propagation_.Activate(branch.state, branch.index);
      break;
  }
}

bool Search::Visit(SearchState state) {
  if (!propagation_.Run(state)) return false;
  const std::vector<uint32_t> open = OpenSymbols(state);
  if (open.empty()) return Verify(state);
  uint32_t smallest = open[0];
  bool is_large = false;
  for (const uint32_t symbol : open) {
    const uint64_t count = state.domains[symbol].Count();
    is_large |= count > kLargeDomain;
    if (count < state.domains[smallest].Count()) smallest = symbol;
  }
  if (is_large) return VisitLarge(state, open);
  SplitDomain(state, smallest);
  return false;
}

bool Search::VisitLarge(const SearchState& state, std::span<const uint32_t> open) {
  if (IsLinearlyRefuted(model_, state, budget_)) return false;
  if (Dive(state)) return true;
  // Semantic splits first: each part may be refuted as a whole.
  if (SplitResidues(state) || SplitExclusion(state) || SplitAlternatives(state) ||
      SplitCases(state) || SplitAuxiliary(state)) {
    return false;
  }
  const auto distance = [&](uint32_t symbol) {
    const Domain& domain = state.domains[symbol];
    if (domain.IsFinite()) return domain.Count();
    // Unbounded ones last, those that begin near zero first.
    return (uint64_t{1} << 63) + Magnitude(domain.Smallest()) / 2;
  };
  const uint32_t nearest = *std::min_element(
      open.begin(), open.end(), [&](uint32_t a, uint32_t b) { return distance(a) < distance(b); });
  if (state.domains[nearest].IsFinite()) {
    SplitDomain(state, nearest);
  } else {
    SplitWindow(state, nearest);
  }
  return false;
}

bool Search::SplitResidues(const SearchState& state) {
  if (exclusion_.values == nullptr) return false;
  const int64_t modulus = exclusion_.values->modulus();
  const Domain& domain = state.domains[exclusion_.variable];
  if (domain.modulus % modulus == 0 || modulus > kMostResidues) return false;
  for (int64_t residue = modulus; residue-- > 0;) {
    Domain part = domain;
    part.RestrictCongruence(modulus, residue);
    if (part.IsEmpty()) continue;
    if (!part.IsFixed() && part.modulus % modulus != 0) {
      is_complete_ = false;  // beyond the moduli that domains support
      continue;
    }
    stack_.push_back({state, Branch::Kind::kDomain, exclusion_.variable, part});
  }
  return true;
}

bool Search::SplitExclusion(const SearchState& state) {
  if (exclusion_.values == nullptr) return false;
  const Domain& domain = state.domains[exclusion_.variable];
  const Segment* segment = exclusion_.values->SegmentWithin(domain);
  if (segment == nullptr) return false;
  Domain above = domain;
  Domain below = domain;
  if (segment->upper != kPlusInfinity) {
    above.RestrictLower(static_cast<Wide>(segment->upper) + 1);
    stack_.push_back({state, Branch::Kind::kDomain, exclusion_.variable, above});
  }
  if (segment->lower != kMinusInfinity) {
    below.RestrictUpper(static_cast<Wide>(segment->lower) - 1);
    stack_.push_back({state, Branch::Kind::kDomain, exclusion_.variable, below});
  }
  return true;
}

bool Search::SplitAlternatives(const SearchState& state) {
  if (state.pending.empty()) return false;
  const uint32_t formula = state.pending.back();
  SearchState rest = state;
  rest.pending.pop_back();
  const std::vector<uint32_t>& children = model_.formulas()[formula].children;
  for (size_t i = children.size(); i-- > 0;) {
    stack_.push_back({rest, Branch::Kind::kFormula, children[i], {}});
  }
  return true;
}

bool Search::SplitCases(const SearchState& state) {
  for (uint32_t i = 0; i < model_.propagators().size(); ++i) {
    const std::vector<uint32_t>& cases = model_.propagators()[i].cases;
    if (!state.IsActive(i) || cases.empty()) continue;
    const bool is_decided = std::any_of(cases.begin(), cases.end(), [&](uint32_t one) {
      return state.activity[one] != SearchState::Activity::kIdle;
    });
    if (is_decided) continue;
    for (size_t k = cases.size(); k-- > 0;) {
      stack_.push_back({state, Branch::Kind::kPropagator, cases[k], {}});
    }
    return true;
  }
  return false;
}

bool Search::SplitAuxiliary(const SearchState& state) {
  for (const Definition& definition : model_.definitions()) {
    if (state.activity[definition.propagators.back()] != SearchState::Activity::kActive) continue;
    for (const uint32_t variable : {definition.result, definition.remainder}) {
      const bool is_of_this =
          variable >= model_.num_symbols() && model_.variables()[variable].definition.has_value();
      const Domain& domain = state.domains[variable];
      if (!is_of_this || domain.IsFixed() || domain.Count() > kFewAuxiliaryValues) continue;
      SplitDomain(state, variable);
      return true;
    }
  }
  return false;
}

void Search::SplitWindow(const SearchState& state, uint32_t variable) {
  const Domain& domain = state.domains[variable];
  Domain near = domain;
  Domain far = domain;
  if (domain.lower == kMinusInfinity && domain.upper == kPlusInfinity) {
    near.RestrictLower(0);
    far.RestrictUpper(-1);
  } else {
    const bool is_upwards = domain.upper == kPlusInfinity;
    const int64_t end = is_upwards ? domain.lower : domain.upper;
    if (is_upwards ? end >= kFarOut : end <= -kFarOut) {
      is_complete_ = false;
      return;
    }
    const int64_t window = std::max<int64_t>(kSmallestWindow, std::abs(end));
    if (is_upwards) {
      near.RestrictUpper(end + window);
      far.RestrictLower(end + window + 1);
    } else {
      near.RestrictLower(end - window);
      far.RestrictUpper(end - window - 1);
    }
  }
  stack_.push_back({state, Branch::Kind::kDomain, variable, far});
  stack_.push_back({state, Branch::Kind::kDomain, variable, near});
}

void Search::SplitDomain(const SearchState& state, uint32_t variable) {
  const Domain& domain = state.domains[variable];
  if (domain.Count() <= kValuesToTry) {
    for (Wide value = domain.upper; value >= domain.lower; value -= domain.modulus) {
      stack_.push_back(
          {state, Branch::Kind::kDomain, variable, Domain::Of(static_cast<int64_t>(value))});
    }
    return;
  }
  const Wide middle = FloorDivide(static_cast<Wide>(domain.lower) + domain.upper, 2);
  Domain below = domain;
  Domain above = domain;
  below.RestrictUpper(middle);
  above.RestrictLower(middle + 1);
  stack_.push_back({state, Branch::Kind::kDomain, variable, above});
  stack_.push_back({state, Branch::Kind::kDomain, variable, below});
}

bool Search::Dive(SearchState state) {
  while (true) {
    const std::vector<uint32_t> open = OpenSymbols(state);
    if (open.empty()) return Verify(state);
    const uint32_t symbol = *std::min_element(open.begin(), open.end(), [&](auto a, auto b) {
      return state.domains[a].Count() < state.domains[b].Count();
    });
    const Domain domain = state.domains[symbol];
    const int64_t smallest = domain.Smallest();
    const Wide next = static_cast<Wide>(smallest) +
                      (smallest < 0 || domain.upper <= smallest ? -domain.modulus : domain.modulus);
    bool is_fixed = false;
    const Wide ends[] = {smallest, domain.upper};
    const bool is_high = preference_ == Preference::kHigh;
    for (const Wide candidate : {ends[is_high ? 1 : 0], next, ends[is_high ? 0 : 1]}) {
      const auto value = Narrow(candidate);
      if (!value || !domain.Contains(*value)) continue;
      budget_.Spend(Budget::kRunsPerStep);
      SearchState fixed = state;
      fixed.domains[symbol] = Domain::Of(*value);
      propagation_.Touch(symbol);
      if (!propagation_.Run(fixed)) continue;
      state = std::move(fixed);
      is_fixed = true;
      break;
    }
    if (!is_fixed || budget_.IsSpent()) return false;
  }
}

std::vector<uint32_t> Search::OpenSymbols(const SearchState& state) const {
  std::vector<uint32_t> open;
  for (uint32_t symbol = 0; symbol < model_.num_symbols(); ++symbol) {
    if (state.domains[symbol].IsFixed()) continue;
    const std::span<const uint32_t> watchers = model_.WatchersOf(symbol);
    bool matters = std::any_of(watchers.begin(), watchers.end(),
                               [&](uint32_t watcher) { return state.IsActive(watcher); });
    for (size_t i = 0; i < state.pending.size() && !matters; ++i) {
      const std::vector<uint32_t>& symbols = model_.SymbolsOfFormula(state.pending[i]);
      matters = std::binary_search(symbols.begin(), symbols.end(), symbol);
    }
    if (matters) open.push_back(symbol);
  }
  return open;
}

std::optional<int64_t> Search::AnyValue(const SearchState& state, uint32_t variable) const {
  const Domain& domain = state.domains[variable];
  const bool is_excluded = exclusion_.values != nullptr && exclusion_.variable == variable;
  const auto fits = [&](int64_t value) {
    return domain.Contains(value) && !(is_excluded && exclusion_.values->Contains(value));
  };
  if (fits(domain.Smallest())) return domain.Smallest();
  if (fits(domain.lower) && domain.lower != kMinusInfinity) return domain.lower;
  if (fits(domain.upper) && domain.upper != kPlusInfinity) return domain.upper;
  // Skip an interval within the exclusion at once.
  const Segment* segment = is_excluded ? exclusion_.values->SegmentAt(domain.Smallest()) : nullptr;
  for (int64_t step = 1; step <= kNearZero && segment != nullptr; ++step) {
    const Wide sides[] = {static_cast<Wide>(segment->upper) + step,
                          static_cast<Wide>(segment->lower) - step};
    for (const Wide side : sides) {
      const auto value = Narrow(side);
      if (value && fits(*value)) return value;
    }
  }
  return std::nullopt;
}

bool Search::Verify(const SearchState& state) {
  point_.clear();
  for (uint32_t symbol = 0; symbol < model_.num_symbols(); ++symbol) {
    const auto value = AnyValue(state, symbol);
    if (!value) {
      is_complete_ = false;
      return false;
    }
    point_.push_back(*value);
  }
  evaluator_.MoveTo(point_);
  for (const size_t constraint : constraints_) {
    const Truth truth = evaluator_.Holds(model_.constraint(constraint));
    if (truth == Truth::kUnknown) is_complete_ = false;
    if (truth != Truth::kTrue) return false;
  }
  return true;
}

PointEvaluator::PointEvaluator(const Model& model)
    : model_(model),
      values_(model.variables().size()),
      states_(model.variables().size(), State::kUndefined) {}

void PointEvaluator::Set(uint32_t variable, std::optional<Wide> value) {
  const auto narrow = value ? Narrow(*value) : std::nullopt;
  states_[variable] = narrow ? State::kValue : State::kTooLarge;
  if (narrow) values_[variable] = *narrow;
}

// One undefined operand makes all undefined.
PointEvaluator::State PointEvaluator::StateOf(std::span<const uint32_t> variables) const {
  State state = State::kValue;
  for (const uint32_t variable : variables) {
    if (states_[variable] == State::kUndefined) return State::kUndefined;
    if (states_[variable] == State::kTooLarge) state = State::kTooLarge;
  }
  return state;
}

PointEvaluator::State PointEvaluator::Evaluate(const LinearForm& form, Wide& sum) const {
  sum = form.constant;
  State state = State::kValue;
  for (const Term& term : form.terms) {
    const State part = states_[term.variable];
    if (part == State::kUndefined) return part;
    if (part == State::kTooLarge) state = part;
    sum += static_cast<Wide>(values_[term.variable]) * term.coefficient;
  }
  return state;
}

void PointEvaluator::MoveTo(std::span<const int64_t> point) {
  assert(point.size() == model_.num_symbols());
  for (uint32_t i = 0; i < point.size(); ++i) Set(i, point[i]);
  for (const Definition& definition : model_.definitions()) {
    Wide left = 0;
    Wide right = definition.divisor;
    State state = State::kValue;
    switch (definition.kind) {
      case Definition::Kind::kLinear:
      case Definition::Kind::kDivideConstant:
        state = Evaluate(definition.form, left);
        break;
      case Definition::Kind::kProduct:
      case Definition::Kind::kDivide: {
        const uint32_t operands[] = {definition.left, definition.right};
        state = StateOf(operands);
        left = values_[definition.left];
        right = values_[definition.right];
        break;
      }
      case Definition::Kind::kMinimum:
      case Definition::Kind::kMaximum: {
        state = StateOf(definition.operands);
        left = values_[definition.operands[0]];
        for (const uint32_t operand : definition.operands) {
          const Wide value = values_[operand];
          left = definition.kind == Definition::Kind::kMinimum ? std::min(left, value)
                                                               : std::max(left, value);
        }
        break;
      }
    }
    const bool divides = definition.IsDivision();
    if (divides && state == State::kValue && right == 0) state = State::kUndefined;
    if (state != State::kValue) {
      states_[definition.result] = state;
      if (divides) states_[definition.remainder] = state;
    } else if (divides) {
      Set(definition.result, FloorDivide(left, right));
      Set(definition.remainder, FloorModulo(left, right));
    } else {
      Set(definition.result, definition.kind == Definition::Kind::kProduct ? left * right : left);
    }
  }
}

Truth PointEvaluator::Holds(uint32_t index) const {
  const Formula& formula = model_.formulas()[index];
  if (formula.kind == Formula::Kind::kComparison) {
    const Propagator& propagator = model_.propagators()[formula.propagator];
    Wide sum = 0;
    const State state = Evaluate(propagator.form, sum);
    if (state != State::kValue) return state == State::kUndefined ? Truth::kFalse : Truth::kUnknown;
    const bool holds = propagator.relation == Relation::kEqual      ? sum == 0
                       : propagator.relation == Relation::kNotEqual ? sum != 0
                                                                    : sum <= 0;
    return holds ? Truth::kTrue : Truth::kFalse;
  }
  return JudgeJunction(formula, [&](uint32_t child) { return Holds(child); });
}

}  // namespace shapewise::constraints
