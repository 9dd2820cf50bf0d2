#include "check/judge_facts.h"

#include <algorithm>
#include <set>

#include "fixture_code_rules.h"
#include "support/catch.h"
#include "support/judge_code.h"

namespace shapewise {
namespace {

constexpr std::string_view kItem =
    R"({"at": ["call"], "name": ["torch.Tensor.item"], "subject": ["tensor"]})";

/// A module whose forward has this body; the first line of the body is line 6.
std::string Module(std::string_view body, std::string_view parameters = "x: torch.Tensor") {
  std::string text = "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, ";
  text.append(parameters).append("):\n");
  while (!body.empty()) {
    const size_t end = std::min(body.find('\n'), body.size());
    text.append("        ").append(body.substr(0, end)).append("\n");
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return text;
}

CodeRuleSet ItemRules() { return MakeCodeRuleSet({MakeCodeRule("SWP001", std::string(kItem))}); }

TEST_CASE("a finding has its place in characters and the text of its code", "[check]") {
  const std::vector<CodeFinding> findings =
      JudgeCode(Module("n = [\"ä\", x.sum(\n).item()]\nreturn n"), ItemRules());
  REQUIRE(findings.size() == 1);
  const CodeFinding& finding = findings[0];
  CHECK(finding.file == "code.py");
  CHECK(finding.range == CodeRange{.line = 6, .column = 19, .end_line = 7, .end_column = 17});
  CHECK(finding.function == "Net.forward");
  CHECK(finding.message == "x.sum( ).item()");
  CHECK(finding.breaks == std::vector<std::string>{"GB0001"});
  CHECK(finding.severity == Severity::kWarning);
  CHECK(finding.confidence == 1.0);
  CHECK(finding.conditions.empty());
}

TEST_CASE("placeholders are replaced by code", "[check]") {
  const CodeRuleSet rules = MakeCodeRuleSet(
      {MakeCodeRule("SWP001", R"({"at": ["call"], "name": ["torch.add"]})",
                    "{callee} {name} {attribute} {argument0} {argument1} {argument2} {function}")});
  const std::vector<CodeFinding> findings = JudgeCode(Module("return torch.add(x, x * 2)"), rules);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].message == "torch.add torch.add add x x * 2 ... Net.forward");
}

TEST_CASE("long code is shortened in messages", "[check]") {
  const std::vector<CodeFinding> findings =
      JudgeCode(Module("return (x" + std::string(40, ' ') + "+ x + " + std::string(80, 'y') +
                       ").sum().item()"),
                ItemRules());
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].message.size() == 60);
  CHECK(findings[0].message.starts_with("(x + x + yyy"));
  CHECK(findings[0].message.ends_with("yyy..."));
}

TEST_CASE("an uncertain finding is a note that states its conditions", "[check]") {
  const std::vector<CodeFinding> findings = JudgeCode(
      Module("if x.dtype == torch.float16:\n    y = x.sum().item()\nreturn x.sum().item()"),
      ItemRules());
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].severity == Severity::kNote);
  CHECK(findings[0].conditions == std::vector<std::string>{"dtype"});
  CHECK(findings[0].confidence < 0.5);
  CHECK(findings[1].severity == Severity::kWarning);
}

TEST_CASE("the conditions are those of the calls that the rule is about", "[check]") {
  const CodeRuleSet rules =
      MakeCodeRuleSet({MakeCodeRule("SWP001", R"({"at": ["index"], "argument0_is": ["mask"]})")});
  const auto conditions = [&](const std::string& calls) {
    const std::vector<CodeFinding> findings =
        JudgeCode(Module("def pick(t, index):\n    return t[index]\n" + calls + "return y"), rules);
    REQUIRE(findings.size() == 1);
    return findings[0].conditions;
  };
  const std::string mask = "if self.training:\n    y = pick(x, x > 0)\n";
  // The usual call has no mask.
  CHECK(conditions("y = pick(x, x.long())\n" + mask) == std::vector<std::string>{"training"});
  CHECK(conditions("y = pick(-x, x > 1)\n" + mask).empty());
  CHECK(conditions("y = pick(-x.long(), x.long() > 1)\n" + mask).empty());
}

TEST_CASE("a mode excludes code that does not run in it", "[check]") {
  const std::string text =
      Module("if self.training:\n    return x.sum().item()\nelse:\n    return x.mean().item()");
  const auto messages = [&](CodeMode mode) {
    std::vector<std::string> reported;
    for (const CodeFinding& finding : JudgeCode(text, ItemRules(), mode)) {
      reported.push_back(finding.message + " " + finding.conditions.at(0));
    }
    return reported;
  };
  const std::string training = "x.sum().item() training";
  const std::string evaluation = "x.mean().item() evaluation";
  CHECK(messages(CodeMode::kTraining) == std::vector<std::string>{training});
  CHECK(messages(CodeMode::kEvaluation) == std::vector<std::string>{evaluation});
  CHECK(messages(CodeMode::kBoth) == std::vector<std::string>{training, evaluation});
}

