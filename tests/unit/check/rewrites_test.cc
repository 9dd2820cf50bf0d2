#include "fix_cases.h"
#include "support/catch.h"

namespace shapewise {
namespace {

constexpr std::string_view kSelect = R"({"rewrite": "select"})";
constexpr std::string_view kAssert = R"({"rewrite": "assert-async"})";
constexpr std::string_view kKeep = R"({"rewrite": "keep-as-tensor"})";
constexpr std::string_view kReduce = R"({"rewrite": "masked-reduce"})";
constexpr std::string_view kStore = R"({"rewrite": "masked-store"})";
constexpr std::string_view kByMask = R"({"rewrite": "store-by-mask"})";
constexpr std::string_view kCount = R"({"rewrite": "count-nonzero"})";
constexpr std::string_view kRemove = R"({"rewrite": "remove-statement"})";
constexpr std::string_view kHoist = R"({"rewrite": "hoist-call"})";

TEST_CASE("A branch with two sides becomes torch.where and keeps its comments") {
  CHECK(Fixed(R"(import torch

def f(x: torch.Tensor):
    if x.sum() > 0:
        y = x * 2  # stretch
    else:
        y = x - 1  # shift
    return y
)",
              kSelect, {.at = "x.sum() > 0"}) == R"(import torch

def f(x: torch.Tensor):
    # stretch
    y = torch.where(x.sum() > 0, x * 2, x - 1)  # shift
    return y
)");
}

TEST_CASE("A branch without else keeps the old value") {
  CHECK(Fixed(R"(from torch import Tensor, nn

def f(pixels: Tensor):
    if pixels.max() > 1:
        pixels = pixels / 255.0
    return pixels
)",
              kSelect, {.at = "pixels.max() > 1"}) == R"(import torch
from torch import Tensor, nn

def f(pixels: Tensor):
    pixels = torch.where(pixels.max() > 1, pixels / 255.0, pixels)
    return pixels
)");
}

TEST_CASE("Two returns become one, through modules with equal construction") {
  constexpr std::string_view kText = R"(import torch
from torch import nn

class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 4)
        self.b = nn.Linear(8, 4)
        self.c = nn.Linear(8, 5)
        self.n = nn.BatchNorm1d(8)

    def forward(self, x: torch.Tensor):
        if x.mean() > 0.5:
            return self.a(x)
        return self.b(x)
)";
  const std::string fixed = Fixed(kText, kSelect, {.at = "x.mean() > 0.5"});
  CHECK(fixed.find("        return torch.where(x.mean() > 0.5, self.a(x), self.b(x))\n") !=
        std::string::npos);
  // Another width, and a module with state, are no reason to compute both.
  std::string other(kText);
  other.replace(other.rfind("self.b(x)"), 9, "self.c(x)");
  CHECK(Fixed(other, kSelect, {.at = "x.mean() > 0.5"}) == "refused");
  other = kText;
  other.replace(other.rfind("self.b(x)"), 9, "self.n(x)");
  CHECK(Fixed(other, kSelect, {.at = "x.mean() > 0.5"}) == "refused");
}

TEST_CASE("A conditional expression and an elif become torch.where") {
  CHECK(Fixed("import torch\ndef f(x: torch.Tensor, w: torch.Tensor):\n"
              "    return (x * w if w.max() > 1 else x + w).sigmoid()\n",
              kSelect, {.at = "w.max() > 1"}) ==
        "import torch\ndef f(x: torch.Tensor, w: torch.Tensor):\n"
        "    return (torch.where(w.max() > 1, x * w, x + w)).sigmoid()\n");
  CHECK(Fixed(R"(import torch
def f(x: torch.Tensor):
    size = x.norm()
    if size > 10:
        y = x / 10
    elif size > 1:
        y = x / 2
    else:
        y = x
    return y
)",
              kSelect, {.at = "size > 10"}) == R"(import torch
def f(x: torch.Tensor):
    size = x.norm()
    y = torch.where(size > 10, x / 10, torch.where(size > 1, x / 2, x))
    return y
)");
}

