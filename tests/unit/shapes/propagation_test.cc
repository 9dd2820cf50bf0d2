// Shapes that are worked out against those that PyTorch printed.

#include "shapes/propagation.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "ingest/graph_reader.h"
#include "shapes/padding.h"
#include "support/catch.h"
#include "support/source_dir.h"
#include "unit/shapes/graph_text.h"

namespace shapewise {
namespace {

// Sizes are equal if they are for all of some values: PyTorch may write one in another way.
bool IsSameSize(const ExprPool& pool, ExprId a, ExprId b) {
  if (a == b) return true;
  for (const int64_t sample : {8, 12, 30, 64}) {
    const auto value_of = [sample](ExprId) { return std::optional<int64_t>(sample); };
    const auto left = pool.Evaluate(a, value_of);
    const auto right = pool.Evaluate(b, value_of);
    if (!left || !right || *left != *right) return false;
  }
  return true;
}

TEST_CASE("shapes worked out are those that Dynamo printed", "[propagation]") {
  std::ifstream file(SourceDir() + "/tests/unit/shapes/models.txt");
  std::stringstream text;
  text << file.rdbuf();
  GraphSet graphs;
  REQUIRE(ReadGraphsFromBytes("models.txt", text.str(), graphs).empty());
  REQUIRE(graphs.graphs.size() >= 90);
  size_t compared = 0;
  size_t equal = 0;
  for (const GraphModel& graph : graphs.graphs) {
    const Propagation propagation(graphs, graph, false);
    for (uint32_t value = 0; value < graph.values.size(); ++value) {
      const GraphNode& node = graph.nodes[graph.values[value].node];
      const uint32_t type = graph.values[value].type;
      if (node.kind == NodeKind::kPlaceholder || type == kNoIndex ||
          !graphs.types[type].has_shape ||
          propagation.RuleOf(graph.values[value].node) == nullptr) {
        continue;
      }
      ++compared;
      const auto shape = propagation.ShapeOf(value);
      const std::vector<ExprId> printed = graphs.types[type].shape;
      const bool is_equal = shape && std::ranges::equal(*shape, printed, [&](ExprId a, ExprId b) {
                              return IsSameSize(graphs.expressions, a, b);
                            });
      equal += is_equal ? 1 : 0;
      if (!is_equal) {
        std::string reported;
        for (const ExprId size : printed) reported += graphs.expressions.ToText(size) + " ";
        reported += "but";
        for (const ExprId size : shape.value_or(std::vector<ExprId>())) {
          reported += " " + graphs.expressions.ToText(size);
        }
        UNSCOPED_INFO(graphs.strings.text(node.target)
                      << " line " << node.line << ": " << reported);
      }
    }
  }
  INFO(equal << " of " << compared);
  CHECK(compared >= 480);
  CHECK(equal * 100 >= compared * 99);
}

TEST_CASE("a graph of many nodes is analysed in linear time", "[propagation]") {
  std::string body;
  for (int i = 1; i <= 5000; ++i) {
    const std::string last = "x" + std::to_string(i - 1);
    body += "x" + std::to_string(i) + ": \"f32[2, s0, 16]\" = torch.ops.aten.mul.Tensor(" + last +
            ", " + last + ")\n";
  }
  CHECK(PaddingOf("x0: \"f32[2, s0, 16]\"", body, "x5000") == "safe");
}

}  // namespace
}  // namespace shapewise