TEST_CASE("if several rules match one expression, the most specific one applies", "[check]") {
  const CodeRuleSet rules = MakeCodeRuleSet({
      MakeCodeRule("SWP001", R"({"at": ["truth"], "subject": ["tensor"]})"),
      MakeCodeRule("SWP002", R"({"at": ["call"], "name": ["torch.any"], "argument0": ["tensor"]})"),
  });
  const std::vector<CodeFinding> findings =
      JudgeCode(Module("if torch.any(x):\n    return -x\nreturn x"), rules);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].rule == "SWP002");
}

TEST_CASE("an idiom is reported once per class or file, with its other places", "[check]") {
  CodeRule rule = MakeCodeRule("SWP001", std::string(kItem));
  rule.fold = kFoldInClass;
  CodeRuleSet rules = MakeCodeRuleSet({rule});
  const std::string one = Module("y = x.sum().item()\nz = x.mean().item()\nreturn x.max().item()");
  std::string other = one;
  other.replace(other.find("Net"), 3, "Two");
  const std::string both = one + other.substr(other.find("class"));
  std::vector<CodeFinding> findings = JudgeCode(both, rules);
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].count == 3);
  REQUIRE(findings[0].related.size() == 2);
  CHECK(findings[0].related[0].range.line == 7);
  CHECK(findings[0].related[1].range.line == 8);
  CHECK(findings[1].function == "Two.forward");

  rule.fold = kFoldInFile;
  rules = MakeCodeRuleSet({rule});
  findings = JudgeCode(both, rules);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].count == 6);
}

TEST_CASE("breaks after a branch that breaks are reported with the branch", "[check]") {
  const CodeRuleSet rules = MakeCodeRuleSet({
      MakeCodeRule("SWP001", std::string(kItem)),
      MakeCodeRule("SWP002", R"({"at": ["truth"], "subject": ["tensor"]})"),
  });
  const std::vector<CodeFinding> findings =
      JudgeCode(Module("if x.any():\n    y = x.sum().item()\nelse:\n    y = x.min().item()\nreturn "
                       "x.max().item() + y"),
                rules);
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].rule == "SWP002");
  REQUIRE(findings[0].related.size() == 2);
  CHECK(findings[0].related[0].range.line == findings[0].range.line + 1);
  CHECK(findings[0].related[1].range.line == findings[0].range.line + 3);
  CHECK(findings[1].range.line == findings[0].range.line + 4);
}

TEST_CASE("a finding removed before folding hides no others", "[check]") {
  CodeRule item = MakeCodeRule("SWP001", std::string(kItem));
  item.fold = kFoldInClass;
  const CodeRuleSet rules = MakeCodeRuleSet({
      item,
      MakeCodeRule("SWP002", R"({"at": ["truth"], "subject": ["tensor"]})"),
  });
  Project project;
  project.AddFile("code.py", "code",
                  Module("if x.any():\n    if x.all():\n        y = x.sum().item()\n"
                         "return x.max().item() + y"),
                  /*is_checked=*/true);
  const auto all = [](FactKind, std::string_view) { return true; };
  const FlowResult flow = Follow(project, all, /*jobs=*/1);
  const std::vector<CodeFinding> sites = JudgeFacts(project, flow.facts, rules, CodeMode::kBoth);
  REQUIRE(sites.size() == 4);
  const auto rules_without = [&](std::set<size_t> removed) {
    std::vector<CodeFinding> left;
    for (size_t i = 0; i < sites.size(); ++i) {
      if (!removed.contains(i)) left.push_back(sites[i]);
    }
    FoldFindings(left);
    std::string text;
    for (const CodeFinding& finding : left) {
      text += finding.rule + "x" + std::to_string(finding.count) + "+" +
              std::to_string(finding.related.size()) + " ";
    }
    return text;
  };
  CHECK(rules_without({}) == "SWP002x1+2 SWP001x1+0 ");
  CHECK(rules_without({0}) == "SWP002x1+1 SWP001x1+0 ");
  CHECK(rules_without({0, 1}) == "SWP001x2+1 ");
  CHECK(rules_without({0, 1, 2}) == "SWP001x1+0 ");
}

