// What code does, seen without running it. Each case is a file; facts stand as "LINE: ...".

#include "source/flow.h"

#include <string>

#include "source/fact_trees.h"
#include "support/catch.h"
#include "support/print_facts.h"

using namespace shapewise;

namespace {

std::string Truths(const std::string& code) { return FactsOf(code, {FactKind::kTruth}); }

/// A module whose forward has this body, from line 5 on.
std::string Forward(const std::string& body, const std::string& parameters = "self, x") {
  return "import torch\nfrom torch import nn\nclass Net(nn.Module):\n    def forward(" +
         parameters + "):\n" + body;
}

}  // namespace

TEST_CASE("a branch on a tensor evaluates its truth value", "[flow]") {
  CHECK(Truths(Forward("        if x.sum() > 0:\n            x = x + 1\n        return x\n")) ==
        "5: truth in if of tensor[mask one_element made] 90%\n");
  CHECK(Truths(Forward("        if x.shape[0] > 4:\n            x = x + 1\n        return x\n")) ==
        "");
  CHECK(Truths(Forward("        while x.any():\n            x = x - 1\n        return x\n",
                       "self, x: torch.Tensor")) ==
        "5: truth in while of tensor[mask one_element made]\n");
}

TEST_CASE("facts find their code again after its trees were freed", "[flow]") {
  Project project;
  project.AddFile("model.py", "model",
                  "import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
                  "    pick = lambda x: x.item()\n"
                  "    def forward(self, x: torch.Tensor):\n"
                  "        def inner(y):\n            return y.tolist()\n"
                  "        return inner(x), self.pick(x)\n",
                  /*is_checked=*/true);
  const auto is_call = [](FactKind kind, std::string_view) { return kind == FactKind::kCall; };
  FlowResult flow = Follow(project, is_call, /*jobs=*/1);
  std::string called;
  REQUIRE(!flow.facts.empty());
  for (const Fact& fact : flow.facts) CHECK(fact.expr == nullptr);
  AttachFacts(project, flow.facts);
  for (const Fact& fact : flow.facts) {
    REQUIRE(fact.expr != nullptr);
    called += std::string(fact.expr->left->text) + " ";
  }
  CHECK(called == "tolist item ");
}

TEST_CASE("code that runs only in training is marked so", "[flow]") {
  const std::string code = Forward(
      "        p = torch.rand([])\n"
      "        skip = self.training and p < 0.5\n"
      "        if not skip:\n"
      "            x = x + 1\n"
      "        if self.training:\n"
      "            if p < 0.5:\n"
      "                x = x * 2\n"
      "        return x\n");
  const std::string facts = Truths(code);
  CHECK(facts.find("7: truth in if of tensor") != facts.npos);
  CHECK(facts.find("10: truth in if of tensor") != facts.npos);
  CHECK(facts.find("(training)\n10:") != facts.npos);
  CHECK(facts.ends_with("(training)\n"));
}

TEST_CASE("a test for None of an argument that is given decides", "[flow]") {
  CHECK(Truths(Forward("        if labels is not None and labels.max() > 4:\n"
                       "            raise ValueError\n        return x\n",
                       "self, x, labels=None"))
            .find("(argument)") != std::string::npos);
}

TEST_CASE("what a raise checks is required, and no condition of what follows", "[flow]") {
  const auto after = [](const std::string& test, const std::string& leave) {
    return Truths(Forward("        if " + test + ":\n            " + leave +
                              "\n        if x.any():\n            x = -x\n        return x\n",
                          "self, x, mask=None"));
  };
  for (const std::string test : {"x.is_floating_point()", "mask is None", "not self.training"}) {
    CHECK_FALSE(after(test, "return x").ends_with("%\n"));
  }
  CHECK(after("x.is_floating_point()", "raise ValueError").ends_with("%\n"));
  CHECK(after("mask is None", "raise ValueError").ends_with("%\n"));
  // The mode is chosen by who calls.
  CHECK(after("not self.training", "raise ValueError").ends_with("(training)\n"));
}

TEST_CASE("an optional tensor beside a required one is an argument like others", "[flow]") {
  const std::string body =
      "        if mask is not None:\n            if mask.any():\n                return mask\n"
      "        return -mask\n";
  CHECK(Truths(Forward(body, "self, x=None, mask=None")).ends_with("(input)\n"));
  CHECK(Truths(Forward(body, "self, x, mask=None")).ends_with("(argument)\n"));
  CHECK(Truths(Forward(body, "self, size: int, mask=None")).ends_with("(input)\n"));
}

