#include "ingest/debug_folder.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace shapewise {
namespace {

std::string_view FileName(std::string_view path) {
  const size_t slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// Whether two graphs have the same nodes. Functions may be spelled with less in one than in
/// another; names of values are the same in all.
bool IsSameGraph(const GraphModel& a, const GraphModel& b) {
  if (a.nodes.size() != b.nodes.size() || a.is_cut || b.is_cut) return false;
  for (size_t i = 0; i < a.nodes.size(); ++i) {
    const GraphNode& left = a.nodes[i];
    const GraphNode& right = b.nodes[i];
    if (left.kind != right.kind || left.target != right.target) return false;
    if (left.num_values != right.num_values) return false;
    for (uint32_t v = 0; v < left.num_values; ++v) {
      if (a.values[left.first_value + v].name != b.values[right.first_value + v].name) return false;
    }
  }
  return true;
}

/// Whether `type` says all that `other` does, and more.
bool SaysMore(const ValueType& type, const ValueType& other) {
  if (type.kind != other.kind || type.shape != other.shape) return false;
  return (type.has_stride && !other.has_stride) ||
         (type.device != StrId::kNone && other.device == StrId::kNone);
}

void GiveWhatIsNew(const GraphSet& graphs, const GraphModel& from, GraphModel& to) {
  for (size_t i = 0; i < to.values.size(); ++i) {
    const uint32_t type = from.values[i].type;
    uint32_t& kept = to.values[i].type;
    if (type == kNoIndex) continue;
    if (kept == kNoIndex || SaysMore(graphs.types[type], graphs.types[kept])) kept = type;
  }
  if (to.torch_version == StrId::kNone) to.torch_version = from.torch_version;
  for (GraphSymbol& symbol : to.symbols) {
    const auto told = llvm::find_if(
        from.symbols, [&](const GraphSymbol& other) { return other.symbol == symbol.symbol; });
    if (told == from.symbols.end()) continue;
    if (!symbol.hint) symbol.hint = told->hint;
    if (!symbol.has_range && told->has_range) {
      symbol.has_range = true;
      symbol.lower = told->lower;
      symbol.upper = told->upper;
    }
  }
  if (to.symbols.empty()) to.symbols = from.symbols;
}

/// Removes the graphs that `is_gone` marks; the others keep their order.
void RemoveGraphs(GraphSet& graphs, const std::vector<bool>& is_gone) {
  std::vector<uint32_t> new_index(graphs.graphs.size());
  uint32_t next = 0;
  for (size_t i = 0; i < is_gone.size(); ++i) {
    new_index[i] = next;
    if (is_gone[i]) continue;
    if (next != i) graphs.graphs[next] = std::move(graphs.graphs[i]);
    ++next;
  }
  graphs.graphs.resize(next);
  for (GraphModel& graph : graphs.graphs) {
    for (uint32_t& subgraph : graph.subgraphs) subgraph = new_index[subgraph];
  }
}

}  // namespace

bool HoldsNoGraph(std::string_view name) {
  const std::string_view file = FileName(name);
  constexpr std::string_view kFiles[] = {"output_code.py", "compile.prof"};
  if (std::find(std::begin(kFiles), std::end(kFiles), file) != std::end(kFiles)) return true;
  return file.starts_with("ir_p") || file.ends_with("debug.log") || file.ends_with(".svg") ||
         file.starts_with("inductor_provenance_") ||
         file.starts_with("inductor_triton_kernel_to_post_grad");
}

void JoinDebugFolders(GraphSet& graphs, size_t first_input) {
  // Graphs of one folder that may be the same, by folder.
  llvm::StringMap<std::vector<uint32_t>> by_folder;
  std::vector<bool> is_gone(graphs.graphs.size(), false);
  bool is_any_gone = false;
  for (size_t i = 0; i < graphs.graphs.size(); ++i) {
    const GraphModel& graph = graphs.graphs[i];
    if (graph.input < first_input) continue;
    const std::string_view path = graphs.inputs[graph.input].name;
    const std::string_view file = FileName(path);
    if (!file.starts_with("fx_graph_")) continue;
    const std::string_view folder = path.substr(0, path.size() - file.size());
    std::vector<uint32_t>& kept = by_folder[llvm::StringRef(folder.data(), folder.size())];
    const auto same = llvm::find_if(kept, [&](uint32_t other) {
      // Two graphs of one file are two.
      return graphs.graphs[other].input != graph.input && IsSameGraph(graphs.graphs[other], graph);
    });
    if (same == kept.end()) {
      kept.push_back(static_cast<uint32_t>(i));
      continue;
    }
    GiveWhatIsNew(graphs, graph, graphs.graphs[*same]);
    is_gone[i] = true;
    is_any_gone = true;
  }
  if (!is_any_gone) return;
  // A graph that stays refers to its own copies of the graphs below it.
  for (size_t i = 0; i < graphs.graphs.size(); ++i) {
    if (is_gone[i]) continue;
    for (const uint32_t subgraph : graphs.graphs[i].subgraphs) is_gone[subgraph] = false;
  }
  RemoveGraphs(graphs, is_gone);
}

}  // namespace shapewise
