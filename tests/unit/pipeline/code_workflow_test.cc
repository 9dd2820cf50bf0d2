#include <string>

#include "pipeline/check.h"
#include "pipeline/code_changes.h"
#include "pipeline/code_inputs.h"
#include "report/formats.h"
#include "support/catch.h"

namespace shapewise {
namespace {

TEST_CASE("imports are found with dots, brackets, aliases and any line ends") {
  const auto imports = FindImports(
      "import os, torch.nn as nn\n"
      "from . import layers\n"
      "from ..models.bert import (  # why\n"
      "    Encoder as E,\r\n"
      "    Decoder,\n"
      ")\n"
      "def f():\n"
      "    from x import *\n"
      "important = 1\n"
      "from a import \\\n    b\n");
  REQUIRE(imports.size() == 6);
  CHECK(imports[0].module == "os");
  CHECK(imports[1].module == "torch.nn");
  CHECK(imports[2].dots == 1);
  CHECK(imports[2].module.empty());
  CHECK(imports[2].names == std::vector<std::string_view>{"layers"});
  CHECK(imports[3].dots == 2);
  CHECK(imports[3].module == "models.bert");
  CHECK(imports[3].names == std::vector<std::string_view>{"Encoder", "Decoder"});
  CHECK(imports[4].names == std::vector<std::string_view>{"*"});
  CHECK(imports[5].names == std::vector<std::string_view>{"b"});
}

TEST_CASE("text cut anywhere has no imports beyond its end") {
  const std::string text = "from .a import (b as c,\n  d) \\\nimport e.f as g, h\n";
  for (size_t length = 0; length <= text.size(); ++length) {
    for (const ImportLine& line : FindImports(std::string_view(text).substr(0, length))) {
      CHECK(line.module.data() >= text.data());
      CHECK(line.names.size() <= 2);
    }
  }
}

constexpr std::string_view kNotebook = R"json({
 "cells": [
  {"cell_type": "markdown", "source": ["# Title\n"]},
  {
   "cell_type": "code",
   "metadata": {"source": ["x"]},
   "source": [
    "%matplotlib inline\n",
    "files = !ls \\\n",
    "   -l\n",
    "if True:\n",
    "    !pip install x\n",
    "y = (a\n",
    "     % b)"
   ],
   "outputs": []
},
  {"cell_type": "code", "source": "%%bash\nls"},
  {"cell_type": "code", "source": "%%time\nprint('caf\u00e9')\n"}
 ]
})json";

TEST_CASE("a notebook is read as its code cells, with magics neutralized") {
  const std::optional<Notebook> notebook = ReadNotebook(kNotebook);
  REQUIRE(notebook);
  CHECK(notebook->text ==
        "pass\npass\n\nif True:\n    pass\ny = (a\n     % b)\n"
        "\n\n"
        "pass\nprint('caf\u00e9')\n");
  REQUIRE(notebook->cells.size() == 3);
  CHECK(notebook->cells[0].number == 2);
  CHECK(notebook->cells[2].number == 4);
  CHECK(notebook->cells[0].file_lines == std::vector<uint32_t>{8, 9, 10, 11, 12, 13, 14});
}

TEST_CASE("a place in a notebook is reported by cell") {
  const std::optional<Notebook> notebook = ReadNotebook(kNotebook);
  REQUIRE(notebook);
  const CodeRange range =
      notebook->InCell({.line = 11, .column = 1, .end_line = 11, .end_column = 6});
  CHECK(range == CodeRange{.line = 2, .column = 1, .end_line = 2, .end_column = 6, .cell = 4});
  // The first line of the first cell, and what goes on beyond a cell's end.
  CHECK(notebook->InCell({.line = 1, .end_line = 9}).cell == 2);
  CHECK(notebook->InCell({.line = 1, .end_line = 9}).end_line == 7);
}

TEST_CASE("damaged text is not read as a notebook, wherever it is cut") {
  CHECK_FALSE(ReadNotebook(""));
  CHECK_FALSE(ReadNotebook("[]"));
  CHECK_FALSE(ReadNotebook("{\"cells\": 3}"));
  CHECK(ReadNotebook("{\"cells\": []}"));
  for (size_t length = 0; length + 2 < kNotebook.size(); ++length) {
    CHECK_FALSE(ReadNotebook(kNotebook.substr(0, length)));
  }
}

