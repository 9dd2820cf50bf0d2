#include "report/graph_writers.h"

#include <algorithm>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace shapewise {
namespace {

bool IsCall(NodeKind kind) {
  return kind == NodeKind::kCallFunction || kind == NodeKind::kCallMethod ||
         kind == NodeKind::kCallModule || kind == NodeKind::kOperator;
}

}  // namespace

std::vector<std::pair<std::string_view, size_t>> CountOperators(const GraphSet& graphs,
                                                                const GraphModel& graph) {
  llvm::DenseMap<uint32_t, size_t> counts;
  for (const GraphNode& node : graph.nodes) {
    if (IsCall(node.kind)) ++counts[static_cast<uint32_t>(node.target)];
  }
  std::vector<std::pair<std::string_view, size_t>> operators;
  operators.reserve(counts.size());
  for (const auto& [target, count] : counts) {
    operators.emplace_back(graphs.strings.text(static_cast<StrId>(target)), count);
  }
  llvm::sort(operators);
  return operators;
}

const ValueType* TypeOfValue(const GraphSet& graphs, const GraphModel& graph, uint32_t value) {
  const uint32_t type = graph.values[value].type;
  return type == kNoIndex ? nullptr : &graphs.types[type];
}

const ValueType* TypeOfNode(const GraphSet& graphs, const GraphModel& graph, uint32_t node) {
  const GraphNode& made_by = graph.nodes[node];
  return made_by.num_values == 0 ? nullptr : TypeOfValue(graphs, graph, made_by.first_value);
}

std::string_view NameOfNode(const GraphSet& graphs, const GraphModel& graph, uint32_t node) {
  const GraphNode& named = graph.nodes[node];
  return graphs.strings.text(named.num_values == 0 ? named.target
                                                   : graph.values[named.first_value].name);
}

std::span<const GraphFormat> GraphFormats() {
  static constexpr auto formats =
      DocumentFormats<GraphSet, std::vector<GraphReport>>::FormatsOf<DescribeGraphs>(
          GraphFormat{"json", WriteGraphJson}, GraphFormat{"program", WriteGraphProgram});
  return formats;
}

}  // namespace shapewise
