// Small projects in memory: who is who in them.

#include "source/project.h"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.h"
#include "syntax/python_ast.h"

namespace shapewise {
namespace {

struct Part {
  std::string path;
  std::string text;
};
using Parts = std::vector<Part>;

/// A project of files by path and text, its modules named as the paths say.
class Files {
 public:
  explicit Files(const Parts& files) {
    std::vector<std::string> paths;
    for (const auto& [path, text] : files) paths.push_back(path);
    const std::vector<std::string> modules = ModuleNames(paths);
    for (size_t i = 0; i < files.size(); ++i) {
      project.AddFile(files[i].path, modules[i], files[i].text, true);
    }
  }

  FileId File(std::string_view path) const {
    for (FileId id = 0; id < project.files().size(); ++id) {
      if (project.files()[id].path == path) return id;
    }
    return kNoId;
  }

  /// "function pkg.a:f", "class pkg.a:C", "module pkg.a", "outside torch.abs", "expression",
  /// "none".
  std::string Describe(const Binding& binding) const {
    switch (binding.kind) {
      case Binding::Kind::kNone:
        return "none";
      case Binding::Kind::kFunction: {
        const SourceFunction& function = project.function(binding.id);
        return "function " + project.files()[function.file].module + ":" +
               project.QualifiedName(binding.id);
      }
      case Binding::Kind::kClass: {
        const SourceClass& owner = project.class_of(binding.id);
        return "class " + project.files()[owner.file].module + ":" + std::string(owner.name);
      }
      case Binding::Kind::kModule:
        return "module " + project.files()[binding.id].module;
      case Binding::Kind::kOutside:
        return "outside " + std::string(binding.name);
      case Binding::Kind::kExpression:
        return "expression";
    }
    return {};
  }

  std::string Resolve(std::string_view path, std::string_view name) {
    return Describe(project.Resolve(File(path), name));
  }

  /// What the value of `name = dotted` at the end of the file means.
  std::string ResolveLast(std::string_view path) {
    const auto module = project.ModuleTree(File(path));
    return Describe(project.ResolveDotted(File(path), *module.back()->value));
  }

  ClassId Class(std::string_view name) const {
    for (ClassId id = 0; id < project.num_classes(); ++id) {
      if (project.class_of(id).name == name) return id;
    }
    return kNoId;
  }

  std::string Order(std::string_view name) {
    std::string text;
    for (const ClassId id : project.Linearization(Class(name))) {
      if (!text.empty()) text += ' ';
      text += project.class_of(id).name;
    }
    return text;
  }

  std::string Method(std::string_view owner, std::string_view name, ClassId after = kNoId) {
    const FunctionId id = project.FindMethod(Class(owner), name, after);
    return id == kNoId ? "none" : project.QualifiedName(id);
  }

