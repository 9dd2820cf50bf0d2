#include "advise/source_patch.h"

#include <catch2/catch.hpp>
#include <string>

#include "advise/python_lines.h"

namespace shapewise {
namespace {

Advice Planned(PasteAt at, const std::string& code, uint32_t line) {
  Advice advice;
  RankedAction& ranked = advice.actions.emplace_back();
  ranked.at = at;
  ranked.action.kind = "config";
  ranked.action.code = code;
  ranked.action.text = "Do it.";
  ranked.action.target = {"step", "/srv/train.py", line};
  advice.plan = {0};
  return advice;
}

SourcePatch Patch(const Advice& advice, const std::string& text) {
  return PatchSources(advice, [&](const std::string& path) -> std::optional<SourceText> {
    CHECK(path == "/srv/train.py");
    return SourceText{"train.py", text};
  });
}

constexpr const char* kProgram =
    "import torch\n"
    "\n"
    "\n"
    "@torch.compile(dynamic=False)\n"
    "def step(x, mask):\n"
    "    return x * mask\n"
    "\n"
    "\n"
    "for batch, keep in data:\n"
    "    out = step(batch, keep)\n";

TEST_CASE("A setting goes behind the imports", "[advise]") {
  const SourcePatch patch =
      Patch(Planned(PasteAt::kConfig, "torch._dynamo.config.a = 1", 4), kProgram);
  CHECK(patch.skipped.empty());
  CHECK(patch.diff ==
        "--- a/train.py\n+++ b/train.py\n@@ -1,5 +1,6 @@\n import torch\n"
        "+torch._dynamo.config.a = 1\n \n \n @torch.compile(dynamic=False)\n"
        " def step(x, mask):\n");
}

TEST_CASE("Marks go before each call, in the names of the caller", "[advise]") {
  const SourcePatch patch =
      Patch(Planned(PasteAt::kBeforeCall, "torch._dynamo.mark_dynamic(x, 0)", 4), kProgram);
  CHECK(patch.skipped.empty());
  CHECK(patch.diff ==
        "--- a/train.py\n+++ b/train.py\n@@ -7,4 +7,5 @@\n \n \n for batch, keep in data:\n"
        "+    torch._dynamo.mark_dynamic(batch, 0)\n     out = step(batch, keep)\n");
}

TEST_CASE("dynamic=False is taken out where it stands", "[advise]") {
  const SourcePatch patch = Patch(Planned(PasteAt::kCompileCall, "dynamic=None", 4), kProgram);
  CHECK(patch.diff.find("-@torch.compile(dynamic=False)\n+@torch.compile()\n") !=
        std::string::npos);
}

TEST_CASE("Another file than that of the log is left alone", "[advise]") {
  const SourcePatch patch =
      Patch(Planned(PasteAt::kConfig, "torch._dynamo.config.a = 1", 3), kProgram);
  CHECK(patch.diff.empty());
  REQUIRE(patch.skipped.size() == 1);
  CHECK(patch.skipped[0].find("no function step at line 3") != std::string::npos);
}

TEST_CASE("A call that may run several times or not at all leaves all calls alone", "[advise]") {
  for (const std::string call : {
           "r = [step(x, keep) for x in xs]\n",
           "while step(batch, keep): pass\n",
           "r = ok and step(batch, keep)\n",
           "batch = load(); r = step(batch, keep)\n",
           "r = run(\n    step(batch, keep))\n",
           "r = step(*pair)\n",
           "run(step, batch)\n",
       }) {
    CAPTURE(call);
    const SourcePatch patch = Patch(
        Planned(PasteAt::kBeforeCall, "torch._dynamo.mark_dynamic(x, 0)", 4), kProgram + call);
    CHECK(patch.diff.empty());
    CHECK(patch.skipped.size() == 1);
  }
}

TEST_CASE("Marks go before calls of a compiled module, and arguments get names", "[advise]") {
  const std::string text =
      "import torch\n"
      "class Net(torch.nn.Module):\n"
      "    def forward(self, x, mask=None): return x\n"
      "net = Net(); step = torch.compile(net)\n"
      "total = step(load(), mask=keep).sum()\n";
  Advice advice = Planned(PasteAt::kBeforeCall, "torch._dynamo.mark_dynamic(x, 0)", 3);
  advice.actions.front().action.target.function = "forward";
  const SourcePatch patch = Patch(advice, text);
  CHECK(patch.skipped.empty());
  CHECK(patch.diff.find("+marked_x = load()\n+torch._dynamo.mark_dynamic(marked_x, 0)\n"
                        "-total = step(load(), mask=keep).sum()\n"
                        "+total = step(marked_x, mask=keep).sum()\n") != std::string::npos);
}

TEST_CASE("Arguments of torch.compile are changed only where they are as expected", "[advise]") {
  CHECK(WithArgument("@torch.compile(backend=\"eager\", dynamic=False)", "dynamic=None") ==
        "@torch.compile(backend=\"eager\")");
  CHECK(WithArgument("@torch.compile(dynamic=False, mode=m)", "dynamic=None") ==
        "@torch.compile(mode=m)");
  CHECK(WithArgument("@torch.compile(dynamic=False)", "dynamic=True") ==
        "@torch.compile(dynamic=True)");
  CHECK(WithArgument("g = torch.compile(f, mode=m(1))", "dynamic=True") ==
        "g = torch.compile(f, mode=m(1), dynamic=True)");
  CHECK(WithArgument("@torch.compile", "dynamic=True") == "@torch.compile(dynamic=True)");
  CHECK_FALSE(WithArgument("@torch.compile", "dynamic=None"));
  CHECK_FALSE(WithArgument("@torch.compile(dynamic=flag)", "dynamic=None"));
  CHECK_FALSE(WithArgument("@torch.compile(dynamic=True)", "dynamic=None"));
  CHECK_FALSE(WithArgument("g = torch.compile(f,", "dynamic=True"));
}

TEST_CASE("Names are replaced as whole words, outside of texts", "[advise]") {
  CHECK(WithNames("m(x, 0)", {{"x", "batch"}}) == "m(batch, 0)");
  CHECK(WithNames("m(batch['x'], xx.x)", {{"x", "y"}}) == "m(batch['x'], xx.x)");
}

TEST_CASE("Imports end where the first other statement begins", "[advise]") {
  const std::vector<std::string> lines = {
      "\"\"\"A program.", "",  "import os",    "\"\"\"", "import os",  "from a import (",
      "    b,",           ")", "import torch", "x = 1",  "import late"};
  CHECK(PythonLines(lines).EndOfImports() == 9);
  CHECK(PythonLines(lines).ImportsTorch());
}

}  // namespace
}  // namespace shapewise