TEST_CASE("a check of values is reported at its first break", "[check]") {
  const CodeRuleSet rules = MakeCodeRuleSet({
      MakeCodeRule("SWP001", R"({"at": ["call"], "name": ["torch.unique"]})"),
      MakeCodeRule("SWP002", R"({"at": ["truth"], "subject": ["tensor"]})"),
  });
  const auto reported = [&](const std::string& body) {
    std::string text;
    for (const CodeFinding& finding : JudgeCode(Module(body), rules)) {
      text += finding.rule + "+" + std::to_string(finding.related.size()) + " ";
    }
    return text;
  };
  const std::string check =
      "values = torch.unique(x)\n"
      "if flag:\n    bad = torch.any(values > 1)\nelse:\n    bad = torch.any(values > 2)\n"
      "if bad:\n    raise ValueError(f'{values}')\n";
  CHECK(reported(check + "return x") == "SWP001+1 ");
  CHECK(reported("if flag:\n    return x\n" + check + "values = x + 1\nreturn values") ==
        "SWP001+1 ");
  // The values serve something else as well, or the branch does more than to raise.
  CHECK(reported(check + "return values") == "SWP001+0 SWP002+0 ");
  CHECK(reported("values = torch.unique(x)\ntotal = values.sum()\nx = x + total\n"
                 "if total > 1:\n    raise ValueError\nreturn x") == "SWP001+0 SWP002+0 ");
  CHECK(reported("values = torch.unique(x)\nif values.any():\n    x = x + 1\nreturn x") ==
        "SWP001+0 SWP002+0 ");
  // A name that a block may have assigned again may still have the first value.
  CHECK(reported(check + "if flag:\n    values = x\nreturn values") == "SWP001+0 SWP002+0 ");
}

TEST_CASE("a break that Dynamo does not get to is listed with the one before it", "[check]") {
  const CodeRuleSet rules = MakeCodeRuleSet({
      MakeCodeRule("SWP001", std::string(kItem)),
      MakeCodeRule("SWP002", R"({"at": ["truth"], "subject": ["tensor"]})"),
      MakeCodeRule("SWP003", R"({"at": ["call"], "name": ["torch.Tensor.to_sparse"]})"),
  });
  const auto reported = [&](const std::string& body) {
    std::string text;
    for (const CodeFinding& finding : JudgeCode(Module(body), rules)) {
      text += finding.rule + "+" + std::to_string(finding.related.size()) + " ";
    }
    return text;
  };
  // A break in a loop leaves the rest of the function to Python.
  const std::string loop = "for i in range(3):\n    x = x * x.sum().item()\n";
  CHECK(reported(loop + "if x.any():\n    x = x + x.max().item()\nreturn x") == "SWP001+2 ");
  CHECK(reported("x = x + x.max().item()\n" + loop + "return x") == "SWP001+0 SWP001+0 ");
  CHECK(reported("x = [y * y.sum().item() for y in (x, x)][0]\nreturn x * x.max().item()") ==
        "SWP001+0 SWP001+0 ");
  // The loop may not have run.
  CHECK(reported("if x.shape[0] > 2:\n    for i in range(3):\n        x = x * x.sum().item()\n"
                 "return x * x.max().item()") == "SWP001+0 SWP001+0 ");
  CHECK(reported("if x.shape[0] > 2:\n    for i in range(3):\n        x = x * x.sum().item()\n"
                 "else:\n    x = x * x.max().item()\nreturn x") == "SWP001+0 SWP001+0 ");
  // So does a sparse tensor.
  CHECK(reported("y = x.to_sparse()\nreturn y.values() * x.sum().item()") == "SWP003+1 ");
  CHECK(reported("n = x.sum().item()\nreturn x.to_sparse() * n") == "SWP001+0 SWP003+0 ");
}

TEST_CASE("a finding lists only a few branches of a long chain", "[check]") {
  const CodeRuleSet rules = MakeCodeRuleSet({
      MakeCodeRule("SWP001", std::string(kItem)),
      MakeCodeRule("SWP002", R"({"at": ["truth"], "subject": ["tensor"]})"),
  });
  std::string body = "if x.any():\n    y = x\n";
  for (size_t i = 0; i < 60; ++i) body += "elif x.any():\n    y = x.sum().item()\n";
  Project project;
  project.AddFile("code.py", "code", Module(body + "return y"), /*is_checked=*/true);
  const auto all = [](FactKind, std::string_view) { return true; };
  const FlowResult flow = Follow(project, all, /*jobs=*/1);
  std::vector<CodeFinding> sites = JudgeFacts(project, flow.facts, rules, CodeMode::kBoth);
  REQUIRE(sites.size() == 121);
  for (const CodeFinding& site : sites) CHECK(site.fold.branches.size() <= 8);
  CHECK(sites[1].fold.branches == std::vector<uint32_t>{sites[0].fold.id});
  CHECK(sites.back().fold.branches.front() == sites[0].fold.id);
  FoldFindings(sites);
  REQUIRE(sites.size() == 1);
  CHECK(sites[0].related.size() == 120);
}