TEST_CASE("a helper that only returns a test is asked what the test says", "[flow]") {
  const auto branch = [](const std::string& helper, const std::string& test) {
    return Truths("import torch\nimport torch.distributed as dist\nfrom torch import nn\n" +
                  helper +
                  "class Net(nn.Module):\n    def forward(self, x, labels=None):\n        if " +
                  test + ":\n            if x.any():\n                x = -x\n        return x\n");
  };
  const std::string exists = "def exists(v):\n    \"\"\"Given?\"\"\"\n    return v is not None\n";
  CHECK(branch(exists, "exists(labels)").ends_with("(argument)\n"));
  CHECK(branch(exists, "not exists(x)").empty());
  CHECK(branch("def on():\n    return dist.is_initialized()\n", "on()").ends_with("(setting)\n"));
  // A helper that does more, or may never end, is not asked.
  CHECK(branch("def exists(v):\n    v = 1\n    return v is not None\n", "exists(labels)")
            .find("argument") == std::string::npos);
  CHECK(branch("def on():\n    return on()\n", "on()").find("truth in if") != std::string::npos);
}

TEST_CASE("a name for several switches needs them all", "[flow]") {
  const auto branch = [](const std::string& value, const std::string& parameters) {
    return Truths(Forward("        skip = " + value + "\n        if skip:\n" +
                              "            if x.any():\n                x = -x\n        return x\n",
                          "self, x" + parameters));
  };
  CHECK(branch("self.training and drop", ", drop=False").ends_with("(training argument)\n"));
  CHECK(branch("drop and self.training", ", drop=False").ends_with("(training argument)\n"));
  CHECK(branch("drop or keep", ", drop=True, keep=False").find('(') == std::string::npos);
}

TEST_CASE("arguments that a caller passes on with stars usually have their defaults", "[flow]") {
  const std::string code =
      "import torch\nfrom torch import nn\n"
      "def flip(x, slow=False):\n    if slow:\n        if x.any():\n            x = -x\n    return "
      "x\n"
      "class Net(nn.Module):\n    def forward(self, x, **options):\n"
      "        return flip(x, **options)\n";
  CHECK(Truths(code).ends_with("(argument)\n"));
}

TEST_CASE("the caller determines an entry of options", "[flow]") {
  const std::string body =
      "        if options.get(\"scale\", None) is not None:\n            if x.any():\n"
      "                x = -x\n        return x\n";
  CHECK(Truths(Forward(body, "self, x, options: dict")).ends_with("(argument)\n"));
}

TEST_CASE("an entry of known options may be missing", "[flow]") {
  CHECK(Truths(Forward("        options = {\"gate\": {\"a\": x}}\n"
                       "        if options.get(\"scale\") is not None:\n"
                       "            return x if x.any() else -x\n        return x\n"))
            .ends_with("(argument)\n"));
}

TEST_CASE("a decorator counts by what it is, whatever its name", "[flow]") {
  const auto helper = [](const std::string& decorator) {
    return Truths(
        "import torch\nfrom torch import nn\ndef same(f):\n    return f\nkeep_out = " + decorator +
        "\n@keep_out\ndef flip(x):\n    if x.any():\n        x = -x\n    return x\n"
        "class Net(nn.Module):\n    def forward(self, x):\n        return flip(x)\n");
  };
  CHECK(helper("getattr(getattr(torch, \"compiler\", None), \"disable\", None) or same").empty());
  CHECK(helper("same").starts_with("8: truth in if of tensor"));
}

