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

#include "shapewise/ingest/graph_reader.h"
#include "support/catch.h"
#include "support/zip_builder.h"

namespace shapewise {
namespace {

using nlohmann::json;

std::filesystem::path Folder() {
  return std::filesystem::path(SHAPEWISE_SOURCE_DIR) / "corpora" / "dumps" / "archives";
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
    CHECK(graph.format == "pt2");
    CHECK_FALSE(graph.is_cut);
    CHECK(read.set.stats.count(Stat::graph_expression_unknown).times == 0);
    CHECK(read.set.stats.count(Stat::graph_node_unreadable).times == 0);

    auto names = expect["nodes"].get<std::vector<std::string>>();
    // Schema 1 had no constants among its inputs, and the oldest call the rest by other names.
    if (file == "old_1.pt2") names.erase(std::find(names.begin(), names.end(), "n"));
    std::vector<std::string> read_names = read.Names(graph);
    if (file.starts_with("old_")) {
      // They do not tell what nodes with several results were called.
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
    for (const auto& [symbol, range] : expect["ranges"].items()) {
      const auto at = std::find_if(graph.symbols.begin(), graph.symbols.end(),
                                   [&, &name = symbol](const GraphSymbol& s) {
                                     return read.set.expressions.name(s.symbol) == name;
                                   });
      REQUIRE(at != graph.symbols.end());
      const std::string text = "VR[" + std::to_string(at->lower.value_or(0)) + ", " +
                               (at->upper ? std::to_string(*at->upper) : "int_oo") + "]";
      CHECK(text == range.get<std::string>());
    }
  }
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
  std::vector<std::string> constraints;
  for (const ExprId predicate : unbacked.set.graphs.at(0).constraints) {
    constraints.push_back(unbacked.set.expressions.ToText(predicate));
  }
  CHECK(std::find(constraints.begin(), constraints.end(), "u0 <= s77") != constraints.end());

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

TEST_CASE("code that would unfold without end stays small", "[ingest][archive]") {
  // Each class calls the next one twice: 2^40 operators if every call were written out.
  std::string code;
  for (int level = 0; level < 40; ++level) {
    const std::string next = "__torch__.M" + std::to_string(level + 1);
    code +=
        "class M" + std::to_string(level) + "(Module):\n  m : " + next +
        "\n  def forward(self: __torch__.M" + std::to_string(level) +
        ",\n    x: Tensor) -> Tensor:\n    m = self.m\n    return (m).forward((m).forward(x, ), "
        ")\n";
  }
  code +=
      "class M40(Module):\n  def forward(self: __torch__.M40,\n    x: Tensor) -> Tensor:\n"
      "    return torch.relu(x)\n";
  // A class that calls itself.
  code +=
      "class Loop(Module):\n  m : __torch__.Loop\n  def forward(self: __torch__.Loop,\n    x: "
      "Tensor) -> Tensor:\n    m = self.m\n    return (m).forward(x, )\n";
  // A name that holds the one before it twice.
  code += "class Twice(Module):\n  def forward(self,\n    x: Tensor) -> Tensor:\n    a0 = [x, x]\n";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "a" + std::to_string(i - 1);
    code += "    a" + std::to_string(i) + " = [" + before + ", " + before + "]\n";
  }
  code += "    return a59\n";
  // Two names at once that do so.
  code +=
      "class Pairs(Module):\n  def forward(self,\n    x: Tensor) -> Tensor:\n    a0, b0 = x, x\n";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "[a" + std::to_string(i - 1) + ", b" + std::to_string(i - 1) + "]";
    const std::string number = std::to_string(i);
    code += "    a" + number + ", b" + number + " = " + before + ", " + before + "\n";
  }
  code += "    return a59\n";
  // Each function gives the next one its argument twice.
  for (int i = 0; i < 60; ++i) {
    code += "def f" + std::to_string(i) + "(x: Tensor) -> Tensor:\n  return __torch__.f" +
            std::to_string(i + 1) + "([x, x])\n";
  }
  code += "def f60(x: Tensor) -> Tensor:\n  return [x, x]\n";
  code +=
      "class Calls(Module):\n  def forward(self,\n    x: Tensor) -> Tensor:\n"
      "    return __torch__.f0(x)\n";
  for (const char* root : {"M0", "Loop", "Twice", "Pairs", "Calls"}) {
    INFO(root);
    ReadArchive read(BuildZip({{.name = "m/code/__torch__.py", .text = code, .is_deflated = true},
                               {.name = "m/data.pkl",
                                .text = "\x80\x02"
                                        "c__torch__\n" +
                                        std::string(root) + "\n)\x81}b."}}));
    REQUIRE(read.failures.empty());
    REQUIRE(read.set.graphs.size() == 1);
    CHECK(read.set.graphs[0].nodes.size() < (size_t{3} << 20));
    CHECK(read.set.graphs[0].arguments.size() < (size_t{1} << 24));
  }
}

TEST_CASE("all methods of an input together stay small", "[ingest][torchscript]") {
  // Forty classes, each of which would unfold.
  std::string code = "class First(Module):\n  __parameters__ = []\n";
  for (int level = 0; level < 40; ++level) {
    const std::string number = std::to_string(level);
    const std::string next = std::to_string((level + 1) % 40);
    code += "class M" + number + "(Module):\n  m : __torch__.M" + next +
            "\n  def forward(self,\n    x: Tensor) -> Tensor:\n    m = self.m\n"
            "    return (m).forward((m).forward(x, ), )\n";
  }
  ReadArchive read(code);
  REQUIRE(read.set.graphs.size() == 40);
  size_t num_nodes = 0;
  for (const GraphModel& graph : read.set.graphs) num_nodes += graph.nodes.size();
  CHECK(num_nodes < (size_t{2} << 20));
}

TEST_CASE("long paths and heads without brackets take linear time", "[ingest][torchscript]") {
  const std::string head =
      "class Net(Module):\n  __parameters__ = []\n  m : __torch__.Away\n"
      "  def forward(self,\n    x: Tensor) -> Tensor:\n";
  std::string chain = "    return self.m";
  for (int i = 0; i < 500000; ++i) chain += ".a";
  ReadArchive deep(head + chain + "\n");
  REQUIRE(deep.set.graphs.size() == 1);
  CHECK(deep.set.graphs[0].is_cut);

  const std::string long_name(1 << 20, 'a');
  std::string list = "    n = self.m." + long_name + "\n    return [";
  for (int i = 0; i < 100000; ++i) list += "n, ";
  ReadArchive wide(head + list + "]\n");
  REQUIRE(wide.set.graphs.size() == 1);
  CHECK(wide.set.graphs[0].is_cut);

  std::string functions = "class Net(Module):\n  __parameters__ = []\n";
  for (int i = 0; i < 200000; ++i) functions += "  def f\n";
  ReadArchive many(functions + "  def g(self,\n    x: Tensor) -> Tensor:\n    return x\n");
  REQUIRE(many.set.graphs.size() == 2);
  CHECK(many.set.graphs[0].name == "Net.f");
  CHECK(many.set.graphs[1].placeholders.size() == 2);
}

TEST_CASE("what many parts of an archive share is looked up once", "[ingest][archive]") {
  constexpr int kNumShared = 20000;
  // Results of many nodes are one value, whose type takes long to read.
  std::string sizes;
  std::string nodes;
  for (int i = 0; i < kNumShared; ++i) {
    sizes += (i == 0 ? "" : ",") + ("{\"as_int\":" + std::to_string(i) + "}");
    nodes += std::string(i == 0 ? "" : ",") +
             R"({"target":"torch.ops.aten.relu.default","inputs":[],)"
             R"("outputs":[{"as_tensor":{"name":"x"}}],"metadata":{}})";
  }
  ReadArchive exported(
      BuildZip({{.name = "m/models/model.json",
                 .text = R"({"graph_module":{"graph":{"inputs":[],"outputs":[],"nodes":[)" + nodes +
                         R"(],"tensor_values":{"x":{"dtype":7,"sizes":[)" + sizes + "]}}}}}"}}));
  REQUIRE(exported.failures.empty());
  REQUIRE(exported.set.graphs.size() == 1);
  CHECK(exported.set.graphs[0].nodes.size() == kNumShared + 1);
  // No tensor has so many dims.
  CHECK(exported.Shape(exported.set.graphs[0], exported.set.graphs[0].nodes[0]) == "none");

  // Attributes of one object are objects that have one state.
  const auto text_of = [](const std::string& text) {
    return "X" + LittleEndian(text.size(), 4) + text;
  };
  std::string pickle = "\x80\x02}r" + LittleEndian(0, 4) + "(";
  for (int i = 0; i < kNumShared; ++i) pickle += text_of("k" + std::to_string(i)) + "K\x01";
  pickle += "u0c__torch__\nNet\n)\x81}(";
  std::string code = "class Net(Module):\n  def forward(self,\n    x: Tensor) -> Tensor:\n";
  for (int i = 0; i < kNumShared; ++i) {
    const std::string name = "m" + std::to_string(i);
    pickle += text_of(name) + "c__torch__\nNet\n)\x81j" + LittleEndian(0, 4) + "b";
    code += "    x = torch.add(x, self." + name + ".k1)\n";
  }
  ReadArchive script(BuildZip({{.name = "m/code/__torch__.py", .text = code + "    return x\n"},
                               {.name = "m/data.pkl", .text = pickle + "ub."}}));
  REQUIRE(script.failures.empty());
  REQUIRE(script.set.graphs.size() == 1);
  CHECK_FALSE(script.set.graphs[0].is_cut);
  CHECK(script.Targets(script.set.graphs[0], "aten::add")["aten::add"] == kNumShared);
}

}  // namespace
}  // namespace shapewise
