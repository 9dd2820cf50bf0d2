#include "report/render.h"

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

/// The body of the page of `document`.
std::string Body(const Document& document) {
  const std::string page = Rendered(RenderHtml, document);
  const size_t begin = page.find("</h1>\n") + 6;
  return page.substr(begin, page.find("</main>") - begin);
}

/// A document with a block of each kind.
Document Sample() {
  Document page("guards", /*all=*/false);
  page.Begin(0, 2).Add(TextStyle::kWarning, "1 size").Add(" is pinned");
  page.AddTitle("New", /*is_folded=*/true);
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
        "<p><span class=\"severity warning\">1 size</span> is pinned</p>\n"
        "<details><summary>New</summary>\n"
        "<ul><li><span class=\"faint\">size</span> <strong>x &lt;s0&gt;</strong>"
        "<ul><li><span class=\"faint\">values</span> 4, 5"
        "<pre><code>mark(x)</code></pre>\n"
        "</li></ul>\n</li></ul>\n"
        "<pre><code>  1 | y = x  </code></pre>\n"
        "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">name</th>"
        "<th scope=\"col\" class=\"number\">calls</th></tr></thead>\n<tbody>\n"
        "<tr><td>a|b</td><td class=\"number\">7</td></tr>\n</tbody></table></div>\n"
        "</details>\n"
        "<h2>What to keep in mind</h2>\n"
        "<ul><li>- one</li>\n<li>two</li></ul>\n");
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