TEST_CASE("Conditions that Python evaluates before a tensor stay an if") {
  CHECK(Fixed(R"(import torch
def f(self, x: torch.Tensor):
    hidden = x * 2
    if self.clip and hidden.abs().max() > 0.5:
        hidden *= 0.5
    return hidden
)",
              kSelect, {.at = "hidden.abs().max() > 0.5"}) == R"(import torch
def f(self, x: torch.Tensor):
    hidden = x * 2
    if self.clip:
        hidden = torch.where(hidden.abs().max() > 0.5, hidden * 0.5, hidden)
    return hidden
)");
}

TEST_CASE("A select is refused if sides differ, have side effects or are missing") {
  const auto fixed = [](std::string_view body) {
    return Fixed("import torch\ndef f(x: torch.Tensor, z: torch.Tensor):\n" + std::string(body) +
                     "    return y\n",
                 kSelect, {.at = "x.sum() > 0"});
  };
  // Another shape, another name, random numbers, an in-place change, nothing to keep.
  CHECK(fixed("    if x.sum() > 0:\n        y = x\n    else:\n        y = x[:1]\n") == "refused");
  CHECK(fixed("    if x.sum() > 0:\n        y = x\n    else:\n        z = x\n") == "refused");
  CHECK(fixed("    if x.sum() > 0:\n        y = torch.rand_like(x)\n    else:\n        y = x\n") ==
        "refused");
  CHECK(fixed("    if x.sum() > 0:\n        y = x.add_(1)\n    else:\n        y = x\n") ==
        "refused");
  CHECK(fixed("    if x.sum() > 0:\n        y = x + 1\n") == "refused");
  CHECK(fixed("    if x.sum() > 0:\n        y = x; z = x\n    else:\n        y = x + 1\n") ==
        "refused");
  // An argument that changes in place changes for the caller.
  CHECK(fixed("    if x.sum() > 0:\n        z += 1\n    y = z\n") == "refused");
}

TEST_CASE("A factor that is one of two numbers is selected only if it is used by tensors") {
  constexpr std::string_view kHead =
      "import torch\ndef f(x: torch.Tensor, m: torch.Tensor):\n    if (m > 0).any():\n"
      "        k = 2.0\n    else:\n        k = 0.5\n";
  CHECK(
      Fixed(std::string(kHead) + "    return (x * k).sum()\n", kSelect, {.at = "(m > 0).any()"}) ==
      "import torch\ndef f(x: torch.Tensor, m: torch.Tensor):\n"
      "    k = torch.where((m > 0).any(), 2.0, 0.5)\n    return (x * k).sum()\n");
  CHECK(Fixed(std::string(kHead) + "    return range(k)\n", kSelect, {.at = "(m > 0).any()"}) ==
        "refused");
}

TEST_CASE("Asserts and raises check tensors and raise the same exceptions as before") {
  CHECK(Fixed("import torch\ndef f(x: torch.Tensor):\n"
              "    assert x.min().item() >= 0, \"negative\"\n    return x\n",
              kAssert, {.at = "x.min().item()"}) ==
        "import torch\ndef f(x: torch.Tensor):\n"
        "    assert x.min() >= 0, \"negative\"\n    return x\n");
  CHECK(Fixed(R"(import torch
def f(x: torch.Tensor):
    if x.max() >= 16:  # out of range
        raise RuntimeError("too large")
    return x
)",
              kAssert, {.at = "x.max() >= 16"}) == R"(import torch
def f(x: torch.Tensor):
    # out of range
    torch._assert_async(~(x.max() >= 16), "too large")
    return x
)");
  // The values of a message are worth more than the graph.
  CHECK(Fixed(R"(import torch
def f(x: torch.Tensor):
    if x.max() >= 16:
        raise RuntimeError(f"{x.max()} is too large")
    return x
)",
              kAssert, {.at = "x.max() >= 16"}) == "refused");
  CHECK(Fixed(R"(import torch
def f(x, labels: torch.Tensor):
    if labels is not None and labels.max() >= 16:
        raise RuntimeError("too large")
    return x
)",
              kAssert, {.at = "labels.max() >= 16"}) == R"(import torch