  Project project;
};

TEST_CASE("modules are named from the folder above their package", "[source]") {
  CHECK(ModuleNames(std::vector<std::string>{
            "repo/src/pkg/__init__.py", "repo/src/pkg/models/__init__.py",
            "repo/src/pkg/models/bert.py", "repo/src/pkg/plain/x.py", "repo/setup.py"}) ==
        std::vector<std::string>{"pkg", "pkg.models", "pkg.models.bert", "pkg.plain.x", "setup"});
  CHECK(ModuleNames(std::vector<std::string>{"model.py"}) == std::vector<std::string>{"model"});
  CHECK(ModuleNames(std::vector<std::string>{"/a/src/net/model.py", "/a/train.py"}) ==
        std::vector<std::string>{"net.model", "train"});
}

TEST_CASE("functions and classes of a file are known by name", "[source]") {
  Files files(
      Parts{{"m.py",
             "class A:\n    def f(self):\n        pass\n    class In:\n        def g(self): pass\n"
             "def f():\n    pass\n"}});
  CHECK(files.Resolve("m.py", "f") == "function m:f");
  CHECK(files.Resolve("m.py", "A") == "class m:A");
  CHECK(files.Resolve("m.py", "In") == "none");
  CHECK(files.Resolve("m.py", "print") == "outside builtins.print");
  CHECK(files.Resolve("m.py", "no_such") == "none");
  REQUIRE(files.project.num_functions() == 3);
  CHECK(files.project.QualifiedName(1) == "A.In.g");
}

TEST_CASE("imports of other packages are outside names", "[source]") {
  Files files(Parts{{"m.py",
                     "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
                     "from torch import Tensor as T\nimport numpy as np\nimport os.path\n"
                     "last = F.sigmoid\n"}});
  CHECK(files.Resolve("m.py", "torch") == "outside torch");
  CHECK(files.Resolve("m.py", "nn") == "outside torch.nn");
  CHECK(files.Resolve("m.py", "T") == "outside torch.Tensor");
  CHECK(files.Resolve("m.py", "os") == "outside os");
  CHECK(files.ResolveLast("m.py") == "outside torch.sigmoid");
}

TEST_CASE("imports inside of the project are followed", "[source]") {
  Files files(Parts{{"p/__init__.py", "from .a import helper as shown\nfrom .b import *\n"},
                    {"p/a.py", "def helper():\n    pass\n\ndef _own():\n    pass\n"},
                    {"p/b.py", "__all__ = ['K']\nclass K:\n    pass\nclass L:\n    pass\n"},
                    {"p/sub/__init__.py", ""},
                    {"p/sub/c.py",
                     "from ..a import helper\nfrom .. import a as near\nfrom ... import gone\n"
                     "import p.b as bee\nimport p.sub\nfrom p import K, L, shown, a\n"
                     "from p.a import _own\nlast = p.b.K\n"}});
  const std::string_view c = "p/sub/c.py";
  CHECK(files.Resolve(c, "helper") == "function p.a:helper");
  CHECK(files.Resolve(c, "near") == "module p.a");
  CHECK(files.Resolve(c, "bee") == "module p.b");
  CHECK(files.Resolve(c, "p") == "module p");
  CHECK(files.Resolve(c, "K") == "class p.b:K");
  CHECK(files.Resolve(c, "L") == "none");  // not in __all__
  CHECK(files.Resolve(c, "shown") == "function p.a:helper");
  CHECK(files.Resolve(c, "a") == "module p.a");
  CHECK(files.Resolve(c, "_own") == "function p.a:_own");
  CHECK(files.ResolveLast(c) == "class p.b:K");
}

TEST_CASE("of an import that is tried the first that resolves counts", "[source]") {
  Files files(
      Parts{{"m.py",
             "try:\n    from fast import attend\nexcept ImportError:\n    attend = None\n"
             "try:\n    from .gone import x\nexcept ImportError:\n    x = None\n"
             "if TYPE_CHECKING:\n    from n import K\nelse:\n    K = object\n"
             "if cond:\n    def f():\n        return 1\nelse:\n    def f():\n        return 2\n"},
            {"n.py", "class K:\n    pass\n"}});
  CHECK(files.Resolve("m.py", "attend") == "outside fast.attend");
  CHECK(files.Resolve("m.py", "K") == "class n:K");
  const Binding f = files.project.Resolve(0, "f");
  REQUIRE(f.kind == Binding::Kind::kFunction);
  const Stmt* tree = files.project.Tree(f.id);
  REQUIRE(tree != nullptr);
  REQUIRE(tree->body[0]->value != nullptr);
  CHECK(tree->body[0]->value->text == "1");
}

TEST_CASE("names that are assigned are expressions, aliases are followed", "[source]") {
  Files files(Parts{{"m.py",
                     "import torch\nimport logging\nlogger = logging.getLogger(__name__)\n"
                     "Norm = torch.nn.LayerNorm\ntwice = [1]\ntwice = [2]\nempty = None\n"
                     "def f(x):\n    pass\n\nf = wrap(f)\na, b = torch.abs, 3\n"}});
  const Binding logger = files.project.Resolve(0, "logger");
  REQUIRE(logger.kind == Binding::Kind::kExpression);
  CHECK(logger.file == 0);
  CHECK(logger.expr->kind == PythonExprKind::kCall);
  CHECK(files.Resolve("m.py", "Norm") == "outside torch.nn.LayerNorm");
  CHECK(files.Resolve("m.py", "twice") == "none");
  CHECK(files.Resolve("m.py", "empty") == "expression");
  CHECK(files.Resolve("m.py", "f") == "function m:f");
  CHECK(files.Resolve("m.py", "a") == "outside torch.abs");
}

TEST_CASE("import cycles end", "[source]") {
  Files files(
      Parts{{"p/__init__.py", "from .a import *\nfrom .b import *\n"},
            {"p/a.py", "from .b import *\nfrom .b import x\nfrom p import y\nA = 1\n"},
            {"p/b.py", "from .a import *\nfrom .a import x\nB = 1\nclass y(y):\n    pass\n"}});
  CHECK(files.Resolve("p/a.py", "x") == "none");
  CHECK(files.Resolve("p/b.py", "x") == "none");
  CHECK(files.Resolve("p/a.py", "B") == "expression");
  CHECK(files.Resolve("p/b.py", "A") == "expression");
  CHECK(files.Resolve("p/a.py", "y") == "class p.b:y");
  CHECK(files.Order("y") == "y");
}

TEST_CASE("a script sees its neighbours", "[source]") {
  Files files(Parts{{"one/train.py", "from model import Net\nimport model\n"},
                    {"one/model.py", "class Net:\n    pass\n"},
                    {"two/model.py", "class Other:\n    pass\n"}});
  CHECK(files.Resolve("one/train.py", "Net") == "class one.model:Net");
  CHECK(files.Resolve("one/train.py", "model") == "module one.model");
}

TEST_CASE("a package that loads lazily has the names of its modules", "[source]") {
  Files files(Parts{{"p/__init__.py", "def __getattr__(name):\n    return load(name)\n"},
                    {"p/m/__init__.py", ""},
                    {"p/m/net.py", "class Net:\n    pass\n"},
                    {"use.py", "from p import Net, Gone\n"}});
  CHECK(files.Resolve("use.py", "Net") == "class p.m.net:Net");
  CHECK(files.Resolve("use.py", "Gone") == "none");
}

TEST_CASE("names of `from torch import *` are those that torch is known to have", "[source]") {
  Files files(Parts{{"m.py", "from torch import *\n"}});
  CHECK(files.Resolve("m.py", "einsum") == "outside torch.einsum");
  CHECK(files.Resolve("m.py", "unheard_of") == "none");
}

TEST_CASE("classes are searched in the order of Python", "[source]") {
  Files files(Parts{{"m.py",
                     "class Root:\n    def f(self): pass\n    def g(self): pass\n"
                     "class Left(Root):\n    def f(self): pass\n"
                     "class Right(Root):\n    def f(self): pass\n    def g(self): pass\n"
                     "class Both(Left, Right):\n    def h(self): pass\n"
                     "class Bad(Root, Left):\n    pass\n"
                     "class Loop(Loop2):\n    pass\nclass Loop2(Loop):\n    pass\n"}});
  CHECK(files.Order("Both") == "Both Left Right Root");
  CHECK(files.Method("Both", "f") == "Left.f");
  CHECK(files.Method("Both", "g") == "Right.g");
  CHECK(files.Method("Both", "h") == "Both.h");
  CHECK(files.Method("Both", "missing") == "none");
  // super() in Left asks Right, because the object is a Both.
  CHECK(files.Method("Both", "f", files.Class("Left")) == "Right.f");
  CHECK(files.Method("Left", "f", files.Class("Left")) == "Root.f");
  CHECK(files.Order("Bad") == "Bad Root Left");  // Python refuses it
  CHECK(files.Order("Loop") == "Loop");          // ... and these, which are their own bases
  CHECK(files.Order("Loop2") == "Loop2");
}

TEST_CASE("bases are read whatever the head of the class looks like", "[source]") {
  Files files(Parts{{"m.py",
                     "class R: pass\n"
                     "class A(R): pass\n"
                     "class B ( R , ) : pass\n"
                     "class C(\n    R,  # why\n): pass\n"
                     "class D(R, metaclass=M): pass\n"
                     "class E(Generic[T], R): pass\n"
                     "@plain\n@called(1, k=2)\nclass F(R): pass\n"
                     "@called(\n  text='''class G(X): pass'''\n)\nclass G(R): pass\n"
                     "class H[T](R): pass\n"
                     "class I(*many, R): pass\n"
                     "class J(make(), R): pass\n"
                     "class K(\\\n  R): pass\n"}});
  for (const std::string_view name : {"A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K"}) {
    CHECK(files.Order(name) == std::string(name) + " R");
  }
}

TEST_CASE("a property is found by what reads it", "[source]") {
  Files files(Parts{{"m.py",
                     "class A:\n    @property\n    def x(self):\n        return 1\n"
                     "    @x.setter\n    def x(self, value):\n        pass\n"}});
  const FunctionId id = files.project.FindMethod(0, "x");
  REQUIRE(id != kNoId);
  CHECK(files.project.Tree(id)->parameters.size() == 1);
}

TEST_CASE("modules are recognized by their base classes", "[source]") {
  Files files(Parts{{"m.py",
                     "import torch\nfrom torch import nn\nfrom lib import Base, LightningModule\n"
                     "from typing import Generic\nfrom pydantic import BaseModel\n"
                     "class A(nn.Module): pass\n"
                     "class B(A): pass\n"
                     "class C(LightningModule): pass\n"
                     "class D(Base): pass\n"
                     "class E(Base):\n    def forward(self, x): pass\n"
                     "class F(torch.autograd.Function):\n    def forward(ctx, x): pass\n"
                     "class G(Generic[T]):\n    def forward(self): pass\n"
                     "class H:\n    def forward(self): pass\n"
                     "class I(BaseModel): pass\n"
                     "class J(nn.Linear): pass\n"
                     "class K(D, E): pass\n"
                     "class L(UnknownPreTrainedModel): pass\n"
                     "class M(nn.Parameter): pass\n"}});
  const auto is_module = [&](std::string_view name) {
    return files.project.IsModule(files.Class(name));
  };
  CHECK(is_module("A"));
  CHECK(is_module("B"));
  CHECK(is_module("C"));
  CHECK_FALSE(is_module("D"));
  CHECK(is_module("E"));
  CHECK_FALSE(is_module("F"));
  CHECK_FALSE(is_module("G"));
  CHECK_FALSE(is_module("H"));
  CHECK_FALSE(is_module("I"));
  CHECK(is_module("J"));
  CHECK(is_module("K"));
  CHECK(is_module("L"));
  CHECK_FALSE(is_module("M"));
  const auto bases = files.project.OutsideBases(files.Class("B"));
  REQUIRE(bases.size() == 1);
  CHECK(bases[0] == "torch.nn.Module");
}

TEST_CASE("freed trees are parsed again", "[source]") {
  Files files(Parts{{"m.py",
                     "class A:\n"
                     "    n = 1\n"
                     "def f():\n"
                     "    return 1\n"
                     "def g():\n"
                     "    return 2 +\n"}});
  Project& project = files.project;
  REQUIRE(project.Tree(0) != nullptr);
  REQUIRE(project.Tree(1) != nullptr);
  REQUIRE(project.ClassTree(0) != nullptr);
  const size_t num_faults = project.Faults().size();
  REQUIRE(num_faults > 0);
  project.FreeTrees();
  CHECK(project.Faults().size() == num_faults);
  const Stmt* g = project.Tree(1);
  REQUIRE(g != nullptr);
  CHECK(g->text == "g");
  project.FreeTrees();
  REQUIRE(project.ClassTree(0) != nullptr);
  CHECK(project.ClassTree(0)->body.size() == 1);
  CHECK(project.Faults().size() == num_faults);
}

TEST_CASE("attributes of classes are their methods and inner classes", "[source]") {
  Files files(Parts{{"m.py",
                     "class A:\n    class In:\n        pass\n    def f(self): pass\n"
                     "class B(A):\n    pass\nlast = B.f\n"},
                    {"n.py", "import m\nlast = m.A.In\n"}});
  CHECK(files.ResolveLast("m.py") == "function m:A.f");
  CHECK(files.ResolveLast("n.py") == "class m:In");
}

TEST_CASE("functions of equal text share one tree, at their own places", "[source]") {
  const std::string copy = "def rotate(x):\n    return -x\n";
  Files files(Parts{{"a.py", copy}, {"b.py", "import torch\n\n" + copy}});
  CHECK(files.project.Tree(0) == files.project.Tree(1));
  CHECK(files.project.function(0).begin == 0);
  CHECK(files.project.function(1).begin == 14);
}

TEST_CASE("faults are reported with their place in the file", "[source]") {
  Files files(Parts{{"m.py", "x = 1\ndef f():\n    return = 3\n\ndef g():\n    return 1\n"}});
  CHECK(files.project.Faults().empty());  // nothing was parsed
  files.project.Tree(0);
  files.project.Tree(1);
  const std::vector<SourceFault> faults = files.project.Faults();
  REQUIRE_FALSE(faults.empty());
  const std::string_view text = files.project.files()[0].text;
  for (const SourceFault& fault : faults) {
    CHECK(fault.span.begin >= text.find("return ="));
    CHECK(fault.span.end <= text.find("def g"));
  }
  CHECK(files.project.Tree(1) != nullptr);
}

TEST_CASE("heads whose bodies are all functions are no faults", "[source]") {
  Files files(Parts{{"m.py", "class A:\n    def f(self): pass\n\nif cond:\n    def g(): pass\n"}});
  REQUIRE(files.project.ClassTree(0) != nullptr);
  CHECK(files.project.ModuleTree(0).size() == 1);
  CHECK(files.project.Faults().empty());
}

TEST_CASE("an empty file and a missing module are nothing", "[source]") {
  Files files(Parts{{"m.py", ""}, {"n.py", "from .m import gone\nimport\nfrom . import\n"}});
  CHECK(files.project.ModuleTree(0).empty());
  CHECK(files.Resolve("n.py", "gone") == "none");
}

TEST_CASE("long chains of imports and bases end", "[source]") {
  Parts parts;
  std::string classes = "class C0: pass\n";
  for (int i = 0; i < 2000; ++i) {
    const std::string next = std::to_string(i + 1);
    parts.push_back({"m" + std::to_string(i) + ".py", "from m" + next + " import x\n"});
    classes += "class C" + next + "(C" + std::to_string(i) + "): pass\n";
  }
  parts.push_back({"classes.py", classes});
  Files files(parts);
  CHECK(files.Resolve("m0.py", "x") == "none");
  CHECK(files.project.Linearization(files.Class("C2000")).size() > 100);
}

TEST_CASE("threads get the answers that one gets", "[source]") {
  Parts parts = {{"p/__init__.py", ""}};
  for (int i = 0; i < 40; ++i) {
    const std::string number = std::to_string(i);
    const std::string next = std::to_string((i + 1) % 40);
    parts.push_back({"p/m" + number + ".py",
                     "from .m" + next + " import *\nfrom .m" + next + " import K" + next +
                         "\nclass K" + number + "(K" + next +
                         "):\n    def forward(self): return 1\ndef same(x):\n    return x\n"});
  }
  const auto ask = [](Files& files, std::vector<std::string>& answers, size_t first) {
    const size_t count = files.project.files().size();
    answers.resize(count * 40);
    for (size_t i = 0; i < count * 40; ++i) {
      const size_t at = (i + first) % (count * 40);
      const auto file = static_cast<FileId>(at / 40);
      answers[at] = files.Describe(files.project.Resolve(file, "K" + std::to_string(at % 40)));
    }
    for (ClassId id = 0; id < files.project.num_classes(); ++id) {
      for (const ClassId base : files.project.Linearization(id)) {
        answers.push_back(std::to_string(base));
      }
    }
  };
  Files alone(parts);
  std::vector<std::string> expected;
  ask(alone, expected, 0);
  Files shared(parts);
  std::vector<std::vector<std::string>> answers(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < answers.size(); ++i) {
    threads.emplace_back([&, i] { ask(shared, answers[i], i * 400); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& answer : answers) CHECK(answer == expected);
}

}  // namespace
}  // namespace shapewise
