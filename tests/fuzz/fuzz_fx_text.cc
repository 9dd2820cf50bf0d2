// Fuzzes the readers of printed graphs, alone, in logs and in traces, and what is concluded from
// what they read. The law: indices of a graph stay inside of its vectors, every symbol gets a
// verdict, and nothing crashes, hangs or grows without bound.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ingest/graph_reader.h"
#include "shapes/padding.h"
#include "support/graph_indices.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  shapewise::GraphSet graphs;
  shapewise::ReadGraphsFromBytes("fuzz.txt", text, graphs);
  if (!shapewise::IndicesHold(graphs)) std::abort();
  for (size_t graph = 0; graph < graphs.graphs.size(); ++graph) {
    const shapewise::GraphReport report = shapewise::AnalyzePadding(graphs, graph);
    if (report.padding.size() != graphs.graphs[graph].symbols.size()) std::abort();
  }
  return 0;
}