def f(x, labels: torch.Tensor):
    if labels is not None:
        torch._assert_async(~(labels.max() >= 16), "too large")
    return x
)");
  CHECK(Fixed("import torch\ndef f(x: torch.Tensor):\n"
              "    torch._check((x > 0).all().item(), lambda: \"bad\")\n",
              kAssert, {.at = "(x > 0).all().item()"}) ==
        "import torch\ndef f(x: torch.Tensor):\n"
        "    torch._assert_async((x > 0).all(), \"bad\")\n");
  // torch._assert_async raises a RuntimeError, which `except ValueError` does not catch.
  CHECK(Fixed("import torch\ndef f(x: torch.Tensor):\n    if x.max() >= 16:\n"
              "        raise ValueError(\"too large\")\n    return x\n",
              kAssert, {.at = "x.max() >= 16"}) == "refused");
}

TEST_CASE("A value that may not be a tensor gets no fix that requires one") {
  constexpr std::string_view kText =
      "import torch\ndef f(num):\n    assert not num.any().item()\n    return num\n";
  const Value guessed{.kind = ValueKind::kTensor, .certainty = 80};
  CHECK(Fixed(kText, kAssert, {.at = "num.any()", .subject = guessed}) == "refused");
  CHECK(Fixed("import torch\ndef f(x: torch.Tensor):\n"
              "    num = torch.distributed.get_world_size()\n"
              "    if num < 2:\n        raise RuntimeError(\"small\")\n    return x\n",
              kAssert, {.at = "num < 2"}) == "refused");
  CHECK(Fixed("import copy\ndef f(default):\n    return copy.deepcopy(default)\n",
              R"x({"safe": false, "title": "t", "replace": "expression",
                  "with": "{argument0}.clone()", "if": ["argument-is-tensor"]})x",
              {.at = "copy.deepcopy(default)"}) == "refused");
}

TEST_CASE("An assert without a message gets none; nothing is changed in a try") {
  constexpr std::string_view kText =
      "import torch\ndef f(x: torch.Tensor):\n    assert not (x < 0).any()\n";
  CHECK(Fixed(kText, kAssert, {.at = "(x < 0).any()"}) ==
        "import torch\ndef f(x: torch.Tensor):\n    assert ~(x < 0).any()\n");
  CHECK(Fixed(kText, kAssert, {.at = "(x < 0).any()", .in_try = true}) == "refused");
}

TEST_CASE("A number used only in tensor operations stays a tensor") {
  CHECK(Fixed("import torch\ndef f(x: torch.Tensor):\n    s = x.abs().max().item()\n"
              "    y = x / s\n    return y\n",
              kKeep, {.at = "x.abs().max().item()"}) ==
        "import torch\ndef f(x: torch.Tensor):\n    s = x.abs().max().detach()\n"
        "    y = x / s\n    return y\n");
  CHECK(Fixed("import torch\ndef f(x: torch.Tensor):\n    return x * float(x.mean() + 1)\n", kKeep,
              {.at = "float(x.mean() + 1)"}) ==
        "import torch\ndef f(x: torch.Tensor):\n    return x * (x.mean() + 1).detach().float()\n");
  CHECK(Fixed("import torch\ndef f(x: torch.Tensor):\n    k = torch.tensor(x.max().item())\n"
              "    return x / k\n",
              kKeep, {.at = "x.max().item()"}) ==
        "import torch\ndef f(x: torch.Tensor):\n    k = x.max().detach().clone()\n"
        "    return x / k\n");
  CHECK(Fixed("import torch\ndef f(x: torch.Tensor, w: torch.Tensor):\n"
              "    for k in w.tolist():\n        x = x * k\n    return x\n",
              kKeep, {.at = "w.tolist()"}) ==
        "import torch\ndef f(x: torch.Tensor, w: torch.Tensor):\n"
        "    for k in w.detach().unbind():\n        x = x * k\n    return x\n");
}

