#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "report/formats.h"
#include "support/catch.h"
#include "unit/report/sample_check.h"
#include "unit/report/sample_run.h"

namespace shapewise {
namespace {

using OrderedJson = nlohmann::ordered_json;

size_t CountOf(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST_CASE("carets are aligned after tabs and wide characters") {
  CheckResult result = SampleCheck();
  result.findings.erase(result.findings.begin());
  const std::string text = CheckText("text", result);
  CAPTURE(text);
  CHECK(text.find("warning[SWP001]: x.sum() is read as a Python number") == 0);
  CHECK(text.find("--> src/my model.py:4:19 in Encoder.forward") != std::string::npos);
  // A tab is four columns wide, the character of three bytes two.
  CHECK(text.find("  4 |     name = '\u00fc\u6f22'; n = x.sum().item()\n"
                  "    |                       ^^^^^^^^^^^^^^\n") != std::string::npos);
  CHECK(text.find("breaks the graph (GB0124); only in training") != std::string::npos);
  CHECK(text.find("leave out .item()  (--fix)") != std::string::npos);
  CHECK(text.find("1 warning in 2 files") != std::string::npos);
  CHECK(text.find("\r") == std::string::npos);
}

TEST_CASE("a range over several lines is marked on each, and a long one is cut") {
  CodeTexts texts;
  texts.AddFile("a.py", "f(\n    1,\n    2,\n    3,\n    4,\n)\n");
  CheckResult result;
  CodeFinding finding;
  finding.rule = "SWP001";
  finding.file = "a.py";
  finding.range = {.line = 1, .column = 1, .end_line = 6, .end_column = 2};
  result.findings = {finding};
  std::string text;
  llvm::raw_string_ostream out(text);
  FindFormat(CheckFormats(), "text")->write(result, texts, {}, out);
  CHECK(out.str().find("  1 | f(\n    | ^^\n  2 |     1,\n    |     ^^\n") != std::string::npos);
  CHECK(text.find("  4 |     3,\n    |     ^^\n... |\n") != std::string::npos);
  CHECK(text.find("  5 |") == std::string::npos);
}

TEST_CASE("a long line is cut around the marked part") {
  CodeTexts texts;
  const std::string before(300, 'a');
  texts.AddFile("a.py", before + " + x.item() + " + std::string(300, 'b'));
  CheckResult result;
  CodeFinding finding;
  finding.rule = "SWP001";
  finding.file = "a.py";
  finding.range = {.line = 1, .column = 304, .end_line = 1, .end_column = 312};
  result.findings = {finding};
  std::string text;
  llvm::raw_string_ostream out(text);
  FindFormat(CheckFormats(), "text")->write(result, texts, {}, out);
  CAPTURE(out.str());
  const size_t code = text.find("x.item()");
  const size_t marks = text.find("^^^^^^^^");
  REQUIRE(code != std::string::npos);
  REQUIRE(marks != std::string::npos);
  const auto column = [&](size_t at) { return at - text.rfind('\n', at); };
  CHECK(column(code) == column(marks));
  CHECK(CountOf(text, "...") == 2);
}

TEST_CASE("the JSON of check has the fields of the contract") {
  const OrderedJson json = OrderedJson::parse(CheckText("json", SampleCheck()));
  CHECK(json["schema"] == "shapewise.check/1");
  CHECK(json["summary"]["warnings"] == 1);
  CHECK(json["summary"]["notes"] == 1);
  CHECK(json["summary"]["known"] == 1);
  const OrderedJson& finding = json["findings"][1];
  for (const char* key : {"rule", "name", "severity", "confidence", "file", "line", "end_line",
                          "column", "function", "message", "breaks", "fix"}) {
    CAPTURE(key);
    CHECK(finding.contains(key));
  }
  CHECK(finding["confidence"] == 0.95);
  CHECK(finding["line"] == 4);
  CHECK(finding["column"] == 19);
  CHECK(finding["breaks"] == OrderedJson({"GB0124"}));
  CHECK(finding["fix"]["safe"] == true);
  CHECK(finding["fix"]["edits"][0] ==
        OrderedJson(
            {{"line", 4}, {"column", 26}, {"end_line", 4}, {"end_column", 33}, {"text", ""}}));
  CHECK_FALSE(finding.contains("cell"));
}

TEST_CASE("in a notebook, lines of the cell and of the file are reported") {
  const OrderedJson json = OrderedJson::parse(CheckText("json", SampleCheck()));
  const OrderedJson& note = json["findings"][0];
  CHECK(note["cell"] == 3);
  CHECK(note["line"] == 2);
  CHECK(note["file_line"] == 42);
  const std::string text = CheckText("text", SampleCheck());
  CHECK(text.find("nb.ipynb:cell 3:2:1") != std::string::npos);
  // Services show lines of the file, where columns of the cell mean nothing.
  const std::string github = CheckText("github", SampleCheck());
  CHECK(github.find("file=nb.ipynb,line=42::") != std::string::npos);
}

TEST_CASE("JSON lines end with a summary") {
  const std::string text = CheckText("jsonl", SampleCheck());
  const size_t last = text.rfind('\n', text.size() - 2);
  CHECK(OrderedJson::parse(text.substr(last + 1))["type"] == "summary");
  CHECK(OrderedJson::parse(text.substr(0, text.find('\n')))["type"] == "finding");
}

TEST_CASE("workflow commands are escaped, worst first") {
  CheckResult result = SampleCheck();
  result.findings[1].message = "a%b\r\nc::d, e";
  const std::string text = CheckText("github", result);
  CAPTURE(text);
  CHECK(text.find("::warning title=shapewise SWP001,file=src/my model.py,line=4,col=19,"
                  "endColumn=33::a%25b") == 0);
  CHECK(text.find("%0Ac::d, e (in Encoder.forward; only in training; breaks the graph: GB0124)%0A"
                  "Keep it a tensor.\n") != std::string::npos);
  CHECK(text.find("::notice title=shapewise SWP002") != std::string::npos);
  CHECK(text.find("SWP001") < text.find("SWP002"));
}

TEST_CASE("separators are escaped in file names") {
  CheckResult result = SampleCheck();
  result.findings[1].file = "a,b:c.py";
  CHECK(CheckText("github", result).find("file=a%2Cb%3Ac.py,line=4") != std::string::npos);
}

TEST_CASE("annotations beyond GitHub's limit are counted") {
  CheckResult result = SampleCheck();
  const CodeFinding warning = result.findings[1];
  result.findings.assign(11, warning);
  CHECK(CheckText("github", result).find("11 warnings; GitHub shows the first 10") !=
        std::string::npos);
  result.findings.assign(10, warning);
  CHECK(CheckText("github", result).find("GitHub shows") == std::string::npos);
}

TEST_CASE("columns are left out of annotations over several lines") {
  CheckResult result = SampleCheck();
  result.findings[1].range.end_line = 5;
  CHECK(CheckText("github", result).find("line=4,endLine=5::") != std::string::npos);
}

TEST_CASE("each GitLab issue has a unique fingerprint") {
  CheckResult result = SampleCheck();
  CodeFinding elsewhere = result.findings[1];
  elsewhere.file = "other/my model.py";
  result.findings.push_back(elsewhere);
  result.findings.push_back(elsewhere);
  const OrderedJson json = OrderedJson::parse(CheckText("gitlab", result));
  REQUIRE(json.size() == 4);
  std::set<std::string> fingerprints;
  for (const OrderedJson& issue : json) fingerprints.insert(issue["fingerprint"]);
  CHECK(fingerprints.size() == 4);
  CHECK(json[3]["severity"] == "major");
  CHECK(json[3]["location"]["path"] == "src/my model.py");
  CHECK(json[3]["location"]["positions"]["begin"] == OrderedJson({{"line", 4}, {"column", 19}}));
  CHECK(json[0]["location"]["lines"]["begin"] == 42);
  CHECK(OrderedJson::parse(CheckText("gitlab", {})) == OrderedJson::array());
}

TEST_CASE("JUnit has one suite per file, and passes without findings") {
  CheckResult result = SampleCheck();
  result.findings[1].message = "<a> & \"b\" \x01";
  const std::string text = CheckText("junit", result);
  CAPTURE(text);
  CHECK(text.find("<testsuites name=\"shapewise check\" tests=\"2\" failures=\"1\"") !=
        std::string::npos);
  CHECK(text.find("message=\"&lt;a&gt; &amp; &quot;b&quot; ? (in Encoder.forward") !=
        std::string::npos);
  CHECK(text.find("file=\"src/my model.py\" line=\"4\"") != std::string::npos);
  CHECK(CountOf(text, "<testsuite ") == 2);
  CHECK(CountOf(text, "<failure") == 1);
  const std::string empty = CheckText("junit", {});
  CHECK(empty.find("<testcase name=\"no findings\"") != std::string::npos);
}

TEST_CASE("a Markdown comment lists the worst first, and is valid for any code") {
  const std::string text = CheckText("markdown", SampleCheck());
  CAPTURE(text);
  CHECK(text.find("### shapewise check: 1 warning and 1 note in 2 files; 1 function in compiled "
                  "regions\n") == 0);
  const size_t warning = text.find(
      "**warning\\[SWP001\\]: x.sum\\(\\) is read as a Python number: 50%, a\\|b**\n\n"
      "- `src/my model.py:4:19` in Encoder.forward\n");
  CHECK(warning < text.find("**note\\[SWP002\\]: y is printed**"));
  CHECK(text.find("- fix: leave out .item\\(\\)  \\(--fix\\)") != std::string::npos);
}

TEST_CASE("a very long name does not push findings out of a Markdown comment") {
  CheckResult result = SampleCheck();
  result.findings[0].message = std::string(100'000, 'x');
  result.findings[0].file = std::string(100'000, 'y') + ".py";
  const std::string text = CheckText("markdown", result);
  CHECK(text.size() < 65'536);
  for (const CodeFinding& finding : result.findings) {
    CHECK(text.find(finding.rule) != std::string::npos);
  }
}

TEST_CASE("code in Markdown gets a fence longer than any in the code") {
  CHECK(MarkdownCode("a.py") == "`a.py`");
  CHECK(MarkdownCode("a`b``c") == "```a`b``c```");
  CHECK(MarkdownCode("`a`") == "`` `a` ``");
  CHECK(MarkdownCode("a|b") == "`a|b`");
}

TEST_CASE("a Markdown comment stays within GitHub's limit") {
  CheckResult result = SampleCheck();
  const CodeFinding warning = result.findings[1];
  result.findings.assign(3000, warning);
  const std::string text = CheckText("markdown", result);
  CHECK(text.size() < 65'536);
  CHECK(text.find("**The rest is cut**") != std::string::npos);
}

TEST_CASE("sarif names rules, regions, fixes, fingerprints and suppressions") {
  const OrderedJson json = OrderedJson::parse(CheckText("sarif", SampleCheck()));
  CHECK(json["version"] == "2.1.0");
  const OrderedJson& run = json["runs"][0];
  CHECK(run["columnKind"] == "unicodeCodePoints");
  const OrderedJson& rules = run["tool"]["driver"]["rules"];
  REQUIRE(rules.size() == 2);
  CHECK(rules[0]["id"] == "SWP001");
  CHECK(rules[0]["help"]["markdown"] == "# item-call\n\nA number is read.");
  REQUIRE(run["results"].size() == 3);
  const OrderedJson& result = run["results"][1];
  CHECK(result["ruleId"] == "SWP001");
  CHECK(rules[result["ruleIndex"].get<size_t>()]["id"] == "SWP001");
  CHECK(result["partialFingerprints"] == OrderedJson({{"shapewise/v1", "0123456789abcdef"}}));
  const OrderedJson& place = result["locations"][0]["physicalLocation"];
  CHECK(place["artifactLocation"]["uri"] == "src/my%20model.py");
  CHECK(place["region"] ==
        OrderedJson({{"startLine", 4}, {"startColumn", 19}, {"endLine", 4}, {"endColumn", 33}}));
  CHECK(
      result["fixes"][0]["artifactChanges"][0]["replacements"][0]["deletedRegion"]["startColumn"] ==
      26);
  CHECK_FALSE(result.contains("suppressions"));
  CHECK(run["results"][2]["suppressions"][0]["kind"] == "external");
  // Code in a cell cannot be edited as text of the file.
  CHECK_FALSE(run["results"][0].contains("fixes"));
}

TEST_CASE("non-text bytes are escaped in every format") {
  CheckResult result = SampleCheck();
  result.findings[1].message = "\x1b[31mred\xff";
  for (const CheckFormat& format : CheckFormats()) {
    CAPTURE(format.name);
    const std::string text = CheckText(format.name, result);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find('\xff') == std::string::npos);
  }
}

TEST_CASE("unreadable files are reported with the findings") {
  CheckResult result = SampleCheck();
  result.faults = {{"src/my model.py",
                    {.line = 2, .column = 1, .end_line = 2, .end_column = 6},
                    "unexpected 'else'",
                    "SWP000",
                    "syntax-error",
                    Severity::kWarning,
                    "Mend it."}};
  const std::string text = CheckText("text", result);
  CHECK(text.find("warning[SWP000]: unexpected 'else'") < text.find("warning[SWP001]"));
  CHECK(OrderedJson::parse(CheckText("json", result))["faults"][0]["line"] == 2);
  CHECK(CheckText("junit", result).find("SWP000 syntax-error") != std::string::npos);
}

TEST_CASE("statistics count findings by rule, most frequent first") {
  CheckResult result = SampleCheck();
  result.findings.push_back(result.findings[1]);
  std::string text;
  llvm::raw_string_ostream out(text);
  WriteCheckStatistics(result, /*as_json=*/true, {}, out);
  const OrderedJson json = OrderedJson::parse(out.str());
  CHECK(json["rules"][0] ==
        OrderedJson({{"rule", "SWP001"}, {"name", "item-call"}, {"findings", 2}, {"fixable", 2}}));
}

TEST_CASE("lint supports the formats of services") {
  Session session;
  FillSampleSession(session);
  const LintResult result = SampleResult();
  const std::string github = WrittenBy("github", result, session, {});
  CHECK(github.find("::error title=shapewise SWG001,file=pp/train.py,line=9::step takes") == 0);
  const OrderedJson sarif = OrderedJson::parse(WrittenBy("sarif", result, session, {}));
  CHECK(sarif["runs"][0]["results"][0]["level"] == "error");
  CHECK(sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] ==
        9);
  // A note about the log has no place in code: GitLab shows it at its line of the log.
  const OrderedJson gitlab = OrderedJson::parse(WrittenBy("gitlab", result, session, {}));
  REQUIRE(gitlab.size() == 2);
  INFO(gitlab.dump(1));
  CHECK(gitlab[1]["location"]["path"] != "");
  CHECK(WrittenBy("junit", result, session, {}).find("SWG001") != std::string::npos);
  CHECK(WrittenBy("markdown", result, session, {}).find("SWG001") != std::string::npos);
}

/// The frame of line 1 of a file that is `code`, marked from column 5 to column 6.
std::string Frame(const std::string& code) {
  CodeTexts texts;
  texts.AddFile("model.py", code);
  std::string text;
  llvm::raw_string_ostream out(text);
  Document page("check", /*all=*/false);
  CodeRange range;
  range.line = 1;
  range.column = 5;
  range.end_line = 1;
  range.end_column = 6;
  AddCodeFrame(texts, "model.py", range, TextStyle::kError, 40, page);
  RenderText(page, {}, out);
  return out.str();
}

TEST_CASE("a frame shows the line and marks the relevant part") {
  CHECK(Frame("a = b\n") == "    |\n  1 | a = b\n    |     ^\n");
}

TEST_CASE("a very long line is named but not shown") {
  const std::string line = "a = '" + std::string(5000, 'b') + "'";
  CHECK(Frame(line + "\n") == "    |\n  1 | (a line of 5006 bytes is not shown)\n");
}

}  // namespace

}  // namespace shapewise