TEST_CASE("callers of a helper are reported", "[check]") {
  const std::vector<CodeFinding> findings = JudgeCode(
      "import torch\n\n\ndef total(x):\n    return x.sum().item()\n\n\n"
      "class Net(torch.nn.Module):\n    def forward(self, x: torch.Tensor):\n"
      "        return total(x)\n",
      ItemRules());
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].function == "total");
  REQUIRE(findings[0].related.size() == 1);
  CHECK(findings[0].related[0].text == "called from Net.forward");
  CHECK(findings[0].related[0].range ==
        CodeRange{.line = 9, .column = 5, .end_line = 9, .end_column = 16});
}

TEST_CASE("fingerprints are stable when lines shift, and differ for repeated code", "[check]") {
  const std::string text = Module("y = x.sum().item()\nz = x.sum().item()\nreturn x.max().item()");
  const auto fingerprints = [](const std::string& code) {
    std::vector<std::string> all;
    for (const CodeFinding& finding : JudgeCode(code, ItemRules())) {
      all.push_back(finding.fingerprint);
    }
    return all;
  };
  const std::vector<std::string> before = fingerprints(text);
  CHECK(before.size() == 3);
  CHECK(std::set<std::string>(before.begin(), before.end()).size() == 3);
  CHECK(std::ranges::all_of(before, [](const std::string& one) { return one.size() == 16; }));
  CHECK(fingerprints("# a comment\n\n" + text) == before);
}

TEST_CASE("the order of facts does not matter", "[check]") {
  const std::string text =
      Module("y = x.sum().item()\nif x.any():\n    z = x.sum().item()\nreturn x.max().item() + y");
  const CodeRuleSet rules = MakeCodeRuleSet({
      MakeCodeRule("SWP001", std::string(kItem)),
      MakeCodeRule("SWP002", R"({"at": ["truth"], "subject": ["tensor"]})"),
  });
  Project project;
  project.AddFile("code.py", "code", text, /*is_checked=*/true);
  const auto all = [](FactKind, std::string_view) { return true; };
  FlowResult result = Follow(project, all, /*jobs=*/1);
  const auto reported = [&] {
    std::vector<std::string> lines;
    for (const CodeFinding& finding : JudgeFacts(project, result.facts, rules, CodeMode::kBoth)) {
      lines.push_back(finding.rule + finding.message + finding.fingerprint);
    }
    return lines;
  };
  const std::vector<std::string> first = reported();
  CHECK(first.size() == 4);
  std::ranges::reverse(result.facts);
  CHECK(reported() == first);
}

TEST_CASE("files that are only imported get no findings", "[check]") {
  Project project;
  project.AddFile("helper.py", "helper", "def total(x):\n    return x.sum().item()\n",
                  /*is_checked=*/false);
  project.AddFile("model.py", "model",
                  "import torch\nfrom helper import total\n\n\nclass Net(torch.nn.Module):\n"
                  "    def forward(self, x: torch.Tensor):\n        return total(x)\n",
                  /*is_checked=*/true);
  CHECK(JudgeProject(project, ItemRules()).empty());
}

TEST_CASE("attributes of the object itself are distinguished from others", "[check]") {
  const CodeRuleSet rules = MakeCodeRuleSet({MakeCodeRule(
      "SWP001", R"({"at": ["call"], "name": ["torch.Tensor.add_"], "subject_of": ["self"]})")});
  const std::string own = "y = x.clone()\ny.add_(1)\nif x.dim() > 2:\n    self.total = y\n";
  const std::vector<CodeFinding> findings =
      JudgeCode(Module(own + "self.total.add_(1)\nreturn y"), rules);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].message == "self.total.add_(1)");
  // What every call makes anew is not kept from call to call.
  CHECK(JudgeCode(Module(own + "self.total = x * 2\nself.total.add_(1)\nreturn y"), rules).empty());
}