TEST_CASE("A branch on a number is kept, because it would break on a tensor as well") {
  CHECK(Fixed("import torch\ndef f(x: torch.Tensor):\n    if x.max().item() > x.min():\n"
              "        return x\n    return x + 1\n",
              kKeep, {.at = "x.max().item()"}) == "refused");
}

TEST_CASE("A number that Python needs stays a number") {
  const auto fixed = [](std::string_view use) {
    return Fixed("import torch\ndef f(x: torch.Tensor, n: int):\n    s = x.max().item()\n    " +
                     std::string(use) + "\n",
                 kKeep, {.at = "x.max().item()"});
  };
  CHECK(fixed("return range(s)") == "refused");
  CHECK(fixed("return s") == "refused");
  CHECK(fixed("return s - n") == "refused");
  CHECK(fixed("return x[:s]") == "refused");
  CHECK(fixed("return x // s") == "refused");
  CHECK(fixed("return x.clamp(-1, s)") == "refused");
  CHECK(fixed("return x.clamp(max=s)") != "refused");
  CHECK(fixed("return x * (s - n)") != "refused");
}

TEST_CASE("Sums and means through masks keep the shape") {
  CHECK(Fixed("import torch\ndef f(x: torch.Tensor):\n    return x[x > 0].mean()\n", kReduce,
              {.at = "x[x > 0]"}) ==
        "import torch\ndef f(x: torch.Tensor):\n"
        "    return (torch.where(x > 0, x, 0) / (x > 0).sum()).sum()\n");
  // A mask may have fewer dims.
  CHECK(Fixed("import torch\ndef f(x: torch.Tensor, m: torch.Tensor):\n    return x[m].sum()\n",
              kReduce, {.at = "x[m]"}) == "refused");
  CHECK(Fixed("import torch\ndef f(x: torch.Tensor, m: torch.Tensor):\n"
              "    return torch.masked_select(x, m).sum()\n",
              kReduce, {.at = "torch.masked_select(x, m)"}) ==
        "import torch\ndef f(x: torch.Tensor, m: torch.Tensor):\n"
        "    return torch.where(m, x, 0).sum()\n");
  CHECK(Fixed("import torch\ndef f(x: torch.Tensor, m: torch.Tensor):\n    return x[m].max()\n",
              kReduce, {.at = "x[m]"}) == "refused");
  CHECK(Fixed("import torch\ndef f(x: torch.Tensor, m: torch.Tensor):\n    return x[m].sum(0)\n",
              kReduce, {.at = "x[m]"}) == "refused");
}

TEST_CASE("Reads and writes through one mask are copied in place") {
  constexpr std::string_view kHead = "import torch\ndef f(x, y, m):\n";
  CHECK(Fixed(std::string(kHead) + "    x[m] = y[m]\n", kStore, {.at = "y[m]"}) == "refused");
  CHECK(Fixed(std::string(kHead) + "    x[x > 0] = y[x > 0]\n", kStore, {.at = "y[x > 0]"}) ==
        std::string(kHead) + "    x.copy_(torch.where(x > 0, y, x))\n");
  const std::string like = std::string(kHead) + "    o = torch.zeros_like(x)\n    k = x > 0\n";
  CHECK(Fixed(like + "    o[k] = y[k]\n", kStore, {.at = "y[k]"}) ==
        like + "    o.copy_(torch.where(k, y, o))\n");
  // Now x has another shape.
  CHECK(Fixed(like + "    x = x[:, 0]\n    o[x > 0] = y[x > 0]\n", kStore, {.at = "y[x > 0]"}) ==
        "refused");
  CHECK(Fixed(std::string(kHead) + "    x[m] = y[~m]\n", kStore, {.at = "y[~m]"}) == "refused");
  CHECK(Fixed(std::string(kHead) + "    x[m] = y[m] * 2\n", kStore, {.at = "y[m]"}) == "refused");
}

