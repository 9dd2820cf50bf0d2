// Archives and code that would take more time or memory than they are worth: the limits hold.

#include <string>
#include <string_view>
#include <vector>

#include "ingest/graph_reader.h"
#include "support/catch.h"
#include "support/zip_builder.h"

namespace shapewise {
namespace {

struct ReadInput {
  explicit ReadInput(std::string_view bytes) {
    failures = ReadGraphsFromBytes("input", bytes, set);
  }

  GraphSet set;
  std::vector<std::string> failures;
};

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
    ReadInput read(BuildZip({{.name = "m/code/__torch__.py", .text = code, .is_deflated = true},
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
  ReadInput read(code);
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
  ReadInput deep(head + chain + "\n");
  REQUIRE(deep.set.graphs.size() == 1);
  CHECK(deep.set.graphs[0].is_cut);

  const std::string long_name(1 << 20, 'a');
  std::string list = "    n = self.m." + long_name + "\n    return [";
  for (int i = 0; i < 100000; ++i) list += "n, ";
  ReadInput wide(head + list + "]\n");
  REQUIRE(wide.set.graphs.size() == 1);
  CHECK(wide.set.graphs[0].is_cut);

  std::string functions = "class Net(Module):\n  __parameters__ = []\n";
  for (int i = 0; i < 200000; ++i) functions += "  def f\n";
  ReadInput many(functions + "  def g(self,\n    x: Tensor) -> Tensor:\n    return x\n");
  REQUIRE(many.set.graphs.size() == 1);
  CHECK(many.set.graphs[0].name == "Net.g");
  CHECK(many.set.graphs[0].placeholders.size() == 2);
}

TEST_CASE("a state that many objects share is looked through once", "[ingest][archive]") {
  constexpr int kNumShared = 20000;
  // Attributes of one object are objects that have one state.
  const auto text_of = [](const std::string& text) {
    return "X" + LittleEndian(text.size(), 4) + text;
  };
  std::string pickle =
      "\x80\x02"
      "c__torch__\nNet\n)\x81}(" +
      text_of("shared") + "}r" + LittleEndian(0, 4) + "(";
  for (int i = 0; i < kNumShared; ++i) pickle += text_of("k" + std::to_string(i)) + "K\x01";
  pickle += "u";
  std::string code = "class Net(Module):\n  def forward(self,\n    x: Tensor) -> Tensor:\n";
  for (int i = 0; i < kNumShared; ++i) {
    const std::string name = "m" + std::to_string(i);
    pickle += text_of(name) + "c__torch__\nNet\n)\x81j" + LittleEndian(0, 4) + "b";
    code += "    x = torch.add(x, self." + name + ".k1)\n";
  }
  ReadInput script(BuildZip({{.name = "m/code/__torch__.py", .text = code + "    return x\n"},
                             {.name = "m/data.pkl", .text = pickle + "ub."}}));
  REQUIRE(script.failures.empty());
  REQUIRE(script.set.graphs.size() == 1);
  CHECK_FALSE(script.set.graphs[0].is_cut);
  CHECK(script.set.graphs[0].nodes.size() == kNumShared + 2);
}

}  // namespace
}  // namespace shapewise
