#include "unit/shapes/graph_text.h"

#include "ingest/graph_reader.h"
#include "shapes/padding.h"
#include "support/catch.h"

namespace shapewise {

std::string GraphText(std::string_view inputs, std::string_view body, std::string_view result) {
  std::string text = "class GraphModule(torch.nn.Module):\n    def forward(self, ";
  text += inputs;
  text += "):\n";
  while (!body.empty()) {
    const size_t end = body.find('\n');
    std::string_view line = body.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (!line.empty()) text += "        " + std::string(line) + "\n";
    body.remove_prefix(end == std::string_view::npos ? body.size() : end + 1);
  }
  text += "        return (" + std::string(result) + ",)\n";
  return text;
}

std::string PaddingOf(std::string_view inputs, std::string_view body, std::string_view result) {
  GraphSet graphs;
  const std::string text = GraphText(inputs, body, result);
  CHECK(ReadGraphsFromBytes("graph.txt", text, graphs).empty());
  REQUIRE(graphs.graphs.size() == 1);
  const GraphReport report = AnalyzePadding(graphs, 0);
  REQUIRE(!report.padding.empty());
  std::string reported(PaddingVerdictName(report.padding[0].verdict));
  for (const PaddingReason& reason : report.padding[0].because) {
    reported += "\n" + reason.node + ": " + reason.why;
  }
  return reported;
}

}  // namespace shapewise
