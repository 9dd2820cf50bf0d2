#include <string>
#include <string_view>
#include <vector>

#include "ingest/graph_reader.h"
#include "support/catch.h"

namespace shapewise {
namespace {

using Texts = std::vector<std::string>;

/// Graphs as read from one text.
class ReadGraph {
 public:
  explicit ReadGraph(std::string_view text, const std::string& name = "dump.txt") {
    failures = ReadGraphsFromBytes(name, text, set);
  }

  const GraphModel& graph(size_t index = 0) const { return set.graphs.at(index); }
  std::string Text(StrId id) const { return std::string(set.strings.text(id)); }
  std::string Show(ExprId id) const { return set.expressions.ToText(id); }
  uint64_t Count(Stat stat) const { return set.stats.count(stat).times; }

  std::string Show(const GraphModel& graph, const Argument& argument) const {
    std::string text = argument.keyword == StrId::kNone ? "" : Text(argument.keyword) + "=";
    Texts children;
    for (uint32_t i = 0; i < argument.num_children; ++i) {
      children.push_back(Show(graph, graph.arguments[argument.first_child + i]));
    }
    std::string joined;
    for (const std::string& child : children) joined += (joined.empty() ? "" : ", ") + child;
    switch (argument.kind) {
      case Argument::Kind::kValue:
        return text + Text(graph.values[argument.index].name);
      case Argument::Kind::kInt:
        return text + std::to_string(argument.integer);
      case Argument::Kind::kFloat:
        return text + "float";
      case Argument::Kind::kBool:
        return text + (argument.integer != 0 ? "True" : "False");
      case Argument::Kind::kNone:
        return text + "None";
      case Argument::Kind::kString:
        return text + "'" + Text(argument.text) + "'";
      case Argument::Kind::kConstant:
        return text + Text(argument.text);
      case Argument::Kind::kList:
        return text + "[" + joined + "]";
      case Argument::Kind::kTuple:
        return text + Text(argument.text) + "(" + joined + ")";
      case Argument::Kind::kDict:
        return text + "{" + joined + "}";
      case Argument::Kind::kSlice:
        return text + "slice(" + joined + ")";
      case Argument::Kind::kText:
        return text + "text:" + Text(argument.text);
    }
    return text;
  }

  /// Every node but placeholders: "add = call_function operator.add(x, 1)".
  Texts Nodes(size_t index = 0) const {
    const GraphModel& model = graph(index);
    Texts texts;
    for (const GraphNode& node : model.nodes) {
      if (node.kind == NodeKind::kPlaceholder) continue;
      std::string text;
      if (node.num_values > 0) text = Text(model.values[node.first_value].name) + " = ";
      text += std::string(NodeKindName(node.kind)) + " " + Text(node.target) + "(";
      for (uint32_t i = 0; i < node.num_arguments; ++i) {
        text += (i == 0 ? "" : ", ") + Show(model, model.arguments[node.first_argument + i]);
      }
      texts.push_back(text + ")");
    }
    return texts;
  }

  /// "l_x_ input L['x']", with the default behind.
  Texts Placeholders(size_t index = 0) const {
    const GraphModel& model = graph(index);
    Texts texts;
    for (const Placeholder& placeholder : model.placeholders) {
      const GraphNode& node = model.nodes[placeholder.node];
      std::string text = Text(model.values[node.first_value].name);
      text += " " + std::string(PlaceholderKindName(placeholder.kind));
      if (placeholder.source != StrId::kNone) text += " " + Text(placeholder.source);
      if (placeholder.default_value != StrId::kNone) text += "=" + Text(placeholder.default_value);
      texts.push_back(text);
    }
    return texts;
  }

  /// "s77 2.. hint 8 from L['x'].size()[0]"
  Texts Symbols(size_t index = 0) const {
    Texts texts;
    for (const GraphSymbol& symbol : graph(index).symbols) {
      std::string text = Show(symbol.symbol);
      if (symbol.has_range) {
        text += " " + (symbol.lower ? std::to_string(*symbol.lower) : "") + "..";
        text += symbol.upper ? std::to_string(*symbol.upper) : "";
      }
      if (symbol.hint) text += " hint " + std::to_string(*symbol.hint);
      for (const StrId source : symbol.sources) text += " from " + Text(source);
      texts.push_back(text);
    }
    return texts;
  }