TEST_CASE("a number that is a default decides, unless somebody gives another", "[flow]") {
  const auto branch = [](const std::string& test) {
    return Truths(
        "import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
        "    def __init__(self, drop=0.0, groups=1, depth=2):\n"
        "        super().__init__()\n        self.drop = drop\n"
        "        self.groups = groups\n        self.depth = depth + 1\n"
        "    def forward(self, x):\n        if " +
        test + ":\n            if x.any():\n                x = -x\n        return x\n");
  };
  for (const std::string usual : {"self.drop == 0", "not self.drop", "self.groups < 2",
                                  "self.groups == 1.0", "0 <= self.groups", "self.groups"}) {
    CHECK(branch(usual).ends_with("%\n"));
  }
  for (const std::string other :
       {"self.drop > 0", "self.drop", "self.groups != 1", "2 <= self.groups"}) {
    CHECK(branch(other).ends_with("(setting)\n"));
  }
  // What is computed is not known.
  CHECK(branch("self.depth > 2").ends_with("(setting)\n"));
  // A function that is called with a number is judged without it.
  CHECK(Truths("import torch\nfrom torch import nn\n"
               "def flip(x, n=0):\n    if n > 1:\n        if x.any():\n            x = -x\n"
               "    return x\nclass Net(nn.Module):\n    def forward(self, x):\n"
               "        return flip(x) + flip(x, 3)\n")
            .find("truth in if") != std::string::npos);
  CHECK(Truths("import torch\nfrom torch import nn\n"
               "def flip(x, n=0):\n    if n > 1:\n        if x.any():\n            x = -x\n"
               "    return x\nclass Net(nn.Module):\n    def forward(self, x):\n"
               "        return flip(x)\n")
            .empty());
}

TEST_CASE("a switch of a class decides as its subclass sets it", "[flow]") {
  const auto branch = [](const std::string& mode) {
    return Truths(
        "import torch\nfrom torch import nn\nclass Context:\n    mode = None\n"
        "    @classmethod\n    def value(cls):\n        return cls.mode\n"
        "class Policy(Context):\n    mode = 'ignore'\n"
        "class Net(nn.Module):\n    def forward(self, x):\n        if Policy.value() == '" +
        mode + "':\n            if x.any():\n                x = -x\n        return x\n");
  };
  CHECK(branch("ignore").ends_with("%\n"));
  CHECK(branch("mask").ends_with("(setting)\n"));
}

TEST_CASE("a helper that torch has in one of several places is the same helper", "[flow]") {
  CHECK(Truths("import torch\nfrom torch import nn\n"
               "asks = getattr(torch.compiler, \"is_compiling\", None) or "
               "getattr(torch._dynamo, \"is_compiling\", None)\n"
               "def helper():\n    return bool(asks()) if asks is not None else False\n"
               "class Net(nn.Module):\n    def forward(self, x):\n"
               "        if not helper():\n            if x.any():\n                x = -x\n"
               "        return x\n")
            .empty());
}

TEST_CASE("items that exist only under a test are its branch", "[flow]") {
  const auto loop = [](const std::string& items) {
    return Truths(Forward("        for t in " + items +
                              ":\n            if t.any():\n                x = -x\n"
                              "        return x\n",
                          "self, x: torch.Tensor"));
  };
  CHECK(loop("(x,) if not x.is_floating_point() else ()").ends_with("(dtype)\n"));
  CHECK(loop("[] if x.is_floating_point() else [x]").ends_with("(dtype)\n"));
  CHECK(loop("(x,) if not x.is_floating_point() else (x, x)").ends_with("]\n"));
}

TEST_CASE("items around a starred one keep their places", "[flow]") {
  CHECK(Truths(Forward("        b, n, drop = *x.shape, drop\n        if drop:\n"
                       "            if x.any():\n                x = -x\n        return x\n",
                       "self, x: torch.Tensor, drop=False"))
            .ends_with("(argument)\n"));
}

TEST_CASE("calls with other arguments are facts of their own", "[flow]") {
  const std::string code =
      "import torch\nfrom torch import nn\n"
      "def pick(x, mask):\n    return x[mask] if mask is not None else x\n"
      "class Net(nn.Module):\n    def forward(self, x):\n        y = pick(x, None)\n"
      "        if self.training:\n            y = pick(x, x > 0)\n"
      "        else:\n            y = pick(x, x.long())\n        return y\n";
  const std::string facts = FactsOf(code, {FactKind::kIndex});
  CHECK(facts.find("(training)") != facts.npos);
  CHECK(facts.find("(evaluation)") != facts.npos);
}

TEST_CASE("helpers are followed with what they get", "[flow]") {
  const std::string code =
      "import torch\n"
      "from torch import nn\n"
      "def helper(a, flag):\n"
      "    if flag:\n"
      "        return a + 1\n"
      "    return a\n"
      "class Net(nn.Module):\n"
      "    def forward(self, x: torch.Tensor):\n"
      "        x = helper(x, True)\n"
      "        return helper(x, x.min() < 0)\n";
  CHECK(Truths(code) == "4: truth in if of tensor[mask one_element made]\n");
}

