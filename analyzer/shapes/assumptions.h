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

/// What a search for assumptions found.
struct FoundAssumptions {
  /// The fewest that were found to make all outputs right; absent: none were found.
  std::optional<std::vector<Assumption>> right;
  /// Whether real results change under each one that there is to try.
  bool is_shown_unsafe = false;
  /// Otherwise the first under which that is not known, and why. Without a node: not all were
  /// tried.
  std::vector<Assumption> doubtful;
  PaddingCause doubt;
};

/// Tries assumptions for a graph whose outcome is `without`, without assumptions. Leaves the
/// propagation as it is under those that are right, or as it last tried.
FoundAssumptions FindAssumptions(Propagation& propagation, ExprId symbol, const Outcome& without);

/// "mask: False at padded positions".
std::string AssumptionText(const Propagation& propagation, const Assumption& assumption);

}  // namespace shapewise

#endif  // SHAPEWISE_SHAPES_ASSUMPTIONS_H_
