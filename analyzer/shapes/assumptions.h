// Finds out which inputs, padded with which values, make a padded graph correct.

#ifndef SHAPEWISE_SHAPES_ASSUMPTIONS_H_
#define SHAPEWISE_SHAPES_ASSUMPTIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "shapes/propagation.h"

namespace shapewise {

/// The state of the outputs of a graph after the last pass.
struct Outcome {
  Quality quality = Quality::kRight;
  PaddingCause cause;  ///< for the worst output, the earliest in the graph; none if all are right
};

Outcome OutcomeOf(const Propagation& propagation);

/// The result of a search for assumptions.
struct FoundAssumptions {
  /// The smallest known set that makes all outputs right; absent: none was found.
  std::optional<std::vector<Assumption>> right;
  /// Whether real results change under every possible assumption.
  bool is_shown_unsafe = false;
  /// Otherwise the first assumption under which that is unknown, and why. Without a node: not all
  /// were tried.
  std::vector<Assumption> doubtful;
  PaddingCause doubt;
};

/// Tries assumptions for a graph whose outcome without assumptions is `without`. Leaves the
/// propagation in the state of a correct set, or of the last attempt.
FoundAssumptions FindAssumptions(Propagation& propagation, ExprId symbol, const Outcome& without);

/// "mask: False at padded positions".
std::string AssumptionText(const Propagation& propagation, const Assumption& assumption);

}  // namespace shapewise

#endif  // SHAPEWISE_SHAPES_ASSUMPTIONS_H_