TEST_CASE("modules of the project are followed through their attributes", "[flow]") {
  const std::string code =
      "import torch\n"
      "from torch import nn\n"
      "class Inner(nn.Module):\n"
      "    def __init__(self, dim):\n"
      "        super().__init__()\n"
      "        self.scale = nn.Parameter(torch.ones(dim))\n"
      "    def check(self, y):\n"
      "        return (self.scale * y).isnan().any()\n"
      "    def forward(self, y):\n"
      "        return y * 2\n"
      "class Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.layers = nn.ModuleList([Inner(4) for _ in range(3)])\n"
      "    def forward(self, x: torch.Tensor):\n"
      "        for layer in self.layers:\n"
      "            x = layer(x)\n"
      "            if layer.check(x):\n"
      "                x = x * 0\n"
      "        return x\n";
  CHECK(Truths(code) == "18: truth in if of tensor[mask one_element made]\n");
}

TEST_CASE("a helper protects by what it returns, not by its name", "[flow]") {
  const auto truths = [](const std::string& body) {
    return Truths("import torch\nfrom torch import nn\ndef helper():\n" + body +
                  "class Net(nn.Module):\n    def forward(self, x):\n"
                  "        if not helper():\n            if x.any():\n                x = x + 1\n"
                  "        return x\n");
  };
  CHECK(truths("    return torch.compiler.is_compiling()\n") == "");
  CHECK(truths("    return torch.jit.is_scripting() or torch.compiler.is_compiling()\n") == "");
  CHECK(truths("    try:\n        import torch._dynamo as dynamo\n"
               "        return dynamo.is_compiling()\n"
               "    except Exception:\n        return False\n") == "");
  CHECK(truths("    if not available():\n        return False\n"
               "    return torch.compiler.is_compiling()\n") == "");
  CHECK(truths("    if torch.compiler.is_compiling():\n        return True\n"
               "    return False\n") == "");
  // Questions for releases of torch, and the answer for one that has no compiler.
  CHECK(truths("    if HAS_COMPILER:\n        return torch.compiler.is_compiling()\n"
               "    if HAS_DYNAMO:\n        return torch._dynamo.is_compiling()\n"
               "    return False\n") == "");
  CHECK(truths("    if HAS_COMPILER:\n        return not torch.compiler.is_compiling()\n"
               "    return False\n") != "");
  CHECK(truths("    if HAS_COMPILER:\n        pass\n    return False\n") != "");
  CHECK(truths("    return not torch.compiler.is_compiling()\n") != "");
  CHECK(truths("    return options.is_compiling_disabled()\n") != "");
  CHECK(truths("    return False\n") != "");
  // `not True` never lets the branch run, compiled or not.
  CHECK(truths("    return True\n") == "");
  CHECK(Truths("import torch\nfrom torch import nn\ndef is_compiling_disabled():\n"
               "    return flag\nclass Net(nn.Module):\n    def forward(self, x):\n"
               "        if not is_compiling_disabled() and x.any():\n            x = x + 1\n"
               "        return x\n") != "");
}

TEST_CASE("a receiver is evaluated once, however long the chain of calls", "[flow]") {
  std::string chain = "a";
  for (int i = 0; i < 40; ++i) chain += ".copy()";
  CHECK(Truths(Forward("        a = [x]\n        if " + chain +
                       "[0].any():\n"
                       "            x = x + 1\n        return x\n"))
            .find("truth in if of tensor") != std::string::npos);
}

TEST_CASE("recursive calls in a constructor are followed until they end", "[flow]") {
  CHECK(Truths("import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
               "    def __init__(self, net):\n        super().__init__()\n"
               "        self.scale = nn.Parameter(torch.ones(1))\n        self.reset(net)\n"
               "    def reset(self, layer):\n        for c in layer.children():\n"
               "            self.reset(c)\n"
               "    def forward(self, x):\n        if self.scale > 0:\n            x = x + 1\n"
               "        return x\n")
            .find("truth in if of tensor") != std::string::npos);
  // Each of 40 methods calls the next one twice.
  std::string code =
      "import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
      "    def __init__(self):\n        super().__init__()\n        self.a0()\n";
  for (int i = 0; i < 40; ++i) {
    const std::string next = "        self.a" + std::to_string(i + 1) + "()\n";
    code += "    def a" + std::to_string(i) + "(self):\n" + next + next;
  }
  code += "    def a40(self):\n        self.n = 1\n    def forward(self, x):\n        return x\n";
  CHECK(Truths(code) == "");
}

