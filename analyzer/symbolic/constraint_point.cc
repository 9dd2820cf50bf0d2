#include "symbolic/constraint_search.h"

#include <algorithm>
#include <cassert>

namespace shapewise::constraints {

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

void PointEvaluator::MoveTo(std::span<const int64_t> point) {
  assert(point.size() == model_.num_symbols());
  for (uint32_t i = 0; i < point.size(); ++i) Set(i, point[i]);
  const auto evaluate = [&](const LinearForm& form, Wide& sum) {
    sum = form.constant;
    State state = State::kValue;
    for (const Term& term : form.terms) {
      const State part = StateOf({&term.variable, 1});
      if (part == State::kUndefined) return part;
      if (part == State::kTooLarge) state = part;
      sum += static_cast<Wide>(values_[term.variable]) * term.coefficient;
    }
    return state;
  };
  for (const Definition& definition : model_.definitions()) {
    Wide left = 0;
    Wide right = definition.divisor;
    State state = State::kValue;
    switch (definition.kind) {
      case Definition::Kind::kLinear:
      case Definition::Kind::kDivideConstant:
        state = evaluate(definition.form, left);
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
    const bool divides = definition.kind == Definition::Kind::kDivideConstant ||
                         definition.kind == Definition::Kind::kDivide;
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
    Wide sum = propagator.form.constant;
    bool fits = true;
    for (const Term& term : propagator.form.terms) {
      if (states_[term.variable] == State::kUndefined) return Truth::kFalse;
      fits &= states_[term.variable] == State::kValue;
      sum += static_cast<Wide>(values_[term.variable]) * term.coefficient;
    }
    if (!fits) return Truth::kUnknown;
    const bool holds = propagator.relation == Relation::kEqual      ? sum == 0
                       : propagator.relation == Relation::kNotEqual ? sum != 0
                                                                    : sum <= 0;
    return holds ? Truth::kTrue : Truth::kFalse;
  }
  const bool is_or = formula.kind == Formula::Kind::kOr;
  const Truth decisive = is_or ? Truth::kTrue : Truth::kFalse;
  Truth all = is_or ? Truth::kFalse : Truth::kTrue;
  for (const uint32_t child : formula.children) {
    const Truth truth = Holds(child);
    if (truth == decisive) return decisive;
    if (truth == Truth::kUnknown) all = Truth::kUnknown;
  }
  return all;
}

}  // namespace shapewise::constraints
