// Archives: exported programs and TorchScript against what the live objects held, and refusals.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/graph_reader.h"
#include "support/catch.h"
#include "support/source_dir.h"
#include "support/zip_builder.h"
#include "symbolic/interval.h"

namespace shapewise {
namespace {

using nlohmann::json;

std::filesystem::path Folder() {
  return std::filesystem::path(SourceDir()) / "corpora" / "dumps" / "archives";
}

std::string FileBytes(const std::string& name) {
  std::ifstream file(Folder() / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The rows of INDEX.jsonl that have `key`.
std::vector<json> RowsWith(const char* key) {
  std::vector<json> rows;
  std::ifstream index(Folder() / "INDEX.jsonl");
  for (std::string line; std::getline(index, line);) {
    json row = json::parse(line);
    if (row.contains(key)) rows.push_back(std::move(row));
  }
  REQUIRE_FALSE(rows.empty());
  return rows;
}

/// What one archive holds, and texts of it.
struct ReadArchive {
  explicit ReadArchive(std::string_view bytes) {
    failures = ReadGraphsFromBytes("archive", bytes, set);
  }

  std::string Text(StrId id) const { return std::string(set.strings.text(id)); }
  std::string NameOf(const GraphModel& graph, const GraphNode& node) const {
    return node.num_values == 0 ? "output" : Text(graph.values[node.first_value].name);
  }
  std::vector<std::string> Names(const GraphModel& graph) const {
    std::vector<std::string> names;
    for (const GraphNode& node : graph.nodes) names.push_back(NameOf(graph, node));
    return names;
  }
  void AddInputs(const GraphModel& graph, uint32_t first, uint32_t count,
                 std::vector<std::string>& names) const {
    for (uint32_t i = first; i < first + count; ++i) {
      const Argument& argument = graph.arguments[i];
      if (argument.kind == Argument::Kind::kValue) {
        const std::string name = Text(graph.values[argument.index].name);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
      AddInputs(graph, argument.first_child, argument.num_children, names);
    }
  }
  std::map<std::string, int> Targets(const GraphModel& graph, std::string_view head) const {
    std::map<std::string, int> counts;
    for (const GraphNode& node : graph.nodes) {
      const bool is_call = node.kind == NodeKind::kCallFunction || node.kind == NodeKind::kOperator;
      const std::string target = Text(node.target);
      if (is_call && target.starts_with(head)) ++counts[target];
    }
    return counts;
  }
  std::string Shape(const GraphModel& graph, const GraphNode& node) {
    const uint32_t type = graph.values[node.first_value].type;
    if (type == kNoIndex || !set.types[type].has_shape) return "none";
    std::string text;
    for (const ExprId size : set.types[type].shape) text += set.expressions.ToText(size) + " ";
    return text;
  }

  /// Ranges of the symbols of a graph, as torch prints them.
  std::map<std::string, std::string> Ranges(const GraphModel& graph) const {
    std::map<std::string, std::string> ranges;
    for (const GraphSymbol& symbol : graph.symbols) {
      ranges[std::string(set.expressions.name(symbol.symbol))] =
          "VR[" + (symbol.lower ? std::to_string(*symbol.lower) : "-int_oo") + ", " +
          (symbol.upper ? std::to_string(*symbol.upper) : "int_oo") + "]";
    }
    return ranges;
  }
  /// Whether the first graph relies on what `text` says.
  bool HasConstraint(const std::string& text) const {
    const std::vector<ExprId>& all = set.graphs.at(0).constraints;
    return std::any_of(all.begin(), all.end(), [&](ExprId constraint) {
      return set.expressions.ToText(constraint) == text;
    });
  }

  GraphSet set;
  std::vector<std::string> failures;
};

TEST_CASE("an exported program is the live graph, in every layout", "[ingest][archive]") {
  for (const json& row : RowsWith("expect")) {
    const json& expect = row["expect"];
    if (!expect.contains("nodes")) continue;
    const std::string file = row["file"];
    INFO(file);
    ReadArchive read(FileBytes(file));
    REQUIRE(read.failures.empty());
    const GraphModel& graph = read.set.graphs.at(0);
    CHECK(graph.format == (file.ends_with(".txt") ? "exported_program" : "pt2"));
    CHECK_FALSE(graph.is_cut);
    CHECK(read.set.stats.count(Stat::graph_expression_unknown).times == 0);
    CHECK(read.set.stats.count(Stat::graph_node_unreadable).times == 0);

    auto names = expect["nodes"].get<std::vector<std::string>>();
    // Schema 1 had no constants among its inputs, and the oldest call the rest by other names.
    if (file == "old_1.pt2") names.erase(std::find(names.begin(), names.end(), "n"));
    std::vector<std::string> read_names = read.Names(graph);
    if (file.starts_with("old_")) {
      // They do not contain the names of nodes with several results.
      REQUIRE(read_names.size() == names.size());
      for (const char* stem : {"split", "max", "topk", "unbind"}) {
        CHECK(std::count(read_names.begin(), read_names.end(), stem) == 1);
      }
    } else {
      CHECK(read_names == names);
      for (const GraphNode& node : graph.nodes) {
        std::vector<std::string> inputs;
        read.AddInputs(graph, node.first_argument, node.num_arguments, inputs);
        INFO(read.NameOf(graph, node));
        CHECK(inputs == expect["edges"][read.NameOf(graph, node)].get<std::vector<std::string>>());
      }
    }
    CHECK(read.Targets(graph, "") == expect["targets"].get<std::map<std::string, int>>());
    size_t index = 0;
    for (const json& placeholder : expect["placeholders"]) {
      if (file == "old_1.pt2" && placeholder["name"] == "n") continue;
      const Placeholder& have = graph.placeholders.at(index++);
      const GraphNode& node = graph.nodes[have.node];
      const auto name = placeholder["name"].get<std::string>();
      CHECK(read.NameOf(graph, node) == name);
      std::string shape = placeholder["shape"].is_null() ? "none" : "";
      for (const json& size : placeholder["shape"]) shape += size.get<std::string>() + " ";
      CHECK(read.Shape(graph, node) == shape);
      if (file == "old_1.pt2") continue;
      const std::map<std::string, PlaceholderKind> kinds = {
          {"parameter", PlaceholderKind::kParameter},
          {"buffer", PlaceholderKind::kBuffer},
          {"constant_tensor", PlaceholderKind::kConstant},
          {"user_input", PlaceholderKind::kInput}};
      CHECK(have.kind == kinds.at(expect["kinds"][name]));
    }
    CHECK(read.Ranges(graph) == expect["ranges"].get<std::map<std::string, std::string>>());
  }
}

TEST_CASE("ranges are those of the live graphs, whatever else the program states",
          "[ingest][archive]") {
  for (const char* file : {"strict.pt2", "strict.txt"}) {
    INFO(file);
    const std::vector<json> rows = RowsWith("expect");
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const json& candidate) { return candidate["file"] == file; });
    REQUIRE(row != rows.end());
    ReadArchive read(FileBytes(file));
    std::map<std::string, std::map<std::string, std::string>> inner;
    for (const uint32_t index : read.set.graphs.at(0).subgraphs) {
      inner[read.set.graphs[index].name] = read.Ranges(read.set.graphs[index]);
    }
    CHECK(json(inner) == (*row)["expect"]["inner_ranges"]);
    for (const auto& [size, range] : (*row)["expect"]["size_ranges"].items()) {
      const auto interval = ParseInterval(range.get<std::string>());
      REQUIRE(interval);
      CHECK(read.HasConstraint(size + " >= " + std::to_string(interval->lower.value())));
      CHECK(read.HasConstraint(size + " <= " + std::to_string(interval->upper.value())));
    }
  }
}

TEST_CASE("bounds and guards of an exported program are those of its schema", "[ingest][archive]") {
  const auto program = [](const std::string& version) {
    const std::string text =
        R"({"graph_module": {"graph": {"inputs": [{"as_tensor": {"name": "x"}}], "outputs": [],)"
        R"( "nodes": [], "tensor_values": {"x": {"dtype": 7, "sizes": [)"
        R"({"as_expr": {"expr_str": "u0"}}, {"as_expr": {"expr_str": "s1"}}]}}},)"
        R"( "signature": {"input_specs": [{"user_input": {"arg": {"as_tensor": {"name": "x"}}}}]}},)"
        R"( "range_constraints": {"u0": {"min_val": 0, "max_val": 9223372036854775806},)"
        R"( "s1": {"min_val": 2, "max_val": 64}},)"
        R"( "guards_code": ["L['x'].size()[1] % 8 == 0", "True", ") not a guard ("],)" +
        version + "}";
    return BuildZip({{.name = "m/models/m.json", .text = text}});
  };
  // The size of a tensor that comes out of data: torch 2.13 writes the number and means it.
  ReadArchive now(program(R"("schema_version": {"major": 8, "minor": 20})"));
  REQUIRE(now.failures.empty());
  CHECK(now.Ranges(now.set.graphs.at(0)) ==
        std::map<std::string, std::string>{{"s1", "VR[2, 64]"},
                                           {"u0", "VR[0, 9223372036854775806]"}});
  CHECK(now.set.graphs[0].constraints.size() == 1);
  CHECK(now.HasConstraint("Eq(Mod(L['x'].size()[1], 8), 0)"));
  CHECK(now.set.stats.count(Stat::graph_expression_unknown).times == 1);
  // Before there was a word for infinity, it stood for that.
  ReadArchive before(program(R"("schema_version": {"major": 7, "minor": 3})"));
  REQUIRE(before.failures.empty());
  CHECK(before.Ranges(before.set.graphs.at(0)) ==
        std::map<std::string, std::string>{{"s1", "VR[2, 64]"}, {"u0", "VR[0, int_oo]"}});
}

TEST_CASE("what an exported program says beside its nodes is kept", "[ingest][archive]") {
  ReadArchive read(FileBytes("many.pt2"));
  REQUIRE(read.set.graphs.size() == 3);
  const GraphModel& graph = read.set.graphs[0];
  CHECK(read.Text(graph.torch_version).starts_with("2.13"));
  CHECK(graph.subgraphs == std::vector<uint32_t>{1, 2});
  CHECK(read.set.graphs[1].name == "true_graph_0");
  CHECK(read.Targets(read.set.graphs[1], "") ==
        std::map<std::string, int>{{"aten.sin.default", 1}});
  CHECK(read.Text(graph.placeholders[0].source) == "self.w");
  REQUIRE(graph.symbols.size() == 2);
  CHECK(graph.symbols[0].hint == 8);
  CHECK(read.Text(graph.symbols[0].sources.at(0)) == "x.size()[0]");
  const auto split = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const auto& node) {
    return read.Text(node.target) == "aten.split.Tensor";
  });
  REQUIRE(split != graph.nodes.end());
  CHECK(read.Text(split->user_file).ends_with("make_archives.py"));
  CHECK(read.Text(split->user_function) == "forward");
  CHECK(read.Text(split->code) == "a, c = torch.split(x @ self.w + self.b, 2, dim=-1)");
  const auto zeros = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const auto& node) {
    return read.Text(node.target) == "aten.new_zeros.default";
  });
  REQUIRE(zeros != graph.nodes.end());
  const Argument& dtype = graph.arguments[zeros->first_argument + 2];
  CHECK(read.Text(dtype.keyword) == "dtype");
  CHECK(read.Text(dtype.text) == "torch.int64");

  ReadArchive unbacked(FileBytes("unbacked.pt2"));
  CHECK(unbacked.HasConstraint("u0 <= s77"));

  ReadArchive two(FileBytes("two_models.pt2"));
  REQUIRE(two.failures.empty());
  CHECK(two.set.graphs[0].name == "decoder");
  CHECK(std::any_of(two.set.graphs.begin(), two.set.graphs.end(),
                    [](const GraphModel& model) { return model.name == "encoder"; }));
}

