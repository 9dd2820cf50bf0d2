// Which inputs, extended with which values, make a padded graph right.

#ifndef SHAPEWISE_SHAPES_ASSUMPTIONS_H_
#define SHAPEWISE_SHAPES_ASSUMPTIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "shapes/propagation.h"

namespace shapewise {

/// How the outputs of a graph fare in the last pass.
struct Outcome {
  Quality quality = Quality::kRight;
  PaddingCause cause;  ///< of the worst output, the earliest in the graph; none if all are right
};

Outcome OutcomeOf(const Propagation& propagation);

/// The fewest assumptions that were found to make all outputs right; absent: none were found.
/// Leaves the propagation as it is under them, or as it last tried.
std::optional<std::vector<Assumption>> FindAssumptions(Propagation& propagation, ExprId symbol,
                                                       const Outcome& without);

/// "mask: False at padded positions".
std::string AssumptionText(const Propagation& propagation, const Assumption& assumption);

}  // namespace shapewise

#endif  // SHAPEWISE_SHAPES_ASSUMPTIONS_H_
