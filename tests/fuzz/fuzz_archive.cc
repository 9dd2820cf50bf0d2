// Fuzzes what stands in archives: exported programs, and the code and objects of TorchScript. The
// archive around them is honest, so that all work goes into its members. The law: nodes, values and
// arguments refer to each other within their graph; nothing crashes, hangs or grows without bound.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ingest/graph_reader.h"
#include "shapes/padding.h"
#include "support/graph_indices.h"
#include "support/zip_builder.h"

namespace {

std::string BuildArchive(std::string_view bytes) {
  if (bytes.starts_with("{")) {
    return shapewise::BuildZip({{.name = "m/models/model.json", .text = std::string(bytes)}});
  }
  // Two bytes say how many of the others are data.pkl; the rest is code.
  size_t pickle_size = 0;
  for (size_t i = 0; i < 2 && !bytes.empty(); ++i) {
    pickle_size = pickle_size << 8 | static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
  }
  const std::string pickle(bytes.substr(0, pickle_size));
  const std::string code(bytes.substr(std::min(bytes.size(), pickle_size)));
  return shapewise::BuildZip({{.name = "m/code/__torch__.py", .text = code},
                              {.name = "m/constants.pkl", .text = pickle},
                              {.name = "m/data.pkl", .text = pickle}});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string archive =
      BuildArchive(std::string_view(reinterpret_cast<const char*>(data), size));
  shapewise::GraphSet graphs;
  shapewise::ReadGraphsFromBytes("fuzz.pt2", archive, graphs);
  if (!shapewise::IndicesHold(graphs)) std::abort();
  for (size_t graph = 0; graph < graphs.graphs.size(); ++graph) {
    shapewise::AnalyzePadding(graphs, graph);
  }
  return 0;
}
