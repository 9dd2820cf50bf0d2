#include <string>

#include "report/formats.h"
#include "report/printed_text.h"
#include "report/text_finding.h"
#include "support/catch.h"
#include "unit/report/sample_run.h"

namespace shapewise {
namespace {

/// `document` in one format.
std::string Rendered(RenderFunction* render, const Document& document) {
  std::string text;
  llvm::raw_string_ostream out(text);
  render(document, {}, out);
  return out.str();
}

/// The page of `document` between its headline and its footer.
std::string Body(const Document& document) {
  const std::string page = Rendered(RenderHtml, document);
  const size_t begin = page.find("<h1>");
  return page.substr(begin, page.find("</main>") - begin);
}

/// A document with a block of each kind.
Document Sample() {
  Document page("guards", /*all=*/false);
  page.Begin(0, 2).Add(TextStyle::kWarning, "1 size").Add(" is pinned");
  page.AddTitle("New", Document::TitleKind::kFolded);
  page.Row(2, 10, "size").Add(TextStyle::kStrong, "x <s0>");
  page.Row(14, 20, "values").Add("4, 5");
  page.AddCode(14, "mark(x)\n");
  page.AddLine({{TextStyle::kFaint, "  1 | "}, {TextStyle::kPlain, "y = x  "}});
  Document::Table table({{"name", Document::Table::Align::kLeft}, {"calls"}, {"empty"}});
  table.Row({"a|b", "7", ""});
  page.AddTable(std::move(table));
  page.AddList("What to keep in mind", {"- one", "two"});
  return page;
}

TEST_CASE("text: columns and indentation") {
  CHECK(Rendered(RenderText, Sample()) ==
        "1 size is pinned\n"
        "\nNew\n"
        "  size    x <s0>\n"
        "              values 4, 5\n"
        "              mark(x)\n"
        "  1 | y = x\n"
        "  name  calls\n"
        "  a|b       7\n"
        "\nWhat to keep in mind\n"
        "  - - one\n"
        "  - two\n");
}

TEST_CASE("markdown: lists instead of columns, and no markup from the input") {
  CHECK(Rendered(RenderMarkdown, Sample()) ==
        "### shapewise guards: 1 size is pinned\n"
        "\n<details><summary>New</summary>\n\n"
        "- size: **x &lt;s0&gt;**\n"
        "  - values: 4, 5\n"
        "    ```\n"
        "    mark(x)\n"
        "    ```\n"
        "\n```text\n"
        "  1 | y = x  \n"
        "```\n"
        "\n| name | calls |\n| --- | ---: |\n| a\\|b | 7 |\n"
        "\n</details>\n"
        "\n#### What to keep in mind\n\n"
        "- \\- one\n"
        "- two\n");
}

TEST_CASE("html: lists are nested and closed, and no markup comes from the input") {
  CHECK(Body(Sample()) ==
        "<h1><span class=\"severity warning\">1 size</span> is pinned</h1>\n"
        "<details><summary>New</summary>\n"
        "<ul><li class=\"row\"><span class=\"label\">size</span><div><strong>x &lt;s0&gt;</strong>"
        "<ul><li class=\"row\"><span class=\"label\">values</span><div>4, 5"
        "<pre><code>mark(x)</code></pre>\n"
        "</div></li>\n</ul>\n</div></li>\n</ul>\n"
        "<pre class=\"drawing\"><code>  1 | y = x  </code></pre>\n"
        "<div class=\"scroll\"><table class=\"sortable\"><thead><tr>"
        "<th scope=\"col\" class=\"text\">name</th>"
        "<th scope=\"col\" class=\"number\">calls</th></tr></thead>\n<tbody>\n"
        "<tr><td class=\"text\">a|b</td><td class=\"number\">7</td></tr>\n"
        "</tbody></table></div>\n"
        "</details>\n</section>\n"
        "<section>\n<h2>What to keep in mind</h2>\n"
        "<ul><li>- one</li>\n<li>two</li>\n</ul>\n</section>\n");
}

TEST_CASE("html: a severity begins a card, which ends before the next block") {
  Document page("check", /*all=*/false);
  page.Anchor("cause-0").Begin(0, 4).Add(TextStyle::kError, "error").Add(TextStyle::kStrong, ": x");
  page.Begin(2, 6).Add(TextStyle::kArrow, "--> ").Add("a.py:1").Add(TextStyle::kFaint, " in f");
  page.AddLine({{TextStyle::kPlain, "1 | y"}});
  page.Begin(0).Add("1 error");
  page.MakeHeadline();
  page.AddTitle("Sizes", Document::TitleKind::kSection, "sizes");
  page.AddTitle("x:1", Document::TitleKind::kPart);
  page.AddPicture("<svg></svg>");
  CHECK(Body(page) ==
        "<h1>1 error</h1>\n"
        "<article class=\"card error\" id=\"cause-0\">\n"
        "<h3><span class=\"severity error\">error</span><strong>: x</strong></h3>\n"
        "<ul><li><code>a.py:1</code><span class=\"faint\"> in f</span></li>\n</ul>\n"
        "<pre class=\"drawing\"><code>1 | y</code></pre>\n"
        "</article>\n</section>\n"
        "<section id=\"sizes\">\n<h2>Sizes</h2>\n"
        "<article class=\"block\">\n<h3>x:1</h3>\n<svg></svg></article>\n</section>\n");
}

TEST_CASE("markdown: a long document is cut to fit into a comment, and says so") {
  const auto text = [](bool all) {
    Document page("check", all);
    page.Begin(0).Add("headline");
    for (int i = 0; i < 1000; ++i) page.Begin(0).Add(std::string(99, 'a'));
    return Rendered(RenderMarkdown, page);
  };
  CHECK(text(false).size() < 65'536);
  CHECK(text(false).size() > 59'000);
  CHECK(text(false).ends_with("a\n\n**The rest is cut**, to fit into a comment on GitHub.\n"));
  CHECK(text(true).ends_with("a\n"));
  CHECK(text(true).size() > 100'000);
}

TEST_CASE("a long list is cut, and says so") {
  const auto text = [](bool all) {
    Document page("graph", all);
    page.AddSome(std::vector<std::string>{"a", "b", "c"}, 1, "input", 2,
                 [&](const std::string& name) { page.Begin(2).Add(name); });
    return Rendered(RenderText, page);
  };
  CHECK(text(false) == "  a\n  and 2 more inputs: --all\n");
  CHECK(text(true) == "  a\n  b\n  c\n");
}

TEST_CASE("a fence in code does not end its block") {
  Document page("graph", false);
  page.Begin(0).Add("headline");
  page.AddCode(0, "```\n<b>");
  CHECK(Rendered(RenderMarkdown, page) ==
        "### shapewise graph: headline\n\n````\n```\n<b>\n````\n");
}

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

/// What `print` prints on a page of `width` columns.
template <typename Print>
std::string Page(size_t width, bool color, const Print& print) {
  std::string text;
  llvm::raw_string_ostream out(text);
  PrintedText page(out, width, color);
  print(page);
  return out.str();
}

TEST_CASE("a paragraph wraps at blanks with a hanging indent") {
  const std::string text = Page(20, false, [](PrintedText& page) {
    page.Begin(2, 4).Add("one two three four five six").End();
  });
  CHECK(text == "  one two three four\n    five six\n");
}

TEST_CASE("a word longer than the page is not split") {
  const std::string text = Page(10, false, [](PrintedText& page) {
    page.Begin(0, 2).Add("at /a/very/long/path.py:12 in f").End();
  });
  CHECK(text == "at\n  /a/very/long/path.py:12\n  in f\n");
}

TEST_CASE("pieces without a blank between them are one word") {
  const std::string text = Page(12, false, [](PrintedText& page) {
    page.Begin(0).Add("see error").Add(TextStyle::kError, "[SWG001]").Add(": x").End();
  });
  CHECK(text == "see\nerror[SWG001]:\nx\n");
}

TEST_CASE("a tab moves to its column, or adds one blank if already past it") {
  const std::string text = Page(40, false, [](PrintedText& page) {
    page.Begin(2, 8).Add("ab").Tab(8).Add("x").End();
    page.Begin(2, 8).Add("abcdefgh").Tab(8).Add("x").End();
  });
  CHECK(text == "  ab    x\n  abcdefgh x\n");
}

TEST_CASE("colors change only with the style and end with the line") {
  const std::string text = Page(9, true, [](PrintedText& page) {
    page.Begin(0).Add(TextStyle::kStrong, "one two three").Add(" four").End();
  });
  CHECK(text == "\x1b[1mone two\x1b[0m\n\x1b[1mthree\x1b[0m\nfour\n");
}

TEST_CASE("control characters in a log do not reach the terminal") {
  const std::string text = Page(80, false, [](PrintedText& page) {
    page.Begin(0).Add("red \x1b[31mtext\r").End();
    page.Lines(2, TextStyle::kCode, "a\x1b[2J\n\n\xff");
  });
  CHECK(text == "red ?[31mtext?\n  a?[2J\n\n  \xef\xbf\xbd\n");
}

TEST_CASE("columns are those of the terminal, not bytes") {
  CHECK(TextColumns("abc") == 3);
  CHECK(TextColumns("\xc3\xa9t\xc3\xa9") == 3);
  CHECK(TextColumns("\xe6\x97\xa5\xe6\x9c\xac") == 4);
}

}  // namespace

}  // namespace shapewise
