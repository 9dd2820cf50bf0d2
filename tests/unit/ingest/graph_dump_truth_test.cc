// The dumps of corpora/dumps against what the live graphs held when they were printed.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/graph_reader.h"
#include "support/catch.h"
#include "support/source_dir.h"

namespace shapewise {
namespace {

using nlohmann::json;

std::filesystem::path DumpsFolder() {
  return std::filesystem::path(SourceDir()) / "corpora" / "dumps";
}

std::string FileText(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Rows of an INDEX.jsonl whose dumps are torch.fx text with a file of expected values next to
/// them.
std::vector<json> Rows(const std::filesystem::path& folder) {
  std::vector<json> rows;
  std::ifstream index(folder / "INDEX.jsonl");
  for (std::string line; std::getline(index, line);) {
    json row = json::parse(line);
    const std::string file = row["file"];
    const bool is_text = !file.ends_with(".pt") && !file.ends_with(".pt2");
    if (is_text && row["expect"].contains("node_names")) rows.push_back(std::move(row));
  }
  return rows;
}

/// One graph of a set, as texts.
class GraphView {
 public:
  GraphView(const GraphSet& graphs, size_t index)
      : graphs_(graphs), graph_(graphs.graphs.at(index)) {}

  std::string Text(StrId id) const { return std::string(graphs_.strings.text(id)); }
  std::string NameOf(const GraphNode& node) const {
    if (node.num_values == 0) return "output";
    return Text(graph_.values[node.first_value].name);
  }
  void AddInputs(uint32_t first, uint32_t count, std::vector<std::string>& names) const {
    for (uint32_t i = first; i < first + count; ++i) {
      const Argument& argument = graph_.arguments[i];
      if (argument.kind == Argument::Kind::kValue) {
        names.push_back(Text(graph_.values[argument.index].name));
      }
      AddInputs(argument.first_child, argument.num_children, names);
    }
  }
  std::vector<std::string> InputsOf(const GraphNode& node) const {
    std::vector<std::string> names;
    AddInputs(node.first_argument, node.num_arguments, names);
    return names;
  }

 private:
  const GraphSet& graphs_;
  const GraphModel& graph_;
};

/// Same size, spelled by Python or by torch: "s77 // 2" and "(s77//2)".
bool IsSameSize(ExprPool& pool, ExprId size, const std::string& text) {
  return size == pool.Parse(text);
}

void CheckType(GraphSet& graphs, const ValueType& type, const json& value) {
  if (value.contains("scalar")) {
    const bool is_number = type.kind == ValueType::Kind::kInt ||
                           type.kind == ValueType::Kind::kFloat ||
                           type.kind == ValueType::Kind::kBool;
    CHECK(is_number);
    if (type.expression != ExprId::kNone) {
      CHECK(IsSameSize(graphs.expressions, type.expression, value["scalar"]));
    }
    return;
  }
  CHECK(type.kind == ValueType::Kind::kTensor);
  if (!type.has_shape) return;
  CHECK(graphs.strings.text(type.dtype) == value["dtype"].get<std::string>());
  REQUIRE(type.shape.size() == value["shape"].size());
  for (size_t i = 0; i < type.shape.size(); ++i) {
    CHECK(IsSameSize(graphs.expressions, type.shape[i], value["shape"][i]));
  }
  if (!type.has_stride) return;
  REQUIRE(type.stride.size() == value["stride"].size());
  for (size_t i = 0; i < type.stride.size(); ++i) {
    CHECK(IsSameSize(graphs.expressions, type.stride[i], value["stride"][i]));
  }
}

void CheckDump(const std::filesystem::path& folder, const json& row) {
  const std::string file = row["file"];
  INFO(file);
  GraphSet graphs;
  const std::string text = FileText(folder / file);
  REQUIRE(ReadGraphsFromBytes(file, text, graphs).empty());
  REQUIRE_FALSE(graphs.graphs.empty());
  const GraphModel& graph = graphs.graphs[0];
  const GraphView view(graphs, 0);
  const json& expect = row["expect"];
  CHECK_FALSE(graph.is_cut);
  CHECK(graphs.stats.count(Stat::graph_node_unreadable).times == 0);
  CHECK(graphs.stats.count(Stat::graph_expression_unknown).times == 0);

  std::vector<std::string> names;
  for (const GraphNode& node : graph.nodes) names.push_back(view.NameOf(node));
  auto wanted_names = expect["node_names"].get<std::vector<std::string>>();
  if (graph.format != "print_graph" && graph.format != "print_tabular") {
    // Where a graph is a function, its placeholders come first, wherever they stand in the graph.
    std::stable_partition(wanted_names.begin(), wanted_names.end(), [&](const std::string& name) {
      return std::any_of(expect["placeholders"].begin(), expect["placeholders"].end(),
                         [&](const json& placeholder) { return placeholder["name"] == name; });
    });
  }
  CHECK(names == wanted_names);
  if (expect.contains("edges")) {
    for (const GraphNode& node : graph.nodes) {
      const std::string name = view.NameOf(node);
      if (node.kind == NodeKind::kPlaceholder) continue;
      INFO(name);
      CHECK(view.InputsOf(node) == expect["edges"][name].get<std::vector<std::string>>());
    }
  }
  REQUIRE(graph.placeholders.size() == expect["placeholders"].size());
  for (size_t i = 0; i < graph.placeholders.size(); ++i) {
    const GraphNode& node = graph.nodes[graph.placeholders[i].node];
    const json& wanted = expect["placeholders"][i];
    INFO(view.NameOf(node));
    CHECK(view.Text(node.target) == wanted["target"].get<std::string>());
    const uint32_t type = graph.values[node.first_value].type;
    if (type == kNoIndex || wanted["val"].is_null()) continue;
    CheckType(graphs, graphs.types[type], wanted["val"]);
  }
}

TEST_CASE("every printed form has the nodes, edges and sizes of the live graph",
          "[ingest][graph]") {
  for (const char* folder : {".", "forms"}) {
    const std::vector<json> rows = Rows(DumpsFolder() / folder);
    REQUIRE(rows.size() > 15);
    for (const json& row : rows) CheckDump(DumpsFolder() / folder, row);
  }
}

}  // namespace
}  // namespace shapewise