TEST_CASE("TorchScript has the operators of the graph that PyTorch makes of it",
          "[ingest][archive]") {
  for (const json& row : RowsWith("expect")) {
    const json& expect = row["expect"];
    if (!expect.contains("inputs")) continue;
    const std::string file = row["file"];
    INFO(file);
    ReadArchive read(FileBytes(file));
    REQUIRE(read.failures.empty());
    const GraphModel& graph = read.set.graphs.at(0);
    CHECK(graph.is_torchscript);
    CHECK_FALSE(graph.is_cut);
    CHECK(read.set.stats.count(Stat::graph_node_unreadable).times == 0);
    std::vector<std::string> inputs;
    for (const Placeholder& placeholder : graph.placeholders) {
      const std::string name = read.NameOf(graph, graph.nodes[placeholder.node]);
      inputs.push_back(name.substr(0, name.find('.')));
    }
    CHECK(inputs == expect["inputs"].get<std::vector<std::string>>());
    if (expect.contains("aten")) {
      auto have = read.Targets(graph, "aten::");
      auto wanted = expect["aten"].get<std::map<std::string, int>>();
      // Checks that can only raise an error: PyTorch has left some of them out by then.
      for (const char* check : {"aten::dim", "aten::format", "aten::le", "aten::lt", "aten::ne"}) {
        have.erase(check);
        wanted.erase(check);
      }
      CHECK(have == wanted);
    }
    if (!expect.contains("shapes")) continue;
    for (const GraphNode& node : graph.nodes) {
      if (node.kind != NodeKind::kGetAttr || read.Text(node.target).starts_with("CONSTANTS.")) {
        continue;
      }
      INFO(read.Text(node.target));
      if (!expect["shapes"].contains(read.Text(node.target))) continue;
      std::string shape;
      for (const json& size : expect["shapes"][read.Text(node.target)]) {
        shape += std::to_string(size.get<int>()) + " ";
      }
      CHECK(read.Shape(graph, node) == shape);
    }
  }
}