TEST_CASE("A store through a mask is safe if the mask is created for it") {
  const auto is_safe = [](std::string_view text, std::string_view at) {
    const std::optional<CodeFix> fix = FixOf(text, kByMask, {.at = at});
    REQUIRE(fix);
    return fix->safe;
  };
  CHECK(is_safe("import torch\ndef f(x, m):\n    x[torch.where(x < 0)] = -1\n",
                "torch.where(x < 0)"));
  CHECK_FALSE(is_safe("import torch\ndef f(x, m):\n    x[torch.where(m < 0)] = -1\n",
                      "torch.where(m < 0)"));
  CHECK_FALSE(is_safe("import torch\ndef f(x, m):\n    i = torch.where(x < 0)\n    x[i] = -1\n",
                      "torch.where(x < 0)"));
}

TEST_CASE("A store at the places of a mask is a store through the mask") {
  constexpr std::string_view kHead = "import torch\ndef f(x, m):\n";
  CHECK(Fixed(std::string(kHead) + "    x[torch.where(x < 0)] = -1\n", kByMask,
              {.at = "torch.where(x < 0)"}) == std::string(kHead) + "    x[x < 0] = -1\n");
  CHECK(Fixed(std::string(kHead) + "    i = m.nonzero(as_tuple=True)\n    x[i] = 0.0\n", kByMask,
              {.at = "m.nonzero(as_tuple=True)"}) ==
        std::string(kHead) + "    i = m != 0\n    x[i] = 0.0\n");
  CHECK(Fixed(std::string(kHead) + "    i = m.nonzero(as_tuple=True)\n    x[i[0]] = 0.0\n", kByMask,
              {.at = "m.nonzero(as_tuple=True)"}) == "refused");
  CHECK(Fixed(std::string(kHead) + "    i = m.nonzero()\n    x[i] = 0.0\n", kByMask,
              {.at = "m.nonzero()"}) == "refused");
}

TEST_CASE("The number of places is computed as a tensor if tensors use it") {
  constexpr std::string_view kHead = "import torch\ndef f(x: torch.Tensor, m: torch.Tensor):\n";
  for (const std::string_view way : {"m.nonzero().shape[0]", "m.nonzero().size(0)",
                                     "len(m.nonzero())", "torch.nonzero(m).shape[0]"}) {
    const size_t begin = way.substr(0, 4) == "len(" ? 4 : 0;
    const std::string_view read = way.substr(begin, way.find(')', begin) + 1 - begin);
    CHECK(Fixed(std::string(kHead) + "    return x.sum() / " + std::string(way) + "\n", kCount,
                {.at = read}) ==
          std::string(kHead) + "    return x.sum() / torch.count_nonzero(m)\n");
  }
  CHECK(Fixed(std::string(kHead) + "    return range(len(m.nonzero()))\n", kCount,
              {.at = "m.nonzero()"}) == "refused");
}

TEST_CASE("Removing the only statement of a block leaves a pass") {
  CHECK(Fixed("import torch\ndef f(x):\n    torch._dynamo.graph_break()\n    return x\n", kRemove,
              {.at = "torch._dynamo.graph_break()"}) == "import torch\ndef f(x):\n    return x\n");
  CHECK(Fixed("import torch\ndef f(x):\n    if x:\n        torch._dynamo.graph_break()  # here\n"
              "    return x\n",
              kRemove, {.at = "torch._dynamo.graph_break()"}) ==
        "import torch\ndef f(x):\n    if x:\n        pass  # here\n    return x\n");
  CHECK(Fixed("import torch\ndef f(x):\n    torch._dynamo.graph_break(); x = 1\n    return x\n",
              kRemove, {.at = "torch._dynamo.graph_break()"}) == "refused");
}

