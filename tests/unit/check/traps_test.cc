// Ten ways to accuse wrongly, or to stay quiet wrongly, each seen in real model code. Behind each
// is a measurement under torch 2.13: what breaks there and what does not.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "support/catch.h"
#include "support/judge_code.h"

namespace shapewise {
namespace {

constexpr std::string_view kHead =
    "import logging\nimport numpy as np\nimport torch\nfrom torch import nn\n"
    "logger = logging.getLogger(__name__)\n";

/// A module whose forward has this body.
std::string ModuleOf(const std::string& parameters, const std::string& body) {
  std::string text =
      std::string(kHead) + "class Net(nn.Module):\n    def forward(self, " + parameters + "):\n";
  for (size_t begin = 0; begin < body.size();) {
    const size_t end = std::min(body.find('\n', begin), body.size());
    text += "        " + body.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return text;
}

struct FoundBreaks {
  size_t accusations = 0;  ///< warnings and errors that name a break
  size_t notes = 0;
  std::vector<CodeFinding> breaks;

  bool Needs(std::string_view condition) const {
    return !breaks.empty() && llvm::all_of(breaks, [&](const CodeFinding& finding) {
      return llvm::is_contained(finding.conditions, condition);
    });
  }
};

FoundBreaks BreaksIn(const std::string& text, CodeMode mode = CodeMode::kBoth) {
  FoundBreaks reported;
  for (CodeFinding& finding : JudgeCode(text, CodeRuleSet::Builtin(), mode)) {
    if (finding.breaks.empty()) continue;
    const bool is_note = finding.severity == Severity::kNote;
    ++(is_note ? reported.notes : reported.accusations);
    reported.breaks.push_back(std::move(finding));
  }
  return reported;
}

TEST_CASE("trap 1: a test that only fp16 reaches is a note that names the dtype",
          "[check][traps]") {
  const FoundBreaks reported =
      BreaksIn(ModuleOf("x: torch.Tensor",
                        "if x.dtype == torch.float16 and torch.isinf(x).any():\n"
                        "    x = x.clamp(max=1)\n"
                        "return x"));
  CHECK(reported.accusations == 0);
  CHECK(reported.Needs("dtype"));
}

TEST_CASE("trap 2: NumPy numbers are not torch tensors; random ones break", "[check][traps]") {
  const FoundBreaks plain = BreaksIn(ModuleOf("x: torch.Tensor",
                                              "sizes = [1, 2, 3]\n"
                                              "if max(sizes) > 2:\n"
                                              "    x = x + 1\n"
                                              "return x"));
  CHECK(plain.breaks.empty());
  const FoundBreaks drawn = BreaksIn(ModuleOf("x: torch.Tensor",
                                              "epsilon = np.random.rand(1).item()\n"
                                              "return x * epsilon"));
  CHECK(drawn.accusations >= 1);
}

TEST_CASE("trap 3: code that needs labels says so", "[check][traps]") {
  const FoundBreaks reported =
      BreaksIn(ModuleOf("x: torch.Tensor, labels: torch.Tensor | None = None",
                        "if labels is not None and labels.max() >= 10:\n"
                        "    raise ValueError\n"
                        "return x"));
  CHECK(reported.accusations == 0);
  CHECK(reported.Needs("argument"));
}

TEST_CASE("trap 4: repeat_interleave with a number is harmless, with a tensor it is not",
          "[check][traps]") {
  CHECK(
      BreaksIn(ModuleOf("x: torch.Tensor", "return x.repeat_interleave(2, dim=0)")).breaks.empty());
  CHECK(BreaksIn(ModuleOf("x: torch.Tensor, n: torch.LongTensor",
                          "return torch.repeat_interleave(x, n, dim=0)"))
            .accusations == 1);
  CHECK(BreaksIn(ModuleOf("x: torch.Tensor, n: torch.LongTensor",
                          "return torch.repeat_interleave(x, n, dim=0, output_size=8)"))
            .breaks.empty());
}

TEST_CASE("trap 5: a store by a mask is traced, a read is not", "[check][traps]") {
  CHECK(BreaksIn(ModuleOf("x: torch.Tensor", "x[x > 0] = 1\nreturn x")).breaks.empty());
  CHECK(BreaksIn(ModuleOf("x: torch.Tensor", "return x[x > 0]")).accusations == 1);
}

TEST_CASE("trap 6: experts whose code a decorator replaces are not reported", "[check][traps]") {
  const std::string text = std::string(kHead) +
                           "from elsewhere import use_experts_implementation\n"
                           "@use_experts_implementation\n"
                           "class Experts(nn.Module):\n"
                           "    def forward(self, x: torch.Tensor, chosen: torch.LongTensor):\n"
                           "        for i in (chosen > 0).nonzero():\n"
                           "            x = x + i\n"
                           "        return x\n";
  const FoundBreaks reported = BreaksIn(text);
  CHECK(reported.accusations == 0);
  CHECK(reported.Needs("replaced"));
}

TEST_CASE("trap 7: is_compiling protects under torch.compile, is_tracing does not",
          "[check][traps]") {
  CHECK(BreaksIn(ModuleOf("x: torch.Tensor",
                          "if not torch.compiler.is_compiling() and x.any():\n"
                          "    x = x + 1\n"
                          "return x"))
            .breaks.empty());
  CHECK(BreaksIn(ModuleOf("x: torch.Tensor",
                          "if not torch.jit.is_tracing() and x.any():\n"
                          "    x = x + 1\n"
                          "return x"))
            .accusations == 1);
}

TEST_CASE("trap 8: a condition passed to torch._check is not a branch", "[check][traps]") {
  CHECK(BreaksIn(ModuleOf("x: torch.Tensor, n: int",
                          "torch._check(n > 0, lambda: \"too few\")\n"
                          "return x * n"))
            .breaks.empty());
}

TEST_CASE("trap 9: a training-only warning says so, and --mode excludes it", "[check][traps]") {
  const std::string text = ModuleOf("x: torch.Tensor, use_cache: bool = False",
                                    "if self.training:\n"
                                    "    logger.warning(\"slow\")\n"
                                    "return x");
  const FoundBreaks reported = BreaksIn(text);
  CHECK(reported.Needs("training"));
  CHECK(BreaksIn(text, CodeMode::kEvaluation).breaks.empty());
  CHECK_FALSE(BreaksIn(text, CodeMode::kTraining).breaks.empty());
}

TEST_CASE("trap 10: code that no compiled region reaches is not checked", "[check][traps]") {
  const std::string text = ModuleOf("x: torch.Tensor", "return x + 1") +
                           "    def freeze(self):\n"
                           "        for parameter in self.parameters():\n"
                           "            parameter.requires_grad = False\n"
                           "    def generate(self, x: torch.Tensor):\n"
                           "        return x.argmax().item()\n";
  CHECK(BreaksIn(text).breaks.empty());
}

TEST_CASE("a size that Python's log pins is a recompile, not a break; sqrt pins none",
          "[check][traps]") {
  const auto text = [](const std::string& function) {
    return "import math\n" + ModuleOf("x: torch.Tensor", "side = int(math." + function +
                                                             "(x.shape[1]))\n"
                                                             "return x.view(-1, side, side)");
  };
  CHECK(BreaksIn(text("log")).breaks.empty());
  CHECK(JudgeCode(text("log"), CodeRuleSet::Builtin()).size() == 1);
  CHECK(JudgeCode(text("sqrt"), CodeRuleSet::Builtin()).empty());
}

TEST_CASE("trap 11: a branch that the default takes needs no condition, the other one does",
          "[check][traps]") {
  const std::string body =
      "if reduction == \"mean\":\n    return x.mean().item()\nreturn x[x > 0]\n";
  const FoundBreaks by_default =
      BreaksIn(ModuleOf("x: torch.Tensor, reduction: str = \"mean\"", body));
  REQUIRE(by_default.breaks.size() == 2);
  CHECK(by_default.breaks[0].conditions.empty());
  const FoundBreaks by_choice =
      BreaksIn(ModuleOf("x: torch.Tensor, reduction: str = \"sum\"", body));
  REQUIRE(by_choice.breaks.size() == 2);
  CHECK(by_choice.breaks[0].conditions == std::vector<std::string>{"argument"});
  CHECK(by_choice.breaks[0].severity == Severity::kNote);
  CHECK(by_choice.breaks[1].conditions.empty());
}

TEST_CASE("trap 12: what a literal argument rules out never runs", "[check][traps]") {
  const std::string head = std::string(kHead) +
                           "def reduced(x: torch.Tensor, how, check):\n"
                           "    if check and x.isnan().any():\n        raise ValueError(\"nan\")\n"
                           "    if how in (\"sum\", \"mean\"):\n        return x.sum()\n"
                           "    return x.max().item()\n"
                           "class Net(nn.Module):\n    def forward(self, x: torch.Tensor):\n";
  CHECK(BreaksIn(head + "        return reduced(x, \"sum\", False)\n").breaks.empty());
  CHECK(BreaksIn(head + "        return reduced(x, \"max\", False)\n").accusations == 1);
  CHECK(BreaksIn(head + "        return reduced(x, \"max\", True)\n").accusations == 2);
}

TEST_CASE("trap 13: a name that a loop or a local function assigns again is no literal",
          "[check][traps]") {
  CHECK(BreaksIn(ModuleOf("x: torch.Tensor",
                          "first = True\nfor _ in range(3):\n    if not first:\n"
                          "        x = x * x.sum().item()\n    first = False\nreturn x\n"))
            .accusations == 1);
  CHECK(BreaksIn(ModuleOf("x: torch.Tensor",
                          "seen = False\ndef see():\n    nonlocal seen\n    seen = True\nsee()\n"
                          "if seen:\n    x = x * x.sum().item()\nreturn x\n"))
            .breaks.size() == 1);
}

TEST_CASE("trap 14: an optional entry of a batch is an optional input", "[check][traps]") {
  const FoundBreaks reported =
      BreaksIn(ModuleOf("batch: dict",
                        "x = batch[\"x\"].sum()\nif \"lengths\" in batch:\n"
                        "    x = x * torch.unique(x).sum()\nreturn x\n"));
  REQUIRE(reported.breaks.size() == 1);
  CHECK(reported.Needs("input"));
}

TEST_CASE("trap 15: a function that no module calls says so", "[check][traps]") {
  const FoundBreaks reported = BreaksIn(
      std::string(kHead) + "def scaled(x: torch.Tensor):\n    return x * x.sum().item()\n");
  CHECK(reported.accusations == 1);
  CHECK(reported.Needs("uncalled"));
}

TEST_CASE("trap 16: a declared number is not taken for a tensor", "[check][traps]") {
  CHECK(BreaksIn(std::string(kHead) +
                 "def window(size: int):\n    return torch.ones(size)\n"
                 "class Net(nn.Module):\n    def forward(self, x: torch.Tensor, sizes):\n"
                 "        return x * window(sizes.unsqueeze(0)[0])\n")
            .breaks.empty());
  CHECK(BreaksIn(ModuleOf("losses",
                          "if (not torch.is_tensor(losses)) and losses == 0:\n"
                          "    return 0\nreturn torch.exp(losses)\n"))
            .breaks.empty());
}

TEST_CASE("trap 17: a function that answers in Python is no operation on tensors",
          "[check][traps]") {
  const std::string body = "    return bool(torch.isfinite(boxes).all())\n";
  const std::string answer =
      std::string(kHead) + "def is_fine(boxes: torch.Tensor) -> bool:\n" + body;
  CHECK(BreaksIn(answer).breaks.empty());
  CHECK(BreaksIn(std::string(kHead) + "def is_fine(boxes: torch.Tensor):\n" + body).accusations ==
        1);
  // Compiled code that calls it breaks.
  CHECK(BreaksIn(answer + "class Net(nn.Module):\n    def forward(self, x: torch.Tensor):\n"
                          "        return x * 2 if is_fine(x) else x\n")
            .accusations == 1);
}

TEST_CASE("trap 18: what a module does in its first call only is a note", "[check][traps]") {
  const auto checked = [](const std::string& body, const std::string& more = "") {
    return BreaksIn(std::string(kHead) +
                    "class Net(nn.Module):\n    def __init__(self):\n"
                    "        super().__init__()\n        self.checked = False\n"
                    "    def forward(self, x: torch.Tensor):\n" +
                    body + "        return x * 2\n" + more);
  };
  const std::string once =
      "        if not self.checked:\n            self.checked = True\n"
      "            if x.isnan().any().item():\n                logger.warning('nan')\n";
  CHECK(checked(once).accusations == 0);
  CHECK(checked(once).Needs("once"));
  // Nothing turns the test off, or something turns it on again.
  CHECK(checked("        if not self.checked:\n            print(x.sum().item())\n").accusations >
        0);
  CHECK(checked(once, "    def reset(self):\n        self.checked = False\n").accusations > 0);
}

}  // namespace
}  // namespace shapewise
