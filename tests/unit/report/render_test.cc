#include "report/formats.h"

#include <string>

#include "support/catch.h"

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

}  // namespace
}  // namespace shapewise