TEST_CASE("A condition with one answer is evaluated before the class") {
  CHECK(Fixed(R"(import os

class M:
    def forward(self, x):
        if os.path.exists("/opt/k.so"):
            x = x + 1
        return x
)",
              kHoist,
              {.at = "os.path.exists(\"/opt/k.so\")", .name = "os.path.exists"}) == R"(import os

_OS_PATH_EXISTS = os.path.exists("/opt/k.so")


class M:
    def forward(self, x):
        if _OS_PATH_EXISTS:
            x = x + 1
        return x
)");
  CHECK(Fixed("import os\ndef f(p):\n    return os.path.exists(p)\n", kHoist,
              {.at = "os.path.exists(p)", .name = "os.path.exists"}) == "refused");
  CHECK(Fixed("def f(p):\n    import os\n    return os.path.exists(\"a\")\n", kHoist,
              {.at = "os.path.exists(\"a\")", .name = "os.path.exists"}) == "refused");
  // An import of this file would fail where the package is not installed.
  CHECK(Fixed("from importlib.metadata import version\ndef f(p):\n    return version(\"p\")\n",
              kHoist, {.at = "version(\"p\")", .name = "importlib.metadata.version"}) == "refused");
  CHECK(Fixed("import importlib.util\ndef f(p):\n    return importlib.util.find_spec(\"a.b\")\n",
              kHoist,
              {.at = "importlib.util.find_spec(\"a.b\")", .name = "importlib.util.find_spec"}) ==
        "refused");
}

TEST_CASE("Small rewrites: messages, dicts, out=, collectives") {
  CHECK(Fixed("import torch\ndef f(n):\n    torch._check(n > 0, \"bad\"\n        \" n\")\n",
              R"({"rewrite": "function-message"})",
              {.at = "torch._check(n > 0, \"bad\"\n        \" n\")"}) ==
        "import torch\ndef f(n):\n    torch._check(n > 0, lambda: \"bad\"\n        \" n\")\n");
  for (const char* refused : {"lambda: \"bad\"", "message", "\"bad \" + n", "f\"bad {n}\""}) {
    const std::string call = std::string("torch._check(n > 0, ") + refused + ")";
    CHECK(Fixed("import torch\ndef f(n, message):\n    " + call + "\n",
                R"({"rewrite": "function-message"})", {.at = call}) == "refused");
  }
  CHECK(Fixed("def f(x):\n    x.uniform_(**{\"from\": -1.0, \"to\": 1.0})\n",
              R"({"rewrite": "unpack-dict"})",
              {.at = "x.uniform_(**{\"from\": -1.0, \"to\": 1.0})"}) ==
        "def f(x):\n    x.uniform_(-1.0, 1.0)\n");
  CHECK(Fixed("import torch\ndef f(x, b):\n    torch.mul(x, 2, out=b[:, :8])\n",
              R"({"rewrite": "copy-instead-of-out"})", {.at = "torch.mul(x, 2, out=b[:, :8])"}) ==
        "import torch\ndef f(x, b):\n    b[:, :8].copy_(torch.mul(x, 2))\n");
  CHECK(Fixed("def f(y):\n    work = dist.all_reduce(y, async_op=True)\n    work.wait()\n"
              "    return y\n",
              R"({"rewrite": "wait-at-once"})", {.at = "dist.all_reduce(y, async_op=True)"}) ==
        "def f(y):\n    dist.all_reduce(y)\n    return y\n");
  CHECK(Fixed("def f(y):\n    work = dist.all_reduce(y, async_op=True)\n    y = y + 1\n"
              "    work.wait()\n    return y\n",
              R"({"rewrite": "wait-at-once"})",
              {.at = "dist.all_reduce(y, async_op=True)"}) == "refused");
  CHECK(Fixed("def f(y, g):\n    dist.all_reduce(y, group=g, async_op=True).wait()  # why\n    "
              "return y\n",
              R"({"rewrite": "wait-at-once"})",
              {.at = "dist.all_reduce(y, group=g, async_op=True)"}) ==
        "def f(y, g):\n    dist.all_reduce(y, group=g)  # why\n    return y\n");
  CHECK(Fixed("def f(y):\n    dist.all_reduce(y, async_op=True).is_completed()\n    return y\n",
              R"({"rewrite": "wait-at-once"})",
              {.at = "dist.all_reduce(y, async_op=True)"}) == "refused");
}

}  // namespace
}  // namespace shapewise
