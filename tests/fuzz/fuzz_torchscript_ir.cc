// Fuzzes the readers of TorchScript's IR and code, and what is concluded from what they read. The
// law: nodes, values and arguments refer to each other within their graph; nothing crashes, hangs
// or grows without bound.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ingest/graph_reader.h"
#include "shapes/padding.h"
#include "support/graph_indices.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const std::string_view head :
       {"graph(%x : Tensor):\n", "def forward(self,\n    x: Tensor) -> Tensor:\n"}) {
    shapewise::GraphSet graphs;
    shapewise::ReadGraphsFromBytes("fuzz.txt", std::string(head) + std::string(bytes), graphs);
    if (!shapewise::IndicesHold(graphs)) std::abort();
    for (size_t graph = 0; graph < graphs.graphs.size(); ++graph) {
      shapewise::AnalyzePadding(graphs, graph);
    }
  }
  return 0;
}