  GraphSet set;
  Texts failures;
};

/// A graph whose body is `line`, with the inputs x and y.
ReadGraph Statement(std::string_view line) {
  return ReadGraph("class GraphModule(torch.nn.Module):\n    def forward(self, x, y):\n        " +
                   std::string(line) + "\n        return (x,)\n");
}

TEST_CASE("a statement is the node that torch.fx made it from", "[ingest][graph]") {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"a = x + y;  x = y = None", "a = call_function operator.add(x, y)"},
      {"a: \"f32[3]\" = x // 2", "a = call_function operator.floordiv(x, 2)"},
      {"a = -x", "a = call_function operator.neg(x)"},
      {"a = -1 * x", "a = call_function operator.mul(-1, x)"},
      {"a = ~x;  x = None", "a = call_function operator.invert(x)"},
      {"a = 2 ** x", "a = call_function operator.pow(2, x)"},
      {"a = x << 1", "a = call_function operator.lshift(x, 1)"},
      {"a = x <= y", "a = call_function operator.le(x, y)"},
      {"a = x != 1e-05", "a = call_function operator.ne(x, float)"},
      {"a = (1, 2) + y", "a = call_function operator.add((1, 2), y)"},
      {"a = x[(slice(None, None, None), None, Ellipsis)]",
       "a = call_function operator.getitem(x, (slice(None, None, None), None, Ellipsis))"},
      {"a = x[:, 1:y, ...]",
       "a = call_function operator.getitem(x, (slice(None, None, None), slice(1, y, None), "
       "Ellipsis))"},
      {"a = x[0]", "a = call_function operator.getitem(x, 0)"},
      {"x[0] = y;  setitem = x;  setitem = None",
       "setitem = call_function operator.setitem(x, 0, y)"},
      {"x += 1;  a: \"f32[3]\" = x;  x = None", "a = call_function operator.iadd(x, 1)"},
      {"x **= y;  a = x", "a = call_function operator.ipow(x, y)"},
      {"a = x.shape", "a = call_function getattr(x, 'shape')"},
      {"a = getattr(x, 'grad', None)", "a = call_function getattr(x, 'grad', None)"},
      {"a = x.view(2, -1)", "a = call_method view(x, 2, -1)"},
      {"a = 'ab'.join(x)", "a = call_method join('ab', x)"},
      {"a = self.fc1(x, scale = y)", "a = call_module fc1(x, scale=y)"},
      {"a = self.fc1.weight", "a = get_attr fc1.weight()"},
      {"a = getattr(getattr(self.layers, \"0\").sub, \"1\")(x)",
       "a = call_module layers.0.sub.1(x)"},
      {"a = getattr(self.layers, \"0\").bias", "a = get_attr layers.0.bias()"},
      {"a = torch.ops.aten.view.default(x, [2, 3])",
       "a = call_function aten.view.default(x, [2, 3])"},
      {"a = torch.ops.higher_order.cond(x, y, y, (x, y))",
       "a = call_function higher_order.cond(x, y, y, (x, y))"},
      {"a = torch.functional.einsum('bi,bj->bij', x, y)",
       "a = call_function torch.functional.einsum('bi,bj->bij', x, y)"},
      {"a = _operator_truth(x)", "a = call_function operator.truth(x)"},
      {"a = math_trunc(x)", "a = call_function math.trunc(x)"},
      {"a = torch.full((2,), inf, device = device(type='cuda', index=0), dtype = torch.float16)",
       "a = call_function torch.full((2), inf, device=device(type='cuda', index=0), "
       "dtype=torch.float16)"},
      {"a = f(-inf, nan, None, True, {'k': [x, \"it's\"]}, b'\\x00')",
       "a = call_function f(-inf, nan, None, True, {'k', [x, 'it's']}, '\\x00')"},
      {"a = f(x + 1, Point(x, 2), 99999999999999999999)",
       "a = call_function f(text:x + 1, Point(x, 2), 99999999999999999999)"},
  };
  for (const auto& [line, node] : cases) {
    INFO(line);
    const ReadGraph read = Statement(line);
    REQUIRE(read.set.graphs.size() == 1);
    REQUIRE(read.Nodes().size() == 2);
    CHECK(read.Nodes()[0] == node);
    CHECK(read.Count(Stat::graph_node_unreadable) == 0);
  }
}