TEST_CASE("patterns without a slash match any part of a path, others its start") {
  Expected<PathPatterns> patterns = PathPatterns::Make({"gen*", "./src/old/", "[ab].py"});
  REQUIRE(static_cast<bool>(patterns));
  CHECK(patterns->Match("src/generated/a/b/c.py"));
  CHECK(patterns->Match("src/old/x.py"));
  CHECK(patterns->Match("./src/old/x.py"));
  CHECK_FALSE(patterns->Match("lib/src/old/x.py"));
  CHECK(patterns->Match("lib/a.py"));
  CHECK_FALSE(patterns->Match("lib/c.py"));
  Expected<PathPatterns> broken = PathPatterns::Make({"a[b"});
  REQUIRE_FALSE(static_cast<bool>(broken));
  CHECK(llvm::toString(broken.takeError()).find("'a[b'") != std::string::npos);
}

CodeFinding FindingIn(const std::string& file, const std::string& function, uint32_t line,
                      const std::string& fingerprint) {
  CodeFinding finding;
  finding.rule = "SWP001";
  finding.file = file;
  finding.function = function;
  finding.range = {.line = line, .column = 1, .end_line = line + 1, .end_column = 2};
  finding.fingerprint = fingerprint;
  return finding;
}

TEST_CASE("git's diff is read with renames, new and deleted files, odd names and odd text") {
  const auto files = ParseDiff(
      "diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n"
      "@@ -3,0 +4,2 @@ def f():\n+x\n+++ y\n@@ -9 +11 @@\n--- old\n+new\n"
      "@@ -20,2 +20,0 @@\n-a\n-b\n"
      "diff --git a/old.py b/new.py\nsimilarity index 90%\nrename from old.py\nrename to new.py\n"
      "diff --git a/gone.py b/gone.py\n--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
      "diff --git a/my file.py b/my file.py\n--- /dev/null\n+++ b/my file.py\t\n@@ -0,0 +1 @@\n+x\n"
      "diff --git \"a/\\303\\274\\\".py\" \"b/\\303\\274\\\".py\"\n--- \"a/\\303\\274\\\".py\"\n"
      "+++ \"b/\\303\\274\\\".py\"\n@@ -1 +1 @@\n-x\n+y\n");
  REQUIRE(files.size() == 5);
  CHECK(files[0].after == "a.py");
  CHECK(files[0].blocks == std::vector<ChangedBlock>{{4, 2, 0}, {11, 1, 1}, {21, 0, 2}});
  CHECK(files[1].before == "old.py");
  CHECK(files[1].after == "new.py");
  CHECK(files[1].blocks.empty());
  CHECK(files[2].after.empty());
  CHECK(files[3].before.empty());
  CHECK(files[3].after == "my file.py");
  CHECK(files[4].after == "\u00fc\".py");
}

TEST_CASE("context lines of a patch are not changed lines") {
  const std::string head = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n";
  const auto files = ParseDiff(head +
                               "@@ -1,6 +1,7 @@\n a\n-b\n+B\n\n d\n+e\n f\n g\n"
                               "\\ No newline at end of file\ndiff --git a/b.py b/b.py\n"
                               "--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-a\n+b\n");
  REQUIRE(files.size() == 2);
  CHECK(files[0].blocks == std::vector<ChangedBlock>{{2, 1, 1}, {5, 1, 0}});
  CHECK(files[1].blocks == std::vector<ChangedBlock>{{1, 1, 1}});
}

TEST_CASE("unchanged lines keep their previous number") {
  ChangedLines changed;
  changed.Add("a.py", {{4, 2, 0}, {11, 1, 1}, {21, 0, 2}});
  CHECK(changed.LineBefore("a.py", 3) == 3);
  CHECK(changed.LineBefore("a.py", 6) == 4);
  CHECK(changed.LineBefore("a.py", 20) == 18);
  CHECK(changed.LineBefore("a.py", 21) == 21);
  CHECK(changed.LineBefore("b.py", 21) == 21);
  CHECK(changed.Touches("a.py", 5, 5));
  CHECK_FALSE(changed.Touches("a.py", 6, 10));
  CHECK_FALSE(changed.Touches("a.py", 12, 99));
}

