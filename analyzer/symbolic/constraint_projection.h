// Computes all values of one variable in solutions.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_PROJECTION_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_PROJECTION_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "symbolic/constraint_propagation.h"
#include "symbolic/constraint_values.h"

namespace shapewise::constraints {

struct Projection {
  bool is_exact = false;  ///< `values` is complete; else it contains those found in time
  ValueSet values;
  Domain hull;  ///< superset of all values
};

/// The values that these constraints allow for a symbol of the model.
Projection Project(const Model& model, std::span<const size_t> constraints, uint32_t variable,
                   Budget& budget);

}  // namespace shapewise::constraints

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_PROJECTION_H_
