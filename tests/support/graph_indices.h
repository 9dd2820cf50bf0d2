// Invariants of every graph that was read, however damaged its dump was.

#ifndef SHAPEWISE_TESTS_SUPPORT_GRAPH_INDICES_H_
#define SHAPEWISE_TESTS_SUPPORT_GRAPH_INDICES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "model/graph_model.h"

namespace shapewise {

/// Whether everything that one part of `graph` says of another lies inside of its vectors.
inline bool IndicesHold(const GraphSet& graphs, const GraphModel& graph) {
  const size_t num_values = graph.values.size();
  const size_t num_arguments = graph.arguments.size();
  return std::all_of(graph.nodes.begin(), graph.nodes.end(),
                     [&](const GraphNode& node) {
                       return node.first_value + size_t{node.num_values} <= num_values &&
                              node.first_argument + size_t{node.num_arguments} <= num_arguments;
                     }) &&
         std::all_of(graph.values.begin(), graph.values.end(),
                     [&](const GraphValue& value) {
                       return value.node < graph.nodes.size() &&
                              (value.type == kNoIndex || value.type < graphs.types.size());
                     }) &&
         std::all_of(graph.arguments.begin(), graph.arguments.end(),
                     [&](const Argument& argument) {
                       const bool is_value = argument.kind == Argument::Kind::kValue;
                       return (!is_value || argument.index < num_values) &&
                              argument.first_child + size_t{argument.num_children} <= num_arguments;
                     }) &&
         std::all_of(graph.placeholders.begin(), graph.placeholders.end(),
                     [&](const Placeholder& one) { return one.node < graph.nodes.size(); }) &&
         std::all_of(graph.outputs.begin(), graph.outputs.end(),
                     [&](uint32_t output) { return output < num_values; }) &&
         std::all_of(graph.subgraphs.begin(), graph.subgraphs.end(),
                     [&](uint32_t subgraph) { return subgraph < graphs.graphs.size(); });
}

inline bool IndicesHold(const GraphSet& graphs) {
  return std::all_of(graphs.graphs.begin(), graphs.graphs.end(),
                     [&](const GraphModel& graph) { return IndicesHold(graphs, graph); });
}

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_SUPPORT_GRAPH_INDICES_H_