TEST_CASE("a constructor runs what stores attributes, however it is called", "[flow]") {
  const auto facts = [](const std::string& statement, const std::string& helper) {
    return Truths(
        "import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
        "    def __init__(self, config):\n        super().__init__()\n"
        "        self.config = config\n        " +
        statement + "\n    def forward(self, x):\n        return x if self.scale else -x\n    " +
        helper + "\n");
  };
  const std::string stores = "def fill(self):\n        self.scale = torch.ones(1)\n";
  for (const std::string statement :
       {"self.fill()", "self.config.kind.name = self.fill()", "self.config.kind.name = self.more()",
        "print(self.filled)", "other = self; other.fill()"}) {
    const std::string more =
        "    def more(self):\n        return self.fill()\n"
        "    @property\n    def filled(self):\n        return self.fill()\n";
    CHECK(facts(statement, stores + more).find("truth") != std::string::npos);
  }
  CHECK(
      facts("self.fill()", "@classmethod\n    def fill(cls):\n        cls.scale = torch.ones(1)\n")
          .empty());
}

TEST_CASE("what a constructor is promised is not followed", "[flow]") {
  const std::string code =
      "import torch\nfrom torch import nn\nclass Box:\n    def __init__(self):\n"
      "        self.scale = torch.ones(1)\ndef load(x) -> \"Box\":\n    return x\n"
      "class Net(nn.Module):\n    def __init__(self, x):\n        super().__init__()\n"
      "        self.box = load(x)\n    def forward(self, x):\n"
      "        return x if self.box.scale else -x\n";
  CHECK(Truths(code).find("13: truth") != std::string::npos);
}

TEST_CASE("values that share their parts are joined once", "[flow]") {
  std::string body = "        a = (x, x)\n        b = (x, 1)\n";
  for (int i = 0; i < 40; ++i) body += "        a = (a, a)\n        b = (b, b)\n";
  body += "        if self.flag:\n            a = b\n        return a\n";
  CHECK(Truths(Forward(body)) == "");
}

TEST_CASE("a thousand branches of one if are read as far as a tree goes", "[flow]") {
  std::string body = "        if x.any():\n            a = 0\n";
  for (int i = 0; i < 1000; ++i) body += "        elif i:\n            a = 1\n";
  CHECK(Truths(Forward(body)).find("5: truth in if of tensor") == 0);
}

TEST_CASE("a type alias that contains itself is read once", "[flow]") {
  CHECK(Truths("import torch\nfrom typing import List, Union\nfrom torch import nn\n"
               "Tree = Union[torch.Tensor, List[Tree]]\nclass Net(nn.Module):\n"
               "    def forward(self, x: Tree):\n        return x\n") == "");
}

TEST_CASE("is_compiling protects, is_tracing does not", "[flow]") {
  CHECK(Truths(Forward("        if not torch.compiler.is_compiling() and x.any():\n"
                       "            x = x + 1\n        return x\n")) == "");
  CHECK(Truths(Forward("        if not torch.jit.is_tracing() and x.any():\n"
                       "            x = x + 1\n        return x\n"))
            .find("truth") != std::string::npos);
}

TEST_CASE("a tensor as a size is read as a number", "[flow]") {
  const std::string code = Forward(
      "        for t, h in grid:\n"
      "            ids = torch.arange(h)\n"
      "        return x[: grid.max()]\n",
      "self, x: torch.Tensor, grid: torch.LongTensor");
  const std::string facts = FactsOf(code, {FactKind::kNumber});
  CHECK(facts.find("6: number in size of tensor") != facts.npos);
  CHECK(facts.find("7: number in slice of tensor") != facts.npos);
}

