// The steps of padding.cc: calls inlined, assumptions that make a padded graph correct.

#ifndef SHAPEWISE_SHAPES_ASSUMPTIONS_H_
#define SHAPEWISE_SHAPES_ASSUMPTIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "model/graph_model.h"
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
  /// The assumptions under which most of the graph is right, and what is wrong then.
  std::vector<Assumption> best;
  PaddingCause obstacle;
};

/// Tries assumptions for a graph whose outcome without assumptions is `without`. Leaves the
/// propagation in the state of a correct set, or of the last attempt.
FoundAssumptions FindAssumptions(Propagation& propagation, ExprId symbol, const Outcome& without);

/// "mask: False at padded positions".
std::string AssumptionText(const Propagation& propagation, const Assumption& assumption);

/// A graph in which nodes of other graphs stand in the place of calls.
struct InlinedGraph {
  GraphModel graph;
  std::vector<uint32_t> callees;  ///< whose nodes these are: into GraphSet::graphs, each once
};

/// `graph` (one of `graphs`) with the bodies of higher-order operators that only call one with
/// their arguments: wrap_with_set_grad_enabled, wrap_with_autocast, checkpoints, invoke_subgraph.
/// Calls of another form, and those of cond and loops, stay. Absent: there is nothing to put in
/// place, or the result would be too large.
std::optional<InlinedGraph> InlineCalls(const GraphSet& graphs, size_t graph);

}  // namespace shapewise

#endif  // SHAPEWISE_SHAPES_ASSUMPTIONS_H_
