// Graphs that no program makes: their verdicts may be unknown, but they come, and soon.

#include <string>

#include "shapewise/ingest/graph_reader.h"
#include "shapewise/shapes/padding.h"
#include "support/catch.h"
#include "unit/shapes/graph_text.h"

namespace shapewise {
namespace {

TEST_CASE("tensors of more dims than PyTorch has are not followed", "[padding]") {
  std::string body;
  for (int i = 0; i < 300; ++i) {
    const std::string before = i == 0 ? "x" : "a" + std::to_string(i - 1);
    body += "a" + std::to_string(i) + " = torch.unsqueeze(" + before + ", 0)\n";
  }
  body += "b = a299.sum(0)\nc = torch.transpose(a299, 0, 255)\nd = a299 + a255";
  CHECK(PaddingOf("x: \"f32[s0, 4]\"", body, "a299, b, c, d").starts_with("unknown\n"));

  std::string ones;
  for (int i = 0; i < 256; ++i) ones += "1, ";
  const std::string view = "a = x.view(" + ones + "s0, 4)\nb = a.flatten()\nc = a[0, 0]";
  CHECK(PaddingOf("s0: \"Sym(s0)\", x: \"f32[s0, 4]\"", view, "a, b, c").starts_with("unknown\n"));

  // Dims that are folded into one stay axes of it.
  std::string folded = "a0 = x.flatten()";
  for (int i = 1; i < 200; ++i) {
    const std::string number = std::to_string(i);
    folded += "\nb" + number + " = a" + std::to_string(i - 1) + ".unsqueeze(0)\nc" + number +
              " = b" + number + ".expand(s0, -1)\na" + number + " = c" + number + ".flatten()";
  }
  CHECK(PaddingOf("s0: \"Sym(s0)\", x: \"f32[s0]\"", folded, "a199").starts_with("un"));
}

TEST_CASE("more symbols than can be followed get no verdict", "[padding]") {
  std::string inputs;
  for (int i = 0; i < 3000; ++i) {
    const std::string number = std::to_string(i);
    inputs += (i == 0 ? "x" : ", x") + number + ": \"f32[s" + number + "]\"";
  }
  GraphSet graphs;
  REQUIRE(ReadGraphsFromBytes("graph.txt", GraphText(inputs, "y = x0 + 1", "y"), graphs).empty());
  REQUIRE(graphs.graphs.size() == 1);
  const GraphReport report = AnalyzePadding(graphs, 0, /*most_visits=*/0);
  REQUIRE(report.padding.size() == 3000);
  CHECK(report.padding[0].verdict == PaddingVerdict::kSafe);
  CHECK(report.padding[1999].verdict == PaddingVerdict::kSafe);
  CHECK(report.padding[2999].verdict == PaddingVerdict::kUnknown);
  REQUIRE(report.padding[2999].because.size() == 1);
  CHECK(report.padding[2999].because[0].why ==
        "the graph has too many symbols to follow each of them");
}

}  // namespace
}  // namespace shapewise