TEST_CASE("compiled regions begin at the arguments of torch.compile", "[flow]") {
  const std::string code =
      "import torch\n"
      "from torch import nn\n"
      "class Used(nn.Module):\n"
      "    def forward(self, x: torch.Tensor):\n"
      "        return x if x.any() else -x\n"
      "class Unused(nn.Module):\n"
      "    def forward(self, x: torch.Tensor):\n"
      "        return x if x.all() else -x\n"
      "model = torch.compile(Used())\n";
  CHECK(Truths(code) == "5: truth in conditional of tensor[mask one_element made]\n");
}

TEST_CASE("an index by a mask differs from one by numbers", "[flow]") {
  const std::string facts = FactsOf(Forward("        y = x[x > 0]\n"
                                            "        x[x > 0] = 1\n"
                                            "        return y, x[0], x[:, 1]\n",
                                            "self, x: torch.Tensor"),
                                    {FactKind::kIndex, FactKind::kStoreIndex});
  CHECK(facts.find("5: index of tensor") != facts.npos);
  CHECK(facts.find("6: store_index of tensor") != facts.npos);
  CHECK(facts.find("7: index") == facts.npos);
}

TEST_CASE("a free function that takes tensors runs in somebody's region", "[flow]") {
  const auto function = [](const std::string& head, const std::string& rest) {
    return Truths("import torch\nfrom torch import Tensor\n" + head + "\n" + rest);
  };
  const std::string branch = "    if x.sum() > 0:\n        x = -x\n    return torch.exp(x)\n";
  const std::string fact = "4: truth in if of tensor[mask one_element made";
  CHECK(function("def score(x: Tensor):", branch).starts_with(fact));
  CHECK(function("def score(x):", branch).starts_with(fact));
  // Helpers, what gives nothing, and code around models are no entries.
  CHECK(function("def _score(x: Tensor):", branch).empty());
  CHECK(function("def init_score(x: Tensor):", branch).starts_with(fact));
  CHECK(function("def main(x: Tensor):", branch).empty());
  CHECK(function("def score(x: Tensor):", "    if x.sum() > 0:\n        torch.exp(x)\n").empty());
  CHECK(function("def score(x: Tensor):", branch + "    x.sum().backward()\n").empty());
  CHECK(function("__all__ = [\"other\"]\ndef score(x: Tensor):", branch).empty());
}

TEST_CASE("a method that takes tensors runs in somebody's region, if its object is no module",
          "[flow]") {
  const auto method = [](const std::string& of, const std::string& name) {
    return Truths("import sklearn, torch\nfrom torch import nn\nclass " + of + ":\n    def " +
                  name +
                  "(self, x: torch.Tensor):\n        if x.sum() > 0:\n            x = -x\n"
                  "        return x\n");
  };
  CHECK(method("Scheduler", "step").starts_with("5: truth in if of tensor"));
  CHECK(method("Loss", "__call__").starts_with("5: truth in if of tensor"));
  CHECK(method("Scheduler", "_step").empty());
  CHECK(method("Scheduler", "load_step").starts_with("5: truth in if of tensor"));
  CHECK(method("Scheduler", "load").empty());
  CHECK(method("WordDataset", "step").empty());
  CHECK(method("Scaler(sklearn.base.BaseEstimator)", "transform").empty());
  CHECK(method("Net(nn.Module)", "step").empty());
}

TEST_CASE("a function reached from a module is judged by what the module gives it", "[flow]") {
  CHECK(Truths("import torch\nfrom torch import nn\n"
               "def pick(x, n):\n    if n > 2:\n        x = -x\n    return torch.exp(x)\n"
               "class Net(nn.Module):\n    def forward(self, x):\n        return pick(x, 3)\n")
            .empty());
}

TEST_CASE("an unknown value is a tensor if the code uses it as one", "[flow]") {
  const auto helper = [](const std::string& body) {
    return Truths("import torch\ndef score(x: torch.Tensor, table):\n" + body);
  };
  CHECK(helper("    y = table[0]\n    if y > 0:\n        x = y.unsqueeze(0)\n    return x\n") ==
        "4: truth in if of tensor[mask made] 80%\n");
  CHECK(Truths(Forward("        if i > j:\n            i = j\n        return i\n", "self, i, j"))
            .empty());
  CHECK(helper("    y = table[0]\n    if y > 0:\n        x = x + y\n    return x\n").empty());
  // A name that is also called, counted with or tested for being a number is something else.
  CHECK(helper("    y = table[0]\n    if y > 0:\n        x = y(y.unsqueeze(0))\n    return x\n")
            .empty());
  CHECK(helper("    y = table[0]\n    if y > 0:\n        x = torch.exp(y)\n"
               "    for i in range(y):\n        x = -x\n    return x\n")
            .empty());
  // So is what is handed to a function that uses it as a tensor.
  CHECK(Truths("import torch\ndef _neg(t):\n    return t.neg().unsqueeze(0)\n"
               "def score(x: torch.Tensor, table):\n    y = table[0]\n    if y > 0:\n"
               "        x = _neg(y)\n    return x\n") ==
        "6: truth in if of tensor[mask made] 80%\n");
}

