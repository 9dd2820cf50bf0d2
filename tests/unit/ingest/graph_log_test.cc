// Graphs inside of logs and structured traces.

#include <string>
#include <string_view>
#include <vector>

#include "ingest/graph_reader.h"
#include "support/catch.h"

namespace shapewise {
namespace {

using Texts = std::vector<std::string>;

/// Lines of a graph with two nodes and a placeholder, as graph_code prints them.
Texts GraphLines(const std::string& op) {
  return {"TRACED GRAPH",
          " ===== __compiled_fn_1 =====",
          " /opt/torch/fx/_lazy_graph_module.py class GraphModule(torch.nn.Module):",
          "    def forward(self, s77: \"Sym(s77)\", L_x_: \"f32[s77][1]cpu\"):",
          "        l_x_ = L_x_",
          "        ",
          "        # File: /app/m.py:3 in f, code: return x." + op + "()",
          "        " + op + ": \"f32[s77][1]cpu\" = l_x_." + op + "();  l_x_ = None",
          "        return (" + op + ",)",
          "        ",
          ""};
}

/// "name format compile-id line: targets of its nodes"
Texts Graphs(const GraphSet& graphs) {
  Texts texts;
  for (const GraphModel& graph : graphs.graphs) {
    std::string text = graph.name + " " + graph.format + " " +
                       std::string(graphs.strings.text(graph.compile_id)) + " " +
                       std::to_string(graph.line) + ":";
    for (const GraphNode& node : graph.nodes) {
      text += " " + std::string(graphs.strings.text(node.target));
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

Texts ReadLog(const std::string& text) {
  GraphSet graphs;
  CHECK(ReadGraphsFromBytes("train.log", text, graphs).empty());
  return Graphs(graphs);
}

std::string Prefix(int process, const std::string& id) {
  return "V1121 03:54:02.942000 " + std::to_string(process) +
         " torch/_dynamo/output_graph.py:2835] [" + id + "] [__graph_code] ";
}

TEST_CASE("a graph in a log is read with its title and compile id", "[ingest][graph]") {
  std::string text = "step 1 loss 0.5\nstep 2 loss 0.4\n";
  for (const std::string& line : GraphLines("relu")) text += Prefix(7, "0/1") + line + "\n";
  text += "step 3 loss 0.3\n";
  CHECK(ReadLog(text) == Texts{"__compiled_fn_1 torch_log 0/1 6: s77 L_x_ relu output"});
  // Editors take the blanks at the end of a line away.
  std::string trimmed;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') {
      while (trimmed.ends_with(' ')) trimmed.pop_back();
    }
    trimmed += text[at];
  }
  CHECK(ReadLog(trimmed) == ReadLog(text));
}

TEST_CASE("ranks that write at once do not mix", "[ingest][graph]") {
  const Texts first = GraphLines("relu");
  const Texts second = GraphLines("sin");
  std::string by_process;
  std::string by_launcher;
  for (size_t i = 0; i < first.size(); ++i) {
    by_process += Prefix(7, "0/0") + first[i] + "\n" + Prefix(8, "0/0") + second[i] + "\n";
    by_launcher += "[rank0]:" + Prefix(7, "0/0") + first[i] + "\nloss 3.14\n";
    by_launcher += "[rank1]:" + Prefix(7, "0/0") + second[i] + "\n";
  }
  CHECK(ReadLog(by_process) == Texts{"__compiled_fn_1 torch_log 0/0 7: s77 L_x_ relu output",
                                     "__compiled_fn_1 torch_log 0/0 8: s77 L_x_ sin output"});
  CHECK(ReadLog(by_launcher) == Texts{"__compiled_fn_1 torch_log 0/0 10: s77 L_x_ relu output",
                                      "__compiled_fn_1 torch_log 0/0 12: s77 L_x_ sin output"});
}

TEST_CASE("a graph that a program prints is read among other lines", "[ingest][graph]") {
  std::string plain = "[2026-01-01 00:00:01] start\n";
  std::string ranked = plain;
  const Texts lines{"graph():", "    %x : [num_users=1] = placeholder[target=x]",
                    "    %add : [num_users=1] = call_function[target=operator.add](args = (%x, 1), "
                    "kwargs = {})",
                    "    return add"};
  for (const std::string& line : lines) {
    plain += line + "\n";
    ranked += "[rank0]: " + line + "\n[rank1]: noise\n";
  }
  CHECK(ReadLog(plain + "done\n") == Texts{"graph print_graph  2: x operator.add output"});
  CHECK(ReadLog(ranked) == Texts{"graph torch_log  2: x operator.add output"});
}

TEST_CASE("the prefix of 2.2 stands on the first line only", "[ingest][graph]") {
  std::string text =
      "[2023-11-06 14:54:45,922] [0/0] torch._dynamo.output_graph.__graph_code: [DEBUG] ";
  for (const std::string& line : GraphLines("relu")) text += line + "\n";
  const Texts graphs = ReadLog(text);
  REQUIRE(graphs.size() == 1);
  CHECK(graphs[0].ends_with(" 4: s77 L_x_ relu output"));
}

TEST_CASE("sizes that are logged beside a table are those of its graph", "[ingest][graph]") {
  const std::string prefix = "[2023-11-06 14:54:45,922] [0/0] torch._dynamo.output_graph.";
  std::string text;
  for (const char* line :
       {"TRACED GRAPH", " ===== __compiled_fn_0 =====",
        " <eval_with_key>.3 opcode         name    target                   args       kwargs",
        "-------------  ------  -----------------------  ---------  --------",
        "placeholder    l_x_    L_x_                     ()         {}",
        "call_function  add     <built-in function add>  (l_x_, 1)  {}",
        "output         output  output                   ((add,),)  {}", ""}) {
    text += prefix + "__graph: [DEBUG] " + line + "\n";
  }
  for (const char* line : {"TRACED GRAPH TENSOR SIZES", "===== __compiled_fn_0 =====",
                           "l_x_: (s0, 4)", "l_x_ (concrete): (8, 4)", "add: (s0, 4)", ""}) {
    text += prefix + "__graph_sizes: [DEBUG] " + line + "\n";
  }
  GraphSet graphs;
  CHECK(ReadGraphsFromBytes("train.log", text, graphs).empty());
  CHECK(Graphs(graphs) == Texts{"__compiled_fn_0 torch_log 0/0 3: L_x_ operator.add output"});
  const GraphModel& graph = graphs.graphs.at(0);
  REQUIRE(graph.symbols.size() == 1);
  CHECK(graph.symbols[0].hint == 8);
  REQUIRE(graph.values[1].type != kNoIndex);
  CHECK(graphs.types[graph.values[1].type].shape.size() == 2);
}

TEST_CASE("a log without a graph is not recognised", "[ingest][graph]") {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "step 1 loss 0.5 def forward(self, x):\n";
  GraphSet graphs;
  CHECK(ReadGraphsFromBytes("train.log", text, graphs).empty());
  CHECK(graphs.graphs.empty());
  CHECK(graphs.inputs[0].format.empty());
  CHECK(graphs.inputs[0].first_line == "step 1 loss 0.5 def forward(self, x):");
}

TEST_CASE("a trace gives its graphs, and what it says of their symbols", "[ingest][graph]") {
  const std::string prefix = "V1121 04:07:24.693000 23801 torch/_dynamo/output_graph.py:5400] ";
  const std::string tail = ", \"frame_id\": 0, \"frame_compile_id\": 1, \"attempt\": 0";
  std::string text = prefix +
                     "{\"create_symbol\": {\"symbol\": \"s77\", \"val\": \"5\", \"vr\": \"[2, "
                     "int_oo]\", \"source\": \"L['x'].size()[0]\"}" +
                     tail + "}\n";
  // The same name in another compilation is another symbol.
  text += prefix +
          "{\"create_symbol\": {\"symbol\": \"s77\", \"val\": \"9\", \"vr\": \"[2, 10]\", "
          "\"source\": \"L['y'].size()[0]\"}, \"frame_id\": 1, \"frame_compile_id\": 0, "
          "\"attempt\": 0}\n";
  text += prefix + "{\"dynamo_output_graph\": {\"sizes\": {}}" + tail +
          ", \"has_payload\": \"96d258399e0b7aadd931b60d70b2302a\"}\n";
  const Texts lines = GraphLines("relu");
  text += "\tclass GraphModule(torch.nn.Module):\n";
  for (size_t i = 3; i < lines.size(); ++i) text += "\t" + lines[i] + "\n";
  text += prefix + "{\"inductor_output_code\": {}" + tail +
          ", \"has_payload\": \"96d258399e0b7aadd931b60d70b2302a\"}\n\tclass "
          "K(torch.nn.Module):\n\t    def forward(self, x: \"f32[3]\"):\n\t        return (x,)\n";
  GraphSet graphs;
  CHECK(ReadGraphsFromBytes("trace.log", text, graphs).empty());
  CHECK(Graphs(graphs) == Texts{"dynamo_output_graph torch_trace 0/1 5: s77 L_x_ relu output"});
  const std::vector<GraphSymbol>& symbols = graphs.graphs.at(0).symbols;
  REQUIRE(symbols.size() == 1);
  CHECK(symbols[0].hint == 5);
  CHECK(symbols[0].lower == 2);
  CHECK_FALSE(symbols[0].upper);
  REQUIRE(symbols[0].sources.size() == 2);
  CHECK(graphs.strings.text(symbols[0].sources[1]) == "L['x'].size()[0]");
}

TEST_CASE("a trace gives its graphs whatever the order of the keys", "[ingest][graph]") {
  const std::string prefix = "V1121 04:07:24.693000 23801 torch/_dynamo/output_graph.py:5400] {";
  const std::string id = "\"frame_id\": 0, \"frame_compile_id\": 1, \"attempt\": 0";
  const std::string symbol =
      "\"create_symbol\": {\"symbol\": \"s77\", \"val\": \"5\", \"vr\": \"[2, int_oo]\", "
      "\"source\": \"L['x'].size()[0]\"}";
  const std::string graph = "\"dynamo_output_graph\": {\"sizes\": {}}";
  const std::string payload = "\"has_payload\": \"96d258399e0b7aadd931b60d70b2302a\"";
  std::string lines;
  const Texts all = GraphLines("relu");
  for (size_t i = 3; i < all.size(); ++i) lines += "\t" + all[i] + "\n";
  const std::string body = "\tclass GraphModule(torch.nn.Module):\n" + lines;
  // Fields that all envelopes have, known or not, may come first; so may the payload's.
  for (const std::string first : {"\"rank\": 0, ", "\"of_a_later_release\": {}, "}) {
    for (const std::string& text : {prefix + first + symbol + ", " + id + "}\n" + prefix + first +
                                        graph + ", " + id + ", " + payload + "}\n" + body,
                                    prefix + id + ", " + first + symbol + "}\n" + prefix + payload +
                                        ", " + id + ", " + first + graph + "}\n" + body}) {
      INFO(text);
      GraphSet graphs;
      CHECK(ReadGraphsFromBytes("trace.log", text, graphs).empty());
      REQUIRE(Graphs(graphs) ==
              Texts{"dynamo_output_graph torch_trace 0/1 4: s77 L_x_ relu output"});
      REQUIRE(graphs.graphs[0].symbols.size() == 1);
      CHECK(graphs.graphs[0].symbols[0].hint == 5);
    }
  }
}

TEST_CASE("colours and carriage returns are no part of a graph", "[ingest][graph]") {
  const std::string text =
      "class GraphModule(torch.nn.Module):\r\n"
      "    def forward(self, x: "
      "\"\x1b[31mf32\x1b[0m\x1b[34m[3]\x1b[0m\x1b[2m\x1b[34m[1]\x1b[0m\"):\r\n"
      "        a = x + \x1b[34m1\x1b[0m;  \x1b[2mx = None\x1b[0m\r\n"
      "        return (a,)\r\n";
  GraphSet graphs;
  CHECK(ReadGraphsFromBytes("dump.txt", text, graphs).empty());
  CHECK(Graphs(graphs) == Texts{"GraphModule print_readable  2: x operator.add output"});
  CHECK(graphs.types[graphs.graphs.at(0).values[0].type].has_stride);
}

}  // namespace
}  // namespace shapewise
