// Finds contradictions between linear comparisons by elimination.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_LINEAR_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_LINEAR_H_

#include "symbolic/constraint_propagation.h"

namespace shapewise::constraints {

/// Whether the active linear propagators and the bounds of `state` were proven inconsistent:
/// Fourier-Motzkin elimination, equalities first, constants rounded for integers. False proves
/// nothing. Finds contradictions for which narrowing would not terminate (a < b and b < a without
/// bounds).
bool IsLinearlyRefuted(const Model& model, const SearchState& state, Budget& budget);

}  // namespace shapewise::constraints

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_LINEAR_H_