TEST_CASE("by annotation a tensor or a number, by default a number", "[flow]") {
  const auto test = [](const std::string& argument) {
    return Truths(Forward("        if scale > 1:\n            x = -x\n        return x\n",
                          "self, x, scale: torch.Tensor | float" + argument));
  };
  CHECK(test("").find("60%") != std::string::npos);
  CHECK(test(" = 1.0").find("45%") != std::string::npos);
}

TEST_CASE("the bound of a counting loop is not a tensor", "[flow]") {
  const std::string rest =
      "            x = -x\n        if times > 4:\n            x = x + 1\n        return x\n";
  CHECK(Truths(Forward("        for i in range(times):\n" + rest, "self, x, times")).empty());
  CHECK(!Truths(Forward("        for i in range(4):\n" + rest, "self, x, times")).empty());
  // Not even if its name is one of tensors.
  CHECK(Truths(Forward("        for i in range(k):\n            x = -x\n        if k > 4:\n        "
                       "    x = x + 1\n        return x\n",
                       "self, x, k"))
            .empty());
}

TEST_CASE("isinstance narrows what a name is", "[flow]") {
  CHECK(Truths("import torch\ndef trim(x: torch.Tensor, to: torch.Tensor | int):\n"
               "    if isinstance(to, torch.Tensor):\n        n = to.size(-1)\n"
               "    else:\n        n = to\n"
               "    if n > 4:\n        x = x[..., :4]\n    return x\n")
            .empty());
}

TEST_CASE("isinstance of type distinguishes classes from functions", "[flow]") {
  CHECK(Truths("import torch\nfrom torch import nn\ndef is_plain(x):\n    return type(x) is int\n"
               "class Net(nn.Module):\n    def forward(self, x):\n"
               "        for kind in (torch.Tensor, is_plain):\n"
               "            if isinstance(x, kind) if isinstance(kind, type) else kind(x):\n"
               "                x = -x\n        return x\n")
            .empty());
}

TEST_CASE("objects of a registry are followed", "[flow]") {
  CHECK(Truths("import torch\nclass A:\n    def run(self, t):\n        if t.any():\n"
               "            return -t\n        return t\n"
               "class B:\n    def run(self, t):\n        while t.any():\n            t = t - 1\n"
               "        return t\n"
               "KINDS = {'a': A, 'b': B}\n"
               "def solve(x: torch.Tensor, kind: str):\n    return KINDS[kind]().run(x)\n") ==
        "4: truth in if of tensor[mask one_element made]\n"
        "9: truth in while of tensor[mask one_element made]\n");
}

TEST_CASE("a __call__ of a module's own runs", "[flow]") {
  CHECK(Truths("import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
               "    def __call__(self, x):\n        if x.any():\n            x = -x\n"
               "        return super().__call__(x)\n"
               "    def forward(self, x):\n        return x if x.sum() > 0 else -x\n")
            .find("9: truth in conditional of tensor") != std::string::npos);
  // Without a forward it is a wrapper around models, which nobody compiles.
  CHECK(Truths("import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
               "    def __call__(self, x):\n        return x if x.sum() > 0 else -x\n")
            .empty());
}

TEST_CASE("numbers that random draws are data", "[flow]") {
  CHECK(Truths(Forward("        k = random.randint(0, 4)\n        if k > 2:\n            x = -x\n"
                       "        return x + k\n"))
            .empty());  // random is not imported
  CHECK(Truths("import random\n" + Forward("        k = random.randint(0, 4)\n"
                                           "        if k > 2:\n            x = -x\n"
                                           "        return x + k\n"))
            .starts_with("7: truth in if of array"));
}
