// All values that one variable has in some solution.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_PROJECTION_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_PROJECTION_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "symbolic/constraint_propagation.h"
#include "symbolic/constraint_values.h"

namespace shapewise::constraints {

struct Projection {
  bool is_exact = false;  ///< `values` are all of them; else those that were found in time
  ValueSet values;
  Domain hull;  ///< no value lies outside
};

/// What the constraints of these indices leave of a symbol of the model.
Projection Project(const Model& model, std::span<const size_t> constraints, uint32_t variable,
                   Budget& budget);

}  // namespace shapewise::constraints

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_PROJECTION_H_
