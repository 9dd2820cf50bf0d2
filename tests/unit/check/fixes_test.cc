#include "fix_cases.h"

#include "check/preconditions.h"
#include "check/rewrites/rewrites.h"
#include "support/catch.h"

namespace shapewise {
namespace {

constexpr std::string_view kGuard = R"({
  "safe": false, "title": "leave it out while compiling", "replace": "statement",
  "with": "if not torch.compiler.is_compiling():\n    {statement}",
  "if": ["result-unused", "statement-alone", "torch-bound"]})";

TEST_CASE("A guard goes around a statement, at its indentation") {
  CHECK(Fixed("import torch\ndef f(x):\n    print(x)  # what comes in\n    return x\n", kGuard,
              {.at = "print(x)"}) ==
        "import torch\ndef f(x):\n    if not torch.compiler.is_compiling():\n"
        "        print(x)  # what comes in\n    return x\n");
}

TEST_CASE("A statement of several lines is indented as a whole, except within strings") {
  CHECK(
      Fixed("import torch\ndef f(x):\n  log.info(\n    '''a\n  b''',\n\n    x,  # the input\n  )\n",
            kGuard, {.at = "log.info(\n    '''a\n  b''',\n\n    x,  # the input\n  )"}) ==
      "import torch\ndef f(x):\n  if not torch.compiler.is_compiling():\n"
      "    log.info(\n      '''a\n  b''',\n\n      x,  # the input\n    )\n");
}

TEST_CASE("Tabs and CRLF are kept") {
  CHECK(Fixed("import torch\r\ndef f(x):\r\n\tprint(\r\n\t\tx)\r\n\treturn x\r\n", kGuard,
              {.at = "print(\r\n\t\tx)"}) ==
        "import torch\r\ndef f(x):\r\n\tif not torch.compiler.is_compiling():\r\n"
        "\t\tprint(\r\n\t\t\tx)\r\n\treturn x\r\n");
}

TEST_CASE("A statement after a colon is moved to lines of its own") {
  CHECK(
      Fixed("import torch\ndef f(x):\n    if x: print(x)  # loud\n    else: x = 1\n    return x\n",
            kGuard, {.at = "print(x)"}) ==
      "import torch\ndef f(x):\n    if x:\n        if not torch.compiler.is_compiling():\n"
      "            print(x)  # loud\n    else: x = 1\n    return x\n");
}

TEST_CASE("Statements that share a line are not changed") {
  CHECK(Fixed("import torch\ndef f(x):\n    print(x); return x\n", kGuard, {.at = "print(x)"}) ==
        "refused");
  CHECK(Fixed("import torch\ndef f(x):\n    if x: y = 1; print(x)\n", kGuard, {.at = "print(x)"}) ==
        "refused");
  CHECK(Fixed("import torch\ndef f(x):\n    y = print(x)\n", kGuard, {.at = "print(x)"}) ==
        "refused");
}

TEST_CASE("A missing import is added next to similar ones, unless the name is taken") {
  CHECK(Fixed("import os\nfrom torch import nn\n\ndef f(x):\n    print(x)\n", kGuard,
              {.at = "print(x)"}) ==
        "import os\nimport torch\nfrom torch import nn\n\ndef f(x):\n"
        "    if not torch.compiler.is_compiling():\n        print(x)\n");
  CHECK(Fixed("import os\n\ndef f(x):\n    print(x)\n", kGuard, {.at = "print(x)"}) ==
        "import os\nimport torch\n\ndef f(x):\n"
        "    if not torch.compiler.is_compiling():\n        print(x)\n");
  CHECK(Fixed("import torch.nn as nn\n\ndef f(x, torch):\n    print(x)\n", kGuard,
              {.at = "print(x)"}) == "refused");
  CHECK(Fixed("import jax as torch\n\ndef f(x):\n    print(x)\n", kGuard, {.at = "print(x)"}) ==
        "refused");
}

TEST_CASE("An expression is replaced with the parentheses that it needs") {
  constexpr std::string_view kPass = R"({
    "safe": false, "title": "t", "replace": "expression",
    "with": "{argument0} if torch.compiler.is_compiling() else {expression}",
    "if": ["one-argument", "torch-bound"]})";
  CHECK(Fixed("import torch\ndef f(n):\n    for i in tqdm(range(n)):\n        pass\n", kPass,
              {.at = "tqdm(range(n))"}) ==
        "import torch\ndef f(n):\n    for i in range(n) if torch.compiler.is_compiling() else "
        "tqdm(range(n)):\n        pass\n");
  CHECK(Fixed("import torch\ndef f(n):\n    return 1 + g(n)\n", kPass, {.at = "g(n)"}) ==
        "import torch\ndef f(n):\n    return 1 + (n if torch.compiler.is_compiling() else g(n))\n");
  CHECK(Fixed("def f(a, b):\n    return copy.deepcopy(a + b)\n",
              R"x({"safe": true, "title": "t", "replace": "expression",
                   "with": "{argument0}.clone()"})x",
              {.at = "copy.deepcopy(a + b)"}) == "def f(a, b):\n    return (a + b).clone()\n");
}

