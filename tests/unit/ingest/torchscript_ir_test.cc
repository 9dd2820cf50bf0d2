// TorchScript's IR and code as text.

#include <string>
#include <string_view>
#include <vector>

#include "ingest/graph_reader.h"
#include "support/catch.h"

namespace shapewise {
namespace {

/// The graphs of a text, and texts of them.
struct ReadIr {
  explicit ReadIr(std::string_view text) {
    REQUIRE(ReadGraphsFromBytes("ir.txt", text, set).empty());
  }

  std::string Text(StrId id) const { return std::string(set.strings.text(id)); }
  std::string Print(const GraphModel& graph, uint32_t first, uint32_t count) const {
    std::string text;
    for (uint32_t i = first; i < first + count; ++i) {
      const Argument& argument = graph.arguments[i];
      if (i > first) text += ", ";
      if (argument.keyword != StrId::kNone) text += Text(argument.keyword) + "=";
      switch (argument.kind) {
        case Argument::Kind::kValue:
          text += "%" + Text(graph.values[argument.index].name);
          break;
        case Argument::Kind::kInt:
          text += std::to_string(argument.integer);
          break;
        case Argument::Kind::kBool:
          text += argument.integer != 0 ? "True" : "False";
          break;
        case Argument::Kind::kFloat:
          text += std::to_string(argument.number);
          break;
        case Argument::Kind::kNone:
          text += "None";
          break;
        case Argument::Kind::kString:
          text += "'" + Text(argument.text) + "'";
          break;
        case Argument::Kind::kList:
        case Argument::Kind::kTuple:
        case Argument::Kind::kDict:
        case Argument::Kind::kSlice:
          text += "(" + Print(graph, argument.first_child, argument.num_children) + ")";
          break;
        default:
          text += "<" + Text(argument.text) + ">";
      }
    }
    return text;
  }
  /// "x, y = aten::max(%a) in block 1" for the node `index` behind the placeholders.
  std::string Node(size_t graph_index, size_t index) const {
    const GraphModel& graph = set.graphs.at(graph_index);
    const GraphNode& node = graph.nodes.at(graph.placeholders.size() + index);
    std::string text;
    for (uint32_t i = 0; i < node.num_values; ++i) {
      text += (i > 0 ? ", " : "") + Text(graph.values[node.first_value + i].name);
    }
    text += " = " + Text(node.target) + "(" +
            Print(graph, node.first_argument, node.num_arguments) + ")";
    return node.block == 0 ? text : text + " in block " + std::to_string(node.block);
  }
  const ValueType& Type(size_t graph_index, std::string_view name) const {
    const GraphModel& graph = set.graphs.at(graph_index);
    for (const GraphValue& value : graph.values) {
      if (Text(value.name) == name && value.type != kNoIndex) return set.types[value.type];
    }
    FAIL("no type of " << name);
    return set.types.front();
  }
  std::string Shape(const std::vector<ExprId>& sizes) const {
    std::string text;
    for (const ExprId size : sizes) {
      text += (size == ExprId::kNone ? "?" : set.expressions.ToText(size)) + " ";
    }
    return text;
  }

