// Fuzzes the readers of TorchScript's IR and code. The law: nodes, values and arguments refer to
// each other within their graph; nothing crashes, hangs or grows without bound.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "shapewise/ingest/graph_reader.h"

namespace {

void CheckGraph(const shapewise::GraphModel& graph) {
  using Kind = shapewise::Argument::Kind;
  for (const shapewise::GraphNode& node : graph.nodes) {
    if (node.first_value + node.num_values > graph.values.size()) std::abort();
    if (node.first_argument + node.num_arguments > graph.arguments.size()) std::abort();
  }
  for (const shapewise::GraphValue& value : graph.values) {
    if (value.node >= graph.nodes.size()) std::abort();
  }
  for (const shapewise::Argument& argument : graph.arguments) {
    if (argument.kind == Kind::kValue && argument.index >= graph.values.size()) std::abort();
    if (argument.first_child + argument.num_children > graph.arguments.size()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const std::string_view head :
       {"graph(%x : Tensor):\n", "def forward(self,\n    x: Tensor) -> Tensor:\n"}) {
    shapewise::GraphSet graphs;
    shapewise::ReadGraphsFromBytes("fuzz.txt", std::string(head) + std::string(bytes), graphs);
    for (const shapewise::GraphModel& graph : graphs.graphs) CheckGraph(graph);
  }
  return 0;
}