TEST_CASE("values are traced to their origins", "[check]") {
  const CodeRuleSet rules = MakeCodeRuleSet({
      MakeCodeRule("SWP001", R"({"at": ["call"], "name": ["torch.softmax"],
                                 "argument0_from": ["matmul", "@"]})"),
      MakeCodeRule("SWP002", R"({"at": ["store_attribute"], "made_of": ["itself"]})"),
  });
  const std::vector<CodeFinding> findings =
      JudgeCode(Module("a = x @ x\na = a / 8\nb = torch.softmax(a, -1)\nc = torch.softmax(x, -1)\n"
                       "a = x\nd = torch.softmax(a, -1)\nself.n = 1\nself.n += 1\n"
                       "self.m = 1\nself.m = self.m + 1\nreturn b + c + d"),
                rules);
  std::vector<std::string> messages;
  for (const CodeFinding& finding : findings) {
    messages.push_back(std::to_string(finding.range.line) + " " + finding.message);
  }
  CHECK(messages == std::vector<std::string>{"8 torch.softmax(a, -1)", "13 self.n", "15 self.m"});
}

TEST_CASE("variables that a lambda captures are known", "[check]") {
  const CodeRuleSet rules = MakeCodeRuleSet({MakeCodeRule(
      "SWP001",
      R"({"at": ["call"], "name": ["torch._check"], "argument*_is": ["sees_objects"]})")});
  const std::vector<CodeFinding> findings =
      JudgeCode(Module("n = x.shape[0]\n"
                       "torch._check(n > 0, lambda: f'{x.shape}')\n"         // 7
                       "torch._check(n > 0, message=lambda: f'{self.n}')\n"  // 8
                       "told = lambda: str([t + 1 for t in y])\n"
                       "torch._check(n > 0, told)\n"  // 10
                       "torch._check(n > 0, lambda: f'{n} {torch.float16}')\n"
                       "torch._check(n > 0, lambda x=1: f'{x}')\n"
                       "torch._check(n > 0, lambda: str([x for x in (1, 2)]))\n"
                       "torch._check(n > 0, lambda: f'{z}')\n"
                       "torch._check(n > 0, x)\n"
                       "return x",
                       "x: torch.Tensor, y, z: torch.Tensor | None = None"),
                rules);
  REQUIRE(findings.size() == 3);
  CHECK(findings[0].range.line == 7);
  CHECK(findings[0].confidence == 1.0);
  CHECK(findings[1].range.line == 8);
  // An argument that is taken for a tensor because nothing else is known of it.
  CHECK(findings[2].range.line == 10);
  CHECK(findings[2].confidence < 1.0);
}

TEST_CASE("conditions on how an argument is written follow names", "[check]") {
  const auto lines_of = [](const std::string& form, std::string_view body) {
    const CodeRuleSet rules = MakeCodeRuleSet({MakeCodeRule(
        "SWP001", R"({"at": ["call"], "name": ["torch.mul"], "argument:out_written": [")" + form +
                      R"("]})")});
    std::string lines;
    for (const CodeFinding& finding : JudgeCode(Module(body, "x: torch.Tensor, n: int"), rules)) {
      lines += std::to_string(finding.range.line) + " ";
    }
    return lines;
  };
  CHECK(lines_of("strided_view",
                 "torch.mul(x, 2, out=x[:, :8])\n"   // 6
                 "torch.mul(x, 2, out=x[..., 0])\n"  // 7
                 "torch.mul(x, 2, out=x[0:, -n])\n"  // 8
                 "torch.mul(x, 2, out=x[::2])\n"     // 9
                 "torch.mul(x, 2, out=x.mT)\n"       // 10
                 "v = x\nv = v.transpose(0, 1)\n"    // 12
                 "torch.mul(x, 2, out=v)\n") ==      // 13
        "6 7 8 9 10 13 ");
  CHECK(lines_of("strided_view",
                 "torch.mul(x, 2, out=x)\n"
                 "torch.mul(x, 2, out=x[:8])\n"
                 "torch.mul(x, 2, out=x[n, 2:8])\n"
                 "torch.mul(x, 2, out=x[:, :])\n"
                 "torch.mul(x, 2, out=x[::1])\n"
                 "torch.mul(x, 2, out=x[:n, :8])\n"
                 "torch.mul(x, 2, out=x[:, [0, 1]])\n"
                 "torch.mul(x, 2, out=x.t().contiguous())\n"
                 "v = x.t()\n"
                 "torch.mul(x, 2, out=v.t())\n"
                 "v = x\n"
                 "torch.mul(x, 2, out=v)\n")
            .empty());
  CHECK(lines_of("true",
                 "torch.mul(x, 2, out=True)\n"
                 "torch.mul(x, 2, out=False)\n"
                 "yes = True\n"
                 "torch.mul(x, 2, out=yes)\n"
                 "torch.mul(x, 2)") == "6 9 ");
}

}  // namespace
}  // namespace shapewise