TEST_CASE("A clock is removed only if its value is only printed") {
  constexpr std::string_view kClock = R"({
    "safe": false, "title": "t", "replace": "expression",
    "with": "0.0 if torch.compiler.is_compiling() else {expression}",
    "if": ["only-printed", "torch-bound"]})";
  constexpr std::string_view kHead =
      "import torch\ndef f(x):\n    a = time.time()\n    b = time.time() - a\n";
  CHECK(Fixed(std::string(kHead) + "    logger.info(b)\n", kClock, {.at = "time.time()"}) ==
        "import torch\ndef f(x):\n"
        "    a = 0.0 if torch.compiler.is_compiling() else time.time()\n"
        "    b = time.time() - a\n    logger.info(b)\n");
  CHECK(Fixed(std::string(kHead) + "    return b\n", kClock, {.at = "time.time()"}) == "refused");
}

TEST_CASE("The first applicable fix is used") {
  const std::string both = R"({"first": [{"rewrite": "assert-async"}, {"rewrite": "select"}]})";
  CHECK(FixOf("import torch\ndef f(x: torch.Tensor):\n    return x if x.sum() > 0 else -x\n", both,
              {.at = "x.sum() > 0"})
            ->title == "compute both sides and select with torch.where");
}

TEST_CASE("Errors for unknown words of a fix suggest the nearest one") {
  const auto message = [](std::string_view json) {
    llvm::Expected<std::vector<FixTemplate>> ways = ParseFixes(json);
    return ways ? std::string("none") : llvm::toString(ways.takeError());
  };
  CHECK(message(R"({"rewrite": "selct"})").find("did you mean 'select'") != std::string::npos);
  CHECK(message(R"({"safe": true, "title": "t", "replace": "statement", "with": "x",
                    "if": ["torch-bond"]})")
            .find("'torch-bound'") != std::string::npos);
  CHECK(message(R"({"safe": true, "title": "t", "replace": "statement", "with": "{statment}"})")
            .find("'statement'") != std::string::npos);
  CHECK(message(R"({"title": "t"})").find("needs") != std::string::npos);
  CHECK(message("[]").find("object") != std::string::npos);
}

TEST_CASE("Names of rewrites and preconditions are sorted and unique") {
  for (size_t i = 1; i < Rewrites().size(); ++i) CHECK(Rewrites()[i - 1].name < Rewrites()[i].name);
  for (size_t i = 1; i < Preconditions().size(); ++i)
    CHECK(Preconditions()[i - 1].name < Preconditions()[i].name);
}

CodeFinding FindingWith(std::vector<CodeEdit> edits, bool safe = true) {
  CodeFinding finding;
  finding.fix = CodeFix{safe, "t", std::move(edits)};
  return finding;
}

CodeEdit EditAt(size_t begin, size_t end, std::string text) {
  CodeEdit edit;
  edit.begin = begin;
  edit.end = end;
  edit.text = std::move(text);
  return edit;
}

TEST_CASE("The first of overlapping fixes is applied, and one import is enough for two") {
  const std::string_view text = "a = 1\nb = 2\n";
  const std::vector<CodeFinding> findings = {
      FindingWith({EditAt(0, 0, "import t\n"), EditAt(6, 11, "b = 3")}),
      FindingWith({EditAt(0, 0, "import t\n"), EditAt(0, 5, "a = 0")}),
      FindingWith({EditAt(8, 9, "==")}), FindingWith({EditAt(2, 3, "+=")}, /*safe=*/false)};
  FixedText fixed = ApplyFixes(text, findings, false);
  CHECK(fixed.text == "import t\na = 0\nb = 3\n");
  CHECK(fixed.applied == std::vector<size_t>{0, 1});
}

TEST_CASE("A fix after which the text does not parse is not applied; the others are") {
  const std::string_view text = "a = 1\nb = 2\n";
  const std::vector<CodeFinding> findings = {FindingWith({EditAt(0, 5, "a = (")}),
                                             FindingWith({EditAt(6, 11, "b = 3")})};
  const FixedText fixed = ApplyFixes(text, findings, true);
  CHECK(fixed.text == "a = 1\nb = 3\n");
  CHECK(fixed.applied == std::vector<size_t>{1});
  // Unsafe ones wait until they are allowed.
  const std::vector<CodeFinding> unsafe = {FindingWith({EditAt(0, 5, "a = 7")}, false)};
  CHECK(ApplyFixes(text, unsafe, false).text == text);
  CHECK(ApplyFixes(text, unsafe, true).text == "a = 7\nb = 2\n");
}

TEST_CASE("Edits that lie outside of the text are not applied") {
  CHECK(ApplyFixes("a\n", {FindingWith({EditAt(1, 9, "b")})}, true).text == "a\n");
}

}  // namespace
}  // namespace shapewise