TEST_CASE("a line that is no node is counted, and the next one is read", "[ingest][graph]") {
  for (const char* line : {"a = ", "a = )", "= x", "a b = x", "a = x.y.z", "a = f(x", "a = x[",
                           "100%|#####| 3/3 [00:01]", "x[0] = 1", "for a in x:", "a: \"f32[3]"}) {
    INFO(line);
    const ReadGraph read = Statement(line);
    REQUIRE(read.set.graphs.size() == 1);
    CHECK(read.Nodes() == Texts{"output output((x))"});
    CHECK(read.Count(Stat::graph_node_unreadable) == 1);
    CHECK_FALSE(read.graph().is_cut);
  }
}

TEST_CASE("deep nesting is text, in linear time", "[ingest][graph]") {
  const std::string deep(200'000, '(');
  const ReadGraph open = Statement("a = f(" + deep);
  CHECK(open.Count(Stat::graph_node_unreadable) == 1);
  const ReadGraph closed = Statement("a = f(" + deep + std::string(200'000, ')') + ")");
  CHECK(closed.Count(Stat::graph_node_unreadable) <= 1);
  const ReadGraph paths = Statement("a = " + [] {
    std::string text;
    for (int i = 0; i < 50'000; ++i) text += "getattr(";
    return text;
  }());
  CHECK(paths.Count(Stat::graph_node_unreadable) == 1);
}

TEST_CASE("placeholders are told apart by their names and types", "[ingest][graph]") {
  const ReadGraph read(
      "class GraphModule(torch.nn.Module):\n"
      "    def forward(self, L_self_modules_fc1_parameters_weight_: \"f32[8, 4][4, 1]cuda:0\", "
      "s77: \"Sym(s77)\", L_x_: \"f32[s77, 4][4, 1]cuda:0\", L_self_buffers_pos_: \"i64[]\", "
      "L_attention_mask_: \"b8[s77]\", G_mod_modules_0_parameters_bias_: \"bf16[8]\", "
      "L_self_modules_self_attn_parameters_w_: \"f32[4]\"):\n"
      "        l_x_ = L_x_\n"
      "        return (l_x_,)\n");
  CHECK(
      read.Placeholders() ==
      Texts{"L_self_modules_fc1_parameters_weight_ parameter "
            "L['self']._modules['fc1']._parameters['weight']",
            "s77 symbol", "l_x_ input L['x']",
            "L_self_buffers_pos_ buffer L['self']._buffers['pos']", "L_attention_mask_ input",
            "G_mod_modules_0_parameters_bias_ parameter G['mod']._modules['0']._parameters['bias']",
            "L_self_modules_self_attn_parameters_w_ parameter"});
  CHECK(read.Symbols() ==
        Texts{"s77 from s77 from L['x'].size()[0] from L_attention_mask_.size()[0]"});
  const ValueType& weight = read.set.types[read.graph().values[0].type];
  CHECK(read.Text(weight.dtype) == "torch.float32");
  CHECK(read.Text(weight.device) == "cuda:0");
  REQUIRE(weight.shape.size() == 2);
  CHECK(read.Show(weight.stride[0]) == "4");
  CHECK(read.set.types[read.graph().values[3].type].has_shape);
  CHECK(read.set.types[read.graph().values[3].type].shape.empty());
}

TEST_CASE("a backward graph takes tangents and what the forward kept", "[ingest][graph]") {
  const std::string body =
      "        mul = torch.ops.aten.mul.Tensor(tangents_1, primals_2)\n        return (mul,)\n";
  const ReadGraph backward(
      "class GraphModule(torch.nn.Module):\n    def forward(self, primals_2: \"f32[3]\", relu: "
      "\"f32[3]\", tangents_1: \"f32[3]\"):\n" +
      body);
  CHECK(backward.Placeholders() == Texts{"primals_2 saved", "relu saved", "tangents_1 tangent"});
  const ReadGraph joint(
      "class joint_fn(torch.nn.Module):\n    def forward(self, primals, tangents):\n"
      "        primals_1: \"f32[3]\"; primals_2: \"f32[3]\"; tangents_1: \"f32[3]\"; \n"
      "        primals_1, primals_2, tangents_1, = fx_pytree.tree_flatten_spec([primals, "
      "tangents], "
      "self._in_spec)\n" +
      body);
  CHECK(joint.Placeholders() == Texts{"primals_1 input", "primals_2 input", "tangents_1 tangent"});
  CHECK(joint.graph().values[0].type != kNoIndex);
}

TEST_CASE("assertions of a graph are constraints", "[ingest][graph]") {
  const ReadGraph read(
      "class GraphModule(torch.nn.Module):\n"
      "    def forward(self, x: \"f32[3]\"):\n"
      "        item: \"Sym(u0)\" = x.item()\n"
      "        ge: \"Sym(u0 >= 2)\" = item >= 2\n"
      "        _check = torch._check(ge);  ge = _check = None\n"
      "        a = torch.ops.aten._assert_scalar.default(le, \"Runtime assertion failed for "
      "expression u0 <= 64 on node 'le'\")\n"
      "        b = torch.ops.aten.sym_constrain_range_for_size.default(item, max = 100)\n"
      "        return (item,)\n");
  Texts constraints;
  for (const ExprId id : read.graph().constraints) constraints.push_back(read.Show(id));
  CHECK(constraints == Texts{"u0 >= 2", "u0 <= 64", "u0 >= 0", "u0 <= 100"});
}

TEST_CASE("comments give each node its place in the program", "[ingest][graph]") {
  const ReadGraph read(
      "class GraphModule(torch.nn.Module):\n"
      "    def forward(self, x):\n"
      "        # No stacktrace found for following nodes\n"
      "        a = x + 1\n"
      "\n"
      "        # ac_graph_id: 2 - PREFER_RECOMPUTE File: /app/m.py:12 in f, code: b = a * 2\n"
      "        b = a * 2\n"
      "        # File: /app/m.py:13, code: c = b\n"
      "        c = b - 1\n"
      "        return (c,)\n");
  const auto& nodes = read.graph().nodes;
  CHECK(nodes[1].user_line == 0);
  CHECK(read.Text(nodes[2].user_file) == "/app/m.py");
  CHECK(nodes[2].user_line == 12);
  CHECK(read.Text(nodes[2].user_function) == "f");
  CHECK(read.Text(nodes[2].code) == "b = a * 2");
  CHECK(nodes[2].line == 7);
  CHECK(nodes[3].user_line == 13);
  CHECK(read.Text(nodes[3].user_function).empty());
}

TEST_CASE("print(graph) is read in the spellings of all releases", "[ingest][graph]") {
  const ReadGraph read(
      "graph():\n"
      "    %x : [#users=1] = placeholder[target=x]\n"
      "    %b : int [num_users=1] = placeholder[target=b](default=2)\n"
      "    %rest : [num_users=1] = placeholder[target=*rest]\n"
      "    %w : [num_users=1] = get_attr[target=layers.0.weight]\n"
      "    %add : Tensor \"f32[s0, 4][4, 1]cpu\"[num_users=2] = "
      "call_function[target=operator.add](args = (%x, %b), kwargs = {})\n"
      "    %e : [num_users=1] = call_function[target=torch.functional.einsum](args = (bi,bj->bij, "
      "%add, %w), kwargs = {})\n"
      "    %to : [num_users=1] = call_method[target=to](args = (%add,), kwargs = {device: cuda:0, "
      "dtype: torch.float16})\n"
      "    %g : [num_users=1] = call_function[target=builtins.getattr](args = (%to, shape), kwargs "
      "= {})\n"
      "    return (e, {'y': g})\n");
  CHECK(read.Placeholders() == Texts{"x input", "b input=2", "rest input"});
  const Texts nodes = read.Nodes();
  REQUIRE(nodes.size() == 6);
  CHECK(nodes[0] == "w = get_attr layers.0.weight()");
  CHECK(nodes[1] == "add = call_function operator.add(x, b)");
  CHECK(nodes[3] == "to = call_method to(add, device=text:cuda:0, dtype=torch.float16)");
  CHECK(nodes[4] == "g = call_function getattr(to, shape)");
  CHECK(nodes[5] == "output output((e, {'y', g}))");
  CHECK(read.Symbols() == Texts{"s0"});
  CHECK(read.graph().outputs.size() == 2);
}

TEST_CASE("an exported program tells its inputs and ranges", "[ingest][graph]") {
  const std::string head =
      "ExportedProgram:\n"
      "    class GraphModule(torch.nn.Module):\n"
      "        def forward(self, p_w: \"f32[6, 3]\", b_m: \"f32[3]\", x: \"f32[s0, 6]\"):\n"
      "            add: \"f32[s0, 6]\" = torch.ops.aten.add.Tensor(x, 1);  x = None\n"
      "            return (add,)\n"
      "            \n";
  const Texts inputs{"p_w parameter self.w", "b_m buffer self.m", "x input"};
  const ReadGraph old(head +
                      "Graph signature: ExportGraphSignature(input_specs=[InputSpec(kind="
                      "<InputKind.PARAMETER: 2>, arg=TensorArgument(name='p_w'), target='w'), "
                      "InputSpec(kind=<InputKind.BUFFER: 3>, arg=TensorArgument(name='b_m'), "
                      "target='m', persistent=True), InputSpec(kind=<InputKind.USER_INPUT: 1>, "
                      "arg=TensorArgument(name='x'), target=None)], output_specs=[])\n"
                      "Range constraints: {s0: ValueRanges(lower=2, upper=64, is_bool=False)}\n");
  CHECK(old.Placeholders() == inputs);
  CHECK(old.Symbols() == Texts{"s0 2..64 from x.size()[0]"});
  const ReadGraph oldest(head +
                         "Graph Signature: x\nGraph signature: ExportGraphSignature(parameters="
                         "['w'], buffers=['m'], user_inputs=['x'], user_outputs=['add'], "
                         "inputs_to_parameters={'p_w': 'w'}, inputs_to_buffers={'b_m': 'm'})\n"
                         "Range constraints: {s0: RangeConstraint(min_val=2, "
                         "max_val=9223372036854775806)}\n");
  CHECK(oldest.Placeholders() == inputs);
  CHECK(oldest.Symbols() == Texts{"s0 2.. from x.size()[0]"});
  const ReadGraph now(head +
                      "Graph signature: \n    # inputs\n    p_w: PARAMETER target='w'\n    b_m: "
                      "BUFFER target='m' persistent=True\n    x: USER_INPUT\n\n    # outputs\n    "
                      "add: USER_OUTPUT\n\nRange constraints: {s0: VR[2, int_oo]}\n");
  CHECK(now.Placeholders() == inputs);
  CHECK(now.Symbols() == Texts{"s0 2.. from x.size()[0]"});
  CHECK(now.graph().format == "exported_program");
  const ReadGraph unbacked(head +
                           "Graph signature: \n    # inputs\n    p_w: PARAMETER target='w'\n\n"
                           "Range constraints: {u0: VR[0, int_oo], s0: VR[0, "
                           "9223372036854775806]}\n");
  CHECK(unbacked.Symbols() == Texts{"s0 0..9223372036854775806 from x.size()[0]"});
}

TEST_CASE("ranges of sizes that are no symbols are constraints", "[ingest][graph]") {
  // From print() of a program that torch.export made with strict=True: u0 and u1 are of the trace
  // that Dynamo made first, and in no graph of the program.
  const ReadGraph read(
      "ExportedProgram:\n"
      "    class GraphModule(torch.nn.Module):\n"
      "        def forward(self, x: \"f32[2*s39, 6]\", y: \"f32[s6 + 1]\"):\n"
      "            reshape: \"f32[s39, 12]\" = torch.ops.aten.reshape.default(x, [-1, 12]);  x = "
      "None\n"
      "            slice_1: \"f32[s6]\" = torch.ops.aten.slice.Tensor(y, 0, 1);  y = None\n"
      "            true_graph_0 = self.true_graph_0\n"
      "            return (reshape, slice_1)\n"
      "            \n"
      "        class true_graph_0(torch.nn.Module):\n"
      "            def forward(self, x: \"f32[s6]\"):\n"
      "                nonzero: \"i64[u2, 1]\" = torch.ops.aten.nonzero.default(x);  x = None\n"
      "                return (nonzero,)\n"
      "                \n"
      "Graph signature: \n    # inputs\n    x: USER_INPUT\n    y: USER_INPUT\n\n"
      "Range constraints: {2*s39: VR[4, 32], s39: VR[2, 16], s6 + 1: VR[4, int_oo], s6: VR[3, "
      "int_oo], u0: VR[0, 15], 3*u1: VR[0, 45], u2: VR[0, 60], zuf0: VR[0.5, oo]}\n");
  REQUIRE(read.set.graphs.size() == 2);
  CHECK(read.Symbols(0) == Texts{"s6 3..", "s39 2..16"});
  CHECK(read.Symbols(1) == Texts{"u2 0..60", "s6 3.. from x.size()[0]"});
  Texts constraints;
  for (const ExprId constraint : read.graph(0).constraints)
    constraints.push_back(read.Show(constraint));
  CHECK(constraints == Texts{"2*s39 >= 4", "2*s39 <= 32", "s6 + 1 >= 4"});
  CHECK(read.graph(1).constraints.empty());
  CHECK(read.set.stats.count(Stat::graph_expression_unknown).times == 0);
}

TEST_CASE("names may have letters of every script", "[ingest][graph]") {
  const ReadGraph read(
      "def forward(self, größe):\n    scale = self.π_scale\n"
      "    mul = größe * scale;  größe = scale = None\n    return (mul,)\n");
  REQUIRE(read.set.graphs.size() == 1);
  CHECK(read.Nodes() == Texts{"scale = get_attr π_scale()",
                              "mul = call_function operator.mul(größe, scale)",
                              "output output((mul))"});
}

TEST_CASE("a table calls functions by the names that Python has for them", "[ingest][graph]") {
  const ReadGraph read(
      "opcode         name          target                                               args      "
      "       kwargs\n"
      "-------------  ------------  ---------------------------------------------------  "
      "---------------  --------\n"
      "placeholder    x             x                                                    ()        "
      "       {}\n"
      "call_function  max_pool1d    <function boolean_dispatch.<locals>.fn at 0x7fd72>   (x, 3)    "
      "       {}\n"
      "call_function  max_pool1d_1  <function boolean_dispatch.<locals>.fn at 0x7fd72>   "
      "(max_pool1d, 3)  {}\n"
      "call_function  pooled        <function boolean_dispatch.<locals>.fn at 0x7fd99>   "
      "(max_pool1d_1,)  {}\n"
      "call_function  wrapped       <function wrap.<locals>.inner at 0x7fd99>            (pooled,) "
      "       {}\n"
      "output         output        output                                               "
      "(wrapped,)       {}\n");
  REQUIRE(read.set.graphs.size() == 1);
  CHECK(read.Nodes() == Texts{"max_pool1d = call_function max_pool1d(x, 3)",
                              "max_pool1d_1 = call_function max_pool1d(max_pool1d, 3)",
                              "pooled = call_function boolean_dispatch(max_pool1d_1)",
                              "wrapped = call_function inner(pooled)", "output output(wrapped)"});
}

TEST_CASE("a repro tells sizes, strides, devices and hints of its inputs", "[ingest][graph]") {
  const ReadGraph read(
      "# torch version: 2.13.0\n"
      "class Repro(torch.nn.Module):\n"
      "    def __init__(self) -> None:\n"
      "        super().__init__()\n"
      "\n"
      "    def forward(self, arg0_1, arg1_1, arg2_1):\n"
      "        mul = torch.ops.aten.mul.Tensor(arg1_1, arg0_1);  arg1_1 = arg0_1 = None\n"
      "        return (mul, arg2_1)\n"
      "\n"
      "def load_args(reader):\n"
      "    reader.symint(8, expr='s77')  # arg0_1\n"
      "    buf0 = reader.storage(None, 4*s77*5, device=device(type='cuda', index=0))\n"
      "    reader.tensor(buf0, (s77, 5), is_leaf=True)  # arg1_1\n"
      "    buf1 = reader.storage(None, 60)\n"
      "    reader.tensor(buf1, (3, 5), (1, 3), dtype=torch.float16, requires_grad=True)  # arg2_1\n"
      "load_args._version = 0\n"
      "mod = Repro()\n");
  CHECK(read.graph().format == "fx_graph_runnable");
  CHECK(read.Text(read.graph().torch_version) == "2.13.0");
  CHECK(read.Symbols() == Texts{"s77 hint 8 from arg0_1 from arg1_1.size()[0]"});
  const ValueType& first = read.set.types[read.graph().values[1].type];
  CHECK(read.Show(first.shape[0]) == "s77");
  CHECK(read.Show(first.stride[0]) == "5");
  CHECK(read.Text(first.device) == "cuda:0");
  CHECK(read.Text(first.dtype) == "torch.float32");
  const ValueType& second = read.set.types[read.graph().values[2].type];
  CHECK(read.Show(second.stride[1]) == "3");
  CHECK(read.Text(second.device) == "cpu");
  CHECK(second.requires_grad == true);
}

TEST_CASE("classes below a graph are its subgraphs", "[ingest][graph]") {
  const ReadGraph read(
      "class GraphModule(torch.nn.Module):\n"
      "    def forward(self, x: \"f32[3]\"):\n"
      "        true_graph_0 = self.true_graph_0\n"
      "        return (x,)\n"
      "        \n"
      "    class true_graph_0(torch.nn.Module):\n"
      "        def forward(self, x: \"f32[3]\"):\n"
      "            sin: \"f32[3]\" = torch.ops.aten.sin.default(x);  x = None\n"
      "            return (sin,)\n");
  REQUIRE(read.set.graphs.size() == 2);
  CHECK(read.graph(1).name == "true_graph_0");
  CHECK(read.graph(0).subgraphs == std::vector<uint32_t>{1});
  CHECK(read.Nodes(0)[0] == "true_graph_0 = get_attr true_graph_0()");
}

TEST_CASE("functions are told from those of users by how TorchScript prints them",
          "[ingest][graph]") {
  for (const char* printed :
       {"def f(x: Tensor) -> Tensor:\n  return torch.relu(x)\n", "def f() -> Tensor:\n  return x\n",
        "def f(x: Tensor,\n    n: int=3,\n    o: Optional[Dict[str, Tensor]]=None) -> Tuple[int, "
        "int]:\n"
        "  return (n, n)\n",
        "def m(self,\n    n: int) -> int:\n  return n\n", "def m(self) -> int:\n  return 1\n"}) {
    INFO(printed);
    const ReadGraph read(printed);
    REQUIRE(read.set.graphs.size() == 1);
    CHECK(read.graph().format == "torchscript_code");
    CHECK_FALSE(read.graph().is_cut);
  }
  for (const char* written :
       {"def f(x: torch.Tensor) -> torch.Tensor:\n  return x\n", "def f(x: Tensor):\n  return x\n",
        "def f(x: Tensor) -> Tensor:\n    return x\n", "def f(n: int) -> int:\n  return n\n",
        "def f(x: Tensor, y: Tensor) -> Tensor:\n  return x\n", "def f(x) -> Tensor:\n  return x\n",
        "def f(x: Tensor,\n      y: Tensor) -> Tensor:\n  return x\n", "def f", "def", "def f("}) {
    INFO(written);
    CHECK(ReadGraph(written).set.graphs.empty());
  }
}

TEST_CASE("code of TorchScript and of users is no FX graph", "[ingest][graph]") {
  CHECK(ReadGraph("def forward(self,\n    x: Tensor,\n    n: int) -> Tensor:\n  fc = self.fc\n"
                  "  return fc\n")
            .graph(0)
            .format == "torchscript_code");
  CHECK(ReadGraph("def forward(self: __torch__.M, x: Tensor) -> Tensor:\n  return x\n")
            .set.graphs.empty());
  CHECK(ReadGraph("  File \"m.py\", line 3\n    def forward(self, x):\nRuntimeError: no\n")
            .set.graphs.empty());
}

}  // namespace
}  // namespace shapewise
