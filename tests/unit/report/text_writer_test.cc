#include <string>

#include "report/formats.h"
#include "report/text_finding.h"
#include "support/catch.h"
#include "unit/report/sample_run.h"

namespace shapewise {
namespace {

TEST_CASE("the text report shows what was lost, why, and what to do") {
  Session session;
  FillSampleSession(session);
  CHECK(WrittenBy("text", SampleResult(), session, {}) ==
        R"(1 cause and 1 note: 3 recompiles, 1 recompile limit hit
1 function hit its recompile limit and now runs eagerly: forward (/app/train.py:6), limit 8
120 lines in 1 input; torch 2.5 to 2.6

error[SWG001]: step takes another value in each call, and forward is compiled for each
  --> /app/train.py:9 in forward, which begins at line 6
      changed  value of step: 1, 2, 3, 4 (counts up)
      guard    0/0: L['step'] == 1
      count    3 times on ranks 0-2, 5, lines 10 to 40
      fix      Pass step as a tensor. (torch >=2.1)
                 step = torch.tensor(step)
                 model(x, step)
      caveat   A tensor on another device costs a copy.
      more     1 other fix: --all

note[SWL001]: a record is cut (once)

About a rule: shapewise explain SWG001

Something is not known.
)");
}

TEST_CASE("the text report is short without --all") {
  Session session;
  FillSampleSession(session);
  LintResult result = SampleResult();
  result.findings.insert(result.findings.begin(), 19, result.findings.front());
  ReportOptions options;
  const std::string text = WrittenBy("text", result, session, options);
  CHECK(text.find("\n8 causes more: --all\n") != std::string::npos);
  options.all = true;
  const std::string whole = WrittenBy("text", result, session, options);
  CHECK(whole.find("--all") == std::string::npos);
  CHECK(whole.size() > text.size());
}

TEST_CASE("a run without findings says so") {
  Session session;
  session.AddInput("a.log");
  CHECK(WrittenBy("text", {}, session, {}) == "No findings\n0 lines in 1 input\n");
}

/// The line of the report that says where `finding` is.
std::string PlaceLine(const Finding& finding) {
  std::string text;
  llvm::raw_string_ostream out(text);
  Document page("lint", /*all=*/false);
  AddFinding(finding, Session(), /*all_fixes=*/false, page);
  ReportOptions options;
  options.width = 200;
  RenderText(page, options, out);
  const size_t begin = out.str().find("  --> ");
  return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

TEST_CASE("the user's line comes before the compiled function") {
  Finding finding;
  CHECK(PlaceLine(finding).empty());
  finding.where = {"forward", "/app/m.py", 6};
  CHECK(PlaceLine(finding) == "  --> forward (/app/m.py:6)");
  finding.user = {"", "/app/m.py", 9};
  CHECK(PlaceLine(finding) == "  --> /app/m.py:9 in forward, which begins at line 6");
  finding.user = {"", "pp/m.py", 9};
  CHECK(PlaceLine(finding) == "  --> /app/m.py:9 in forward, which begins at line 6");
  finding.user = {"loss", "/app/l.py", 3};
  CHECK(PlaceLine(finding) == "  --> /app/l.py:3 in loss, compiled for forward (/app/m.py:6)");
  finding.user = {"forward", "/app/m.py", 6};
  CHECK(PlaceLine(finding) == "  --> /app/m.py:6 in forward");
  finding.where = {"", "/app/m.py", 6};
  finding.user = {"", "/app/m.py", 6};
  CHECK(PlaceLine(finding) == "  --> /app/m.py:6");
}

TEST_CASE("many values are cut, and long ones are cut in the middle") {
  Session session;
  FillSampleSession(session);
  LintResult result = SampleResult();
  result.findings.resize(1);
  result.findings[0].values.assign(32, std::string(60, 'v'));
  ReportOptions options;
  options.width = 200;
  const std::string text = WrittenBy("text", result, session, options);
  const std::string value = std::string(18, 'v') + "..." + std::string(18, 'v');
  CHECK(text.find("step: " + value + ", " + value + ", " + value + " and 29 more (counts up)") !=
        std::string::npos);
}

TEST_CASE("consecutive ranks are printed as a range") {
  CHECK(RanksText({3}) == "rank 3");
  CHECK(RanksText({0, 1}) == "ranks 0-1");
  CHECK(RanksText({0, 2, 3, 4, 7}) == "ranks 0, 2-4, 7");
}

TEST_CASE("seconds are printed with the precision that matters") {
  CHECK(SecondsText(0.416) == "0.42 s");
  CHECK(SecondsText(12.44) == "12.4 s");
  CHECK(SecondsText(200.4) == "3 min 20 s");
}

}  // namespace
}  // namespace shapewise