TEST_CASE("a change introduces findings on its lines, and new ones elsewhere") {
  ChangedLines changed;
  changed.Add("a.py", {{10, 3, 1}});
  changed.AddAll("new.py");
  CheckResult before;
  before.findings = {FindingIn("a.py", "f", 8, "1"), FindingIn("a.py", "f", 9, "2"),
                     FindingIn("a.py", "g", 11, "4"), FindingIn("b.py", "also", 5, "6")};
  before.findings.push_back(FindingIn("b.py", "worse", 9, "8"));
  before.findings.back().severity = Severity::kNote;
  CheckResult result;
  result.findings = {FindingIn("a.py", "f", 8, "1"),    FindingIn("a.py", "f", 9, "2"),
                     FindingIn("a.py", "g", 12, "3"),   FindingIn("a.py", "g", 13, "4"),
                     FindingIn("b.py", "used", 3, "5"), FindingIn("b.py", "also", 5, "6"),
                     FindingIn("new.py", "h", 1, "7"),  FindingIn("b.py", "worse", 9, "8")};
  const CodeTexts texts;
  SuppressUnchanged(changed, {before, texts}, {result, texts});
  std::string reported;
  for (const CodeFinding& finding : result.findings) reported += finding.fingerprint;
  CHECK(reported == "23578");
  CHECK(result.outside_diff == 3);
}

std::string SameName(const std::string& file) { return file; }

CodeBaseline BaselineOf(const std::vector<CodeFinding>& findings) {
  CodeBaseline baseline{"both", {}};
  for (const CodeFinding& finding : findings) {
    baseline.entries.push_back(KnownAs(finding, SameName));
  }
  return baseline;
}

TEST_CASE("a baseline suppresses each finding once, also in a moved file") {
  CheckResult result;
  result.findings = {FindingIn("a.py", "f", 1, "1"), FindingIn("moved.py", "f", 1, "2"),
                     FindingIn("b.py", "f", 1, "1")};
  std::string text;
  llvm::raw_string_ostream out(text);
  WriteCodeBaseline(BaselineOf({FindingIn("old.py", "f", 9, "2"), FindingIn("b.py", "f", 7, "1"),
                                FindingIn("c.py", "", 1, "9")}),
                    out);
  Expected<CodeBaseline> known = ReadCodeBaseline(out.str(), "known.json");
  REQUIRE(static_cast<bool>(known));
  CHECK(known->mode == "both");
  const std::vector<KnownFinding> unused =
      SuppressKnown(*known, {.checked = {}, .missing = {"old.py"}}, SameName, result);
  REQUIRE(unused.size() == 1);
  CHECK(unused[0].file == "c.py");
  // The entry of b.py is for the finding of b.py, though a.py comes first.
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].file == "a.py");
  CHECK(result.known == 2);
}

TEST_CASE("an entry of a file that was not checked suppresses nothing elsewhere") {
  CheckResult result;
  result.findings = {FindingIn("b/util.py", "f", 1, "1")};
  const CodeBaseline known = BaselineOf({FindingIn("a/util.py", "f", 1, "1")});
  CHECK(SuppressKnown(known, {}, SameName, result).size() == 1);
  CHECK(result.findings.size() == 1);
  CHECK(SuppressKnown(known, {.checked = {"a/util.py"}, .missing = {}}, SameName, result).empty());
}

TEST_CASE("the entries of a renamed file match by rule, function and message") {
  const auto named = [](const char* file, const char* fingerprint, const char* message) {
    CodeFinding finding = FindingIn(file, "f", 1, fingerprint);
    finding.message = message;
    return finding;
  };
  const CodeBaseline known = BaselineOf({named("old.py", "1", "m"), named("old.py", "2", "m"),
                                         named("old.py", "3", "n"), named("gone.py", "4", "n")});
  const BaselineScope scope{.checked = {}, .missing = {"old.py", "gone.py"}};
  CheckResult result;
  // Two files have "n": either may be the one that was renamed.
  result.findings = {named("new.py", "5", "m"), named("new.py", "6", "m"),
                     named("new.py", "7", "n")};
  CHECK(SuppressKnown(known, scope, SameName, result).size() == 2);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].message == "n");
}