TEST_CASE("what is no graph, or should not be opened, is refused with the reason",
          "[ingest][archive]") {
  for (const json& row : RowsWith("refused")) {
    const std::string file = row["file"];
    INFO(file);
    ReadArchive read(FileBytes(file));
    REQUIRE(read.failures.size() == 1);
    INFO(read.failures[0]);
    CHECK(read.failures[0].find(row["refused"].get<std::string>()) != std::string::npos);
    CHECK(read.set.graphs.empty());
    CHECK(read.set.inputs[0].is_refused);
  }
  const auto failure = [](const std::vector<ZipEntry>& entries) {
    ReadArchive read(BuildZip(entries));
    REQUIRE(read.failures.size() == 1);
    return read.failures[0];
  };
  CHECK(failure({{.name = "notes.txt", .text = "hi"}}).find("none that torch") !=
        std::string::npos);
  CHECK(failure({{.name = "m/models/model.json", .text = "{\"graph_module\": {"}})
            .find("is no JSON, or was cut short") != std::string::npos);
  CHECK(failure({{.name = "m/models/model.json", .text = "{}"}}).find("holds no graph") !=
        std::string::npos);
  CHECK(failure({{.name = "m/models/model.json", .text = "{}"}, {.name = "../x", .text = ""}})
            .find("leads out of it") != std::string::npos);
  CHECK(failure({{.name = "m/code/__torch__.py", .text = "class M(Module):\n"},
                 {.name = "m/data.pkl", .text = std::string("\x80\x02N.", 4)}})
            .find("no code of its root") != std::string::npos);
}

TEST_CASE("an archive that is cut is refused; one with a changed byte is no danger",
          "[ingest][archive]") {
  for (const char* file : {"unbacked.pt2", "frozen.pt", "lite.ptl"}) {
    const std::string whole = FileBytes(file);
    REQUIRE_FALSE(whole.empty());
    for (size_t end = 4; end < whole.size(); end += 1 + end / 100) {
      ReadArchive read(std::string_view(whole).substr(0, end));
      REQUIRE(read.failures.size() == 1);
      CHECK(read.failures[0].find("missing or damaged") != std::string::npos);
    }
    for (size_t at = 4; at < whole.size(); at += 3) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 0x55);
      ReadArchive read(changed);
      CHECK(read.failures.size() <= 1);
    }
  }
}

}  // namespace
}  // namespace shapewise
