#include "check/suppressions.h"

#include "check/fixes.h"
#include "support/catch.h"

namespace shapewise {
namespace {

CodeFinding At(uint32_t line, std::string rule) {
  CodeFinding finding;
  finding.rule = std::move(rule);
  finding.name = "a-name";
  finding.file = "m.py";
  finding.range = {line, 1, line, 2};
  return finding;
}

/// What is left of `findings`: "4:SWP001".
std::vector<std::string> Left(std::string_view text, std::vector<CodeFinding> findings,
                              std::vector<std::string_view> active = {}) {
  Suppress(text, "m.py", active, findings);
  std::vector<std::string> left;
  for (const CodeFinding& finding : findings)
    left.push_back(std::to_string(finding.range.line) + ":" + finding.rule);
  return left;
}

TEST_CASE("A comment suppresses the named rules in its statement") {
  CHECK(Left("a = 1  # shapewise: ignore[SWP001] known\n", {At(1, "SWP001"), At(1, "SWP002")}) ==
        std::vector<std::string>{"1:SWP002"});
  CHECK(Left("a = f(\n    b,\n)  # shapewise: ignore[SWP001]\n", {At(1, "SWP001"), At(2, "SWP001")})
            .empty());
  CHECK(Left("a = f(\n    b,  # shapewise: ignore[swp001, a-name]\n)\n",
             {At(1, "SWP001"), At(2, "SWP002")})
            .empty());
  CHECK(Left("# shapewise: ignore[SWP001]\n# more\na = f(\n  b)\n", {At(4, "SWP001")}).empty());
  CHECK(Left("a = 1  # noqa: E501  # shapewise: ignore\n", {At(1, "SWP001"), At(1, "SWP002")})
            .empty());
  // The line below is another statement.
  CHECK(Left("if a:  # shapewise: ignore[SWP001]\n    b\n", {At(1, "SWP001"), At(2, "SWP001")}) ==
        std::vector<std::string>{"2:SWP001"});
}

TEST_CASE("A comment at the top applies to the file; a later one does not") {
  CHECK(Left("\"\"\"Doc.\"\"\"\n# shapewise: ignore-file[SWP001]\nimport a\nb\n",
             {At(3, "SWP001"), At(4, "SWP001"), At(4, "SWP002")}) ==
        std::vector<std::string>{"4:SWP002"});
  CHECK(Left("import a\n# shapewise: ignore-file\nb\n", {At(3, "SWP001")}) ==
        std::vector<std::string>{"2:SWP900", "3:SWP001"});
}

TEST_CASE("Text that resembles a comment suppresses nothing") {
  CHECK(Left("a = '# shapewise: ignore'\n", {At(1, "SWP001")}) ==
        std::vector<std::string>{"1:SWP001"});
  CHECK(Left("a = 1  # shapewise: ignored\n", {At(1, "SWP001")}) ==
        std::vector<std::string>{"1:SWP001"});
  CHECK(Left("a = 1  # see shapewise: ignore\n", {At(1, "SWP001")}) ==
        std::vector<std::string>{"1:SWP001"});
}

TEST_CASE("An unused suppression is reported with a fix") {
  std::vector<CodeFinding> findings = {At(2, "SWP001")};
  const std::string_view text =
      "a = 1  # shapewise: ignore[SWP003] gone\n"
      "b = 2  # shapewise: ignore[SWP001, SWP002]\n"
      "# shapewise: ignore\n"
      "c = 3\n";
  CHECK(Suppress(text, "m.py", {}, findings) == 1);
  REQUIRE(findings.size() == 3);
  CHECK(findings[0].rule == "SWP900");
  CHECK(findings[0].message == "no finding of SWP003 here for this comment to suppress");
  CHECK(findings[2].message == "no finding here for this comment to suppress");
  CHECK(findings[0].fingerprint != findings[1].fingerprint);
  CHECK(ApplyFixes(text, findings, false).text ==
        "a = 1\nb = 2  # shapewise: ignore[SWP001]\nc = 3\n");
  // Of a rule that was not asked it is not known.
  CHECK(Left("a = 1  # shapewise: ignore[SWP003]\n", {}, {"SWP001"}).empty());
  CHECK(Left("a = 1  # shapewise: ignore\n", {}, {"SWP001"}).empty());
}

TEST_CASE("Suppressions are added at the end of statements, one per line") {
  const std::string_view text =
      "a = f(\n    b,\n)  # why\nc = d  # shapewise: ignore[SWP010] known\nif x: print(x)\\\n\n";
  const std::string added =
      AddIgnores(text, {At(1, "SWP002"), At(2, "SWP001"), At(4, "SWP001")}, "later").text;
  CHECK(added ==
        "a = f(\n    b,\n)  # why  # shapewise: ignore[SWP001, SWP002] later\n"
        "c = d  # shapewise: ignore[SWP001, SWP010] known; later\nif x: print(x)\\\n\n");
  CHECK(Left(added, {At(1, "SWP002"), At(2, "SWP001"), At(4, "SWP001"), At(4, "SWP010")}).empty());
  CHECK(AddIgnores("a  # shapewise: ignore[SWP999] why\n", {At(1, "SWP001")}, "").text ==
        "a  # shapewise: ignore[SWP001] why\n");
  CHECK(AddIgnores("a = 1\r\n", {At(1, "SWP001")}, "").text ==
        "a = 1  # shapewise: ignore[SWP001]\r\n");
  CHECK(AddIgnores("a", {At(1, "SWP001")}, "").text == "a  # shapewise: ignore[SWP001]");
}

TEST_CASE("A suppression that is extended loses the words that suppress nothing") {
  const std::string_view text =
      "a = 1  # shapewise: ignore[SWP010, SWP002] why  # noqa\n"
      "b = 2  # shapewise: ignore[SWP010]\n";
  std::vector<CodeFinding> findings = {At(1, "SWP001"), At(1, "SWP002"), At(2, "SWP001")};
  CHECK(Suppress(text, "m.py", {}, findings) == 1);
  REQUIRE(findings.size() == 4);
  const AddedIgnores added = AddIgnores(text, findings, "known");
  CHECK(added.text ==
        "a = 1  # shapewise: ignore[SWP001, SWP002] why; known  # noqa\n"
        "b = 2  # shapewise: ignore[SWP001] known\n");
  CHECK(added.settled.size() == 4);
}

TEST_CASE("A suppression names rules by the beginning of their codes") {
  const std::string_view text = "a = 1  # shapewise: ignore[SWP00]\n";
  CHECK(Left(text, {At(1, "SWP001"), At(1, "SWP002")}).empty());
  // Rules that were not selected may have findings here.
  CHECK(Left(text, {}, {"SWP001"}).empty());
  CHECK(Left(text, {}).size() == 1);
}

TEST_CASE("A comment that is nearly a suppression is reported with a fix") {
  for (const char* mark : {"Shapewise: Ignore [SWP001]", "shapewise ignore[SWP001]",
                           "shapewise: disable[SWP001]", "shapewise: noqa"}) {
    CAPTURE(mark);
    const std::string text = std::string("a = 1  # ") + mark + " known\n";
    std::vector<CodeFinding> findings = {At(1, "SWP001")};
    CHECK(Suppress(text, "m.py", {}, findings) == 0);
    REQUIRE(findings.size() == 2);
    const std::string fixed = ApplyFixes(text, findings, false).text;
    CAPTURE(fixed);
    findings = {At(1, "SWP001")};
    CHECK(Suppress(fixed, "m.py", {}, findings) == 1);
    CHECK(findings.empty());
  }
  for (const char* prose : {"shapewise ignores this", "shapewise: ignored since March",
                            "shapewise skip this", "see shapewise"}) {
    CAPTURE(prose);
    CHECK(Left(std::string("a = 1  # ") + prose + "\n", {}).empty());
  }
  CHECK(Left("import os\n# shapewise: ignore-file[SWP001]\n", {}).size() == 1);
}

}  // namespace
}  // namespace shapewise
