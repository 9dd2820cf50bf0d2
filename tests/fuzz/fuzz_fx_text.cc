// Fuzzes the readers of printed graphs, alone, in logs and in traces. The law: indices of a graph
// stay inside of its vectors, and nothing crashes, hangs or grows without bound.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "shapewise/ingest/graph_reader.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

void CheckGraph(const shapewise::GraphSet& graphs, const shapewise::GraphModel& graph) {
  using shapewise::kNoIndex;
  for (const shapewise::GraphNode& node : graph.nodes) {
    Require(node.first_value + size_t{node.num_values} <= graph.values.size());
    Require(node.first_argument + size_t{node.num_arguments} <= graph.arguments.size());
  }
  for (const shapewise::GraphValue& value : graph.values) {
    Require(value.node < graph.nodes.size());
    Require(value.type == kNoIndex || value.type < graphs.types.size());
  }
  for (const shapewise::Argument& argument : graph.arguments) {
    Require(argument.first_child + size_t{argument.num_children} <= graph.arguments.size());
    if (argument.kind == shapewise::Argument::Kind::kValue) {
      Require(argument.index < graph.values.size());
    }
  }
  for (const uint32_t output : graph.outputs) Require(output < graph.values.size());
  for (const uint32_t subgraph : graph.subgraphs) Require(subgraph < graphs.graphs.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  shapewise::GraphSet graphs;
  shapewise::ReadGraphsFromBytes("fuzz.txt", text, graphs);
  for (const shapewise::GraphModel& graph : graphs.graphs) CheckGraph(graphs, graph);
  return 0;
}