  GraphSet set;
};

TEST_CASE("nodes of the IR have their blocks, attributes and places", "[ingest][torchscript]") {
  const ReadIr read(
      "graph(%self : __torch__.Net,\n"
      "      %x.1 : Float(2, *, strides=[3, 1], requires_grad=0, device=cuda:0)):\n"
      "  %3 : bool = prim::Constant[value=1]() # /w/m.py:9:8\n"
      "  %f : float[] = prim::Constant[value=[0.5, 1.]]()\n"
      "  %s : str = prim::Constant[value=\"a ] # \\\" b\"]()\n"
      "  %t : Double(2, strides=[1], requires_grad=0, device=cpu) = prim::Constant[value= 1\n"
      "   2\n"
      "  [ CPUDoubleType{2} ]]()\n"
      "  %v : Tensor, %i : Long(2) = aten::max(%x.1, %3), scope: __module.a # C:\\m.py:11:2\n"
      "  %y : Tensor? = prim::If(%3) # /w/m.py:12:2\n"
      "    block0():\n"
      "      %a : Tensor = aten::relu(%v)\n"
      "      -> (%a)\n"
      "    block1():\n"
      "      -> (%x.1)\n"
      "   = prim::SetAttr[name=\"last\"](%self, %y)\n"
      "  %p : Tensor = ^Mine(2, \"z\")(%y)\n"
      "  return (%p, %i)\n");
  REQUIRE(read.set.graphs.size() == 1);
  const GraphModel& graph = read.set.graphs[0];
  CHECK(graph.name == "Net");
  CHECK_FALSE(graph.is_cut);
  CHECK(read.set.stats.count(Stat::graph_node_unreadable).times == 0);
  REQUIRE(graph.placeholders.size() == 2);
  CHECK(graph.placeholders[0].kind == PlaceholderKind::kSelf);
  CHECK(CountNodes(graph) == 9);
  CHECK(read.Node(0, 0) == "3 = prim::Constant(value=True)");
  CHECK(read.Node(0, 1) == "f = prim::Constant(value=(0.500000, 1.000000))");
  CHECK(read.Node(0, 2) == "s = prim::Constant(value='a ] # \" b')");
  CHECK(read.Node(0, 3) == "t = prim::Constant(value=<1 2 [ CPUDoubleType{2} ]>)");
  CHECK(read.Node(0, 4) == "v, i = aten::max(%x.1, %3)");
  CHECK(read.Node(0, 5) == "y = prim::If(%3, block0=((), (%a)), block1=((), (%x.1)))");
  CHECK(read.Node(0, 6) == "a = aten::relu(%v) in block 1");
  CHECK(read.Node(0, 7) == " = prim::SetAttr(%self, %y, name='last')");
  CHECK(read.Node(0, 8) == "p = ^Mine(%y, 2, 'z')");
  REQUIRE(graph.outputs.size() == 2);
  CHECK(read.Text(graph.values[graph.outputs[1]].name) == "i");
  const GraphNode& max = graph.nodes[6];
  CHECK(read.Text(max.user_file) == "C:\\m.py");
  CHECK(max.user_line == 11);
  CHECK(max.line == 9);
  const ValueType& type = read.Type(0, "x.1");
  CHECK(read.Text(type.dtype) == "torch.float32");
  CHECK(read.Text(type.device) == "cuda:0");
  CHECK(read.Shape(type.shape) == "2 ? ");
  CHECK(read.Shape(type.stride) == "3 1 ");
  CHECK(type.requires_grad == false);
  CHECK(read.Type(0, "y").kind == ValueType::Kind::kObject);
}

TEST_CASE("types of older and of unsized tensors are told as far as they go",
          "[ingest][torchscript]") {
  const ReadIr read(
      "graph(%a : Float(2:3, 3:1),\n      %b : Long(),\n      %c : Tensor(requires_grad=1),\n"
      "      %d : Half(SS(-2), 4, strides=[4, 1]),\n      %e : Dict(str, Tensor),\n"
      "      %f : (Tensor, int), %g : Float):\n  return (%a)\n");
  CHECK(read.Shape(read.Type(0, "a").shape) == "2 3 ");
  CHECK(read.Shape(read.Type(0, "a").stride) == "3 1 ");
  CHECK(read.Type(0, "b").has_shape);
  CHECK(read.Type(0, "b").shape.empty());
  CHECK_FALSE(read.Type(0, "c").has_shape);
  CHECK(read.Type(0, "c").requires_grad == true);
  CHECK(read.Shape(read.Type(0, "d").shape) == "SS(-2) 4 ");
  CHECK(read.Text(read.Type(0, "e").dtype) == "Dict(str, Tensor)");
  CHECK(read.Text(read.Type(0, "f").dtype) == "(Tensor, int)");
  CHECK_FALSE(read.Type(0, "g").has_shape);
}

TEST_CASE("graphs of a log are found under its heads, subgraphs under theirs",
          "[ingest][torchscript]") {
  const ReadIr read(
      "some words\n"
      "[DUMP inliner.cpp:12] before:\n"
      "[DUMP inliner.cpp:12] graph(%x : Tensor):\n"
      "[DUMP inliner.cpp:12]   %1 : Tensor = prim::DifferentiableGraph_0(%x)\n"
      "[DUMP inliner.cpp:12]   return (%1)\n"
      "[DUMP inliner.cpp:12] with prim::DifferentiableGraph_0 = graph(%y : Tensor):\n"
      "[DUMP inliner.cpp:12]   %2 : Tensor = aten::relu(%y)\n"
      "[DUMP inliner.cpp:12]   return (%2)\n"
      "graph():\n  %0 : int = prim::Constant[value=3]()\n  return (%0)\n");
  REQUIRE(read.set.graphs.size() == 3);
  CHECK(read.Node(0, 0) == "1 = prim::DifferentiableGraph(%x)");
  CHECK(read.set.graphs[0].subgraphs == std::vector<uint32_t>{1});
  CHECK(read.set.graphs[1].name == "prim::DifferentiableGraph_0");
  CHECK(read.set.graphs[2].line == 9);
}

TEST_CASE("hostile IR ends", "[ingest][torchscript]") {
  const std::string head = "graph(%x : Tensor):\n";
  const auto read = [](const std::string& text) { return ReadIr(text).set.graphs.size(); };
  CHECK(read(head) == 1);
  CHECK(read(head + head + head) == 3);
  CHECK(read(head + "  %1 : Tensor = aten::relu" + std::string(200000, '(') + "\n") == 1);
  std::string open;
  for (int i = 0; i < 20000; ++i) open += "  %" + std::to_string(i) + " : int = a::b[x=(\n";
  CHECK(read(head + open) == 1);
  std::string blocks;
  for (int i = 0; i < 20000; ++i) blocks += "  = prim::If(%x)\n    block0():\n";
  CHECK(read(head + blocks) == 1);
  CHECK(read(head + "  = a::b[x=" + std::string(100000, '[') + std::string(100000, ']') +
             "]()\n  return (%x)\n") == 1);
  CHECK(read(head + "  -> (%x)\n  block0():\n  return (%x)\n") == 1);
}

TEST_CASE("code becomes nodes with the values that names stand for", "[ingest][torchscript]") {
  const ReadIr read(
      "def forward(self,\n    x: Tensor,\n    n: int=3) -> Tensor:\n"
      "  w = self.w\n"
      "  y = torch.add(x, w, alpha=-2)\n"
      "  a, b = y, x\n"
      "  for i in range(n):\n"
      "    b = torch.mul(b, i)\n"
      "  v, k, = torch.max(b, 0)\n"
      "  if bool(v):\n"
      "    c = torch.relu(a)\n"
      "  else:\n"
      "    c = a\n"
      "  return (c, [k])\n");
  REQUIRE(read.set.graphs.size() == 1);
  const GraphModel& graph = read.set.graphs[0];
  CHECK(graph.format == "torchscript_code");
  CHECK_FALSE(graph.is_cut);
  CHECK(read.Text(graph.placeholders[2].default_value) == "3");
  CHECK(read.Node(0, 0) == "w = w()");
  CHECK(read.Node(0, 1) == "y = aten::add(%x, %w, alpha=-2)");
  CHECK(read.Node(0, 2) == "b.3 = prim::Loop(%n, True, %x, block0=((%i, %b), (True, %b.2)))");
  CHECK(read.Node(0, 4) == "v, k = aten::max(%b.3, 0)");
  CHECK(read.Node(0, 6) == "c.2 = prim::If(%Bool, block0=((), (%c)), block1=((), (%y)))");
  CHECK(read.Node(0, 7) == "c = aten::relu(%y) in block 2");
  REQUIRE(graph.outputs.size() == 2);
  CHECK(read.Text(graph.values[graph.outputs[0]].name) == "c.2");
}

TEST_CASE("code that is cut anywhere is read, and said to be cut", "[ingest][torchscript]") {
  const std::string whole =
      "def forward(self,\n    x: Tensor,\n    n: int) -> Tensor:\n  x0 = x\n"
      "  for i in range(n):\n    if bool(torch.gt(torch.sum(x0), 0)):\n"
      "      x1 = torch.sub(x0, 0.1)\n    else:\n      x1 = torch.add(x0, 0.1)\n    x0 = x1\n"
      "  fc = self.fc\n  return (fc).forward(x0, )\n";
  for (size_t end = 0; end < whole.size(); ++end) {
    GraphSet set;
    REQUIRE(ReadGraphsFromBytes("code.txt", std::string_view(whole).substr(0, end), set).empty());
    const bool is_before_return = end < whole.find("  return") + 8;
    for (const GraphModel& graph : set.graphs) CHECK(graph.is_cut == is_before_return);
  }
}

}  // namespace
}  // namespace shapewise
