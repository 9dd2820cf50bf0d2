// Graphs that call others: the bodies put in the place of the calls.

#ifndef SHAPEWISE_SHAPES_INLINE_CALLS_H_
#define SHAPEWISE_SHAPES_INLINE_CALLS_H_

#include <optional>
#include <vector>

#include "shapewise/model/graph_model.h"

namespace shapewise {

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

#endif  // SHAPEWISE_SHAPES_INLINE_CALLS_H_
