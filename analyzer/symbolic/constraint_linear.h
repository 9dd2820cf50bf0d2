// Contradictions between linear comparisons that hold together, found by elimination.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_LINEAR_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_LINEAR_H_

#include "symbolic/constraint_propagation.h"

namespace shapewise::constraints {

/// Whether the active linear propagators and the bounds of `state` were shown to have no solution
/// together: Fourier-Motzkin elimination, equalities solved first, constants rounded for integers.
/// False says nothing. Finds what narrowing would take forever to find (a < b and b < a without
/// bounds).
bool IsLinearlyRefuted(const Model& model, const SearchState& state, Budget& budget);

}  // namespace shapewise::constraints

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_LINEAR_H_