TEST_CASE("every run condition has a readable text") {
  const auto last = static_cast<uint32_t>(kLastCondition);
  for (uint32_t bit = 1; bit <= last; bit <<= 1) {
    const std::string_view name = RunConditionName(static_cast<RunCondition>(bit));
    CAPTURE(std::string(name));
    CHECK(ConditionText(name).find(" under: ") == std::string::npos);
  }
}

TEST_CASE("the error for an invalid baseline names the place") {
  for (const char* text :
       {"", "{", "[]", "{\"schema\": \"shapewise.baseline/1\"}",
        "{\"schema\": \"shapewise.check-baseline/1\", \"findings\": [3]}",
        "{\"schema\": \"shapewise.check-baseline/1\", \"findings\": [{\"rule\": \"a\"}]}"}) {
    CAPTURE(text);
    Expected<CodeBaseline> known = ReadCodeBaseline(text, "known.json");
    REQUIRE_FALSE(static_cast<bool>(known));
    CHECK(llvm::toString(known.takeError()).find("known.json: ") == 0);
  }
}

TEST_CASE("a saved analysis round-trips, and damage is detected") {
  CodeAnalysis analysis;
  CodeFinding finding = FindingIn("a.py", "f", 1, "1");
  finding.confidence = 0.123456789;
  finding.fix = CodeFix{true, "title", {{{1, 2, 3, 4}, 5, 6, "text"}}};
  finding.related = {{"b.py", {1, 2, 3, 4, 5}, "why"}};
  finding.fold = {7, 8, {9}};
  analysis.result.findings = {finding};
  analysis.result.faults = {
      {"a.py", {1, 1, 1, 1}, "fault", "SWP000", "syntax-error", Severity::kNote, "advice"}};
  analysis.result.files = 3;
  const std::string bytes = SaveAnalysis(analysis);
  Expected<CodeAnalysis> loaded = LoadAnalysis(bytes);
  REQUIRE(static_cast<bool>(loaded));
  CHECK(SaveAnalysis(*loaded) == bytes);
  CHECK(loaded->result.findings[0].fix->edits[0].end == 6);
  CHECK(loaded->result.findings[0].fold.branches == std::vector<uint32_t>{9});
  CHECK(loaded->result.findings[0].confidence == finding.confidence);
  for (size_t length = 0; length < bytes.size(); ++length) {
    Expected<CodeAnalysis> cut = LoadAnalysis(std::string_view(bytes).substr(0, length));
    REQUIRE_FALSE(static_cast<bool>(cut));
    llvm::consumeError(cut.takeError());
  }
}

TEST_CASE("a deeply nested saved analysis is rejected", "[check]") {
  for (const char* head : {"[", "{\"version\":"}) {
    std::string text;
    for (size_t i = 0; i < 1'000'000; ++i) text += head;
    Expected<CodeAnalysis> loaded = LoadAnalysis(text);
    REQUIRE_FALSE(static_cast<bool>(loaded));
    llvm::consumeError(loaded.takeError());
  }
}

CodeInputs OneFile(const std::string& path, const std::string& text) {
  CodeInputs inputs;
  inputs.files = {{path, text, true, nullptr}};
  return inputs;
}

TEST_CASE("a saved analysis is used only for the same code and options") {
  const CheckOptions options;
  const std::string key = AnalysisKey(options, OneFile("a.py", "x"), "1");
  CHECK(key.size() == 40);
  CHECK(key == AnalysisKey(options, OneFile("a.py", "x"), "1"));
  CHECK(key != AnalysisKey(options, OneFile("a.py", "y"), "1"));
  CHECK(key != AnalysisKey(options, OneFile("b.py", "x"), "1"));
  CHECK(key != AnalysisKey(options, OneFile("a.py", "x"), "2"));
  CheckOptions others;
  others.mode = CodeMode::kTraining;
  CHECK(key != AnalysisKey(others, OneFile("a.py", "x"), "1"));
  others = options;
  others.ignore = {"SWP001"};
  CHECK(key != AnalysisKey(others, OneFile("a.py", "x"), "1"));
  // The number of threads is no part of the answer.
  others = options;
  others.jobs = 3;
  CHECK(key == AnalysisKey(others, OneFile("a.py", "x"), "1"));
}

}  // namespace
}  // namespace shapewise
