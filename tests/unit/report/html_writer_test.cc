// A page holds what an input says as text, whatever that is, and can load nothing.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "report/html_out.h"
#include "report/report.h"
#include "support/catch.h"
#include "support/random.h"
#include "unit/report/sample_page.h"
#include "unit/report/sample_run.h"

namespace shapewise {
namespace {

std::string PageOf(const std::string& text) {
  SamplePage sample;
  FillSamplePage(text, sample);
  std::string page;
  llvm::raw_string_ostream out(page);
  WritePage(sample.result, sample.session, sample.page, {}, out);
  return out.str();
}

/// `page` without what is ours and no markup: the script and the style.
std::string WithoutAssets(std::string page) {
  for (const std::string& asset : {HtmlScript(), std::string(HtmlStyle())}) {
    const size_t at = page.find(asset);
    REQUIRE(at != std::string::npos);
    page.erase(at, asset.size());
  }
  return page;
}

/// The tags of `page` with the names of their attributes: everything that is markup.
std::vector<std::string> TagsOf(std::string_view page) {
  std::vector<std::string> tags;
  for (size_t at = page.find('<'); at < page.size(); at = page.find('<', at)) {
    std::string tag;
    bool is_quoted = false;
    for (; at < page.size() && (is_quoted || page[at] != '>'); ++at) {
      if (page[at] == '"') is_quoted = !is_quoted;
      if (!is_quoted) tag += page[at];
    }
    tags.push_back(tag);
  }
  return tags;
}

size_t Count(std::string_view text, std::string_view wanted) {
  size_t count = 0;
  for (size_t at = text.find(wanted); at != std::string_view::npos;
       at = text.find(wanted, at + wanted.size())) {
    ++count;
  }
  return count;
}

/// What lies between the tags of the data.
std::string_view DataOf(std::string_view page) {
  const std::string_view begin = "id=\"data\">";
  const size_t at = page.find(begin) + begin.size();
  return page.substr(at, page.find('<', at) - at);
}

TEST_CASE("texts of an input do not change the structure of a page") {
  constexpr std::string_view kBytes = "<>&\"'/!-=;x scriptSCRIPT\\`${}[]()#";
  Random random(20);
  for (int round = 0; round < 200; ++round) {
    std::string hostile(1 + random.Below(60), 'x');
    for (char& byte : hostile) byte = kBytes[random.Below(kBytes.size())];
    const std::string harmless(hostile.size(), 'x');
    INFO(hostile);
    CHECK(TagsOf(WithoutAssets(PageOf(hostile))) == TagsOf(WithoutAssets(PageOf(harmless))));
  }
}

TEST_CASE("no text of an input opens or closes an element") {
  for (const std::string& text :
       {std::string("</script><script>alert(1)</script>"), std::string("<!--<script>"),
        std::string("\" onload=\"alert(1)"), std::string("'><img src=x onerror=alert(1)>"),
        std::string("</style></svg></title>"), std::string("]]>-->"),
        std::string("a\nb\r\0c\x1b[31m\xff\xe2\x80\xa8", 16)}) {
    const std::string page = WithoutAssets(PageOf(text));
    INFO(text);
    CHECK(Count(page, "<script") == 2);
    CHECK(Count(page, "</script") == 2);
    CHECK(Count(page, "<!--") == 0);
    CHECK(Count(page, "<img") == 0);
    CHECK(Count(page, "onload=\"") == 0);
    CHECK(Count(page, "</style") == 1);
    CHECK(page.find('\x1b') == std::string::npos);
    CHECK(page.find('\0') == std::string::npos);
  }
}

TEST_CASE("the data of a page is JSON with the original texts") {
  const std::string text = "</script> <!-- & \xe2\x80\xa8 \xc3\xa9";
  const std::string page = PageOf(text);
  const std::string_view data = DataOf(page);
  CHECK(std::ranges::all_of(data, [](char byte) { return byte >= ' ' && byte < 0x7f; }));
  CHECK(data.find_first_of("<>&") == std::string_view::npos);
  const auto json = nlohmann::json::parse(data);
  CHECK(json["causes"][0]["message"] == text);
  CHECK(json["timeline"]["lanes"].size() >= 2);
}

TEST_CASE("a page loads nothing and runs its own script only") {
  const std::string page = PageOf("x");
  CHECK(page.find("default-src 'none'; script-src '" + PolicyHash(HtmlScript()) + "'; style-src '" +
                  PolicyHash(HtmlStyle()) + "'") != std::string::npos);
  const std::string body = WithoutAssets(page);
  for (const std::string_view loader : {" src=", "<link", "<img", "<iframe", "@import", "url("}) {
    INFO(loader);
    CHECK(body.find(loader) == std::string::npos);
    CHECK(HtmlStyle().find(loader) == std::string_view::npos);
  }
  // A style attribute would be refused by the policy.
  CHECK(body.find(" style=") == std::string::npos);
}

TEST_CASE("the script inserts texts as text nodes") {
  const std::string script = HtmlScript();
  CHECK(script.find("createElementNS") != std::string::npos);
  for (const std::string_view maker :
       {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(",
        "DOMParser", "createContextualFragment", "fetch(", "XMLHttpRequest", "import(",
        "localStorage", "</script", "<!--"}) {
    INFO(maker);
    CHECK(script.find(maker) == std::string::npos);
  }
  CHECK(HtmlStyle().find("</style") == std::string_view::npos);
}

TEST_CASE("the hash of the content policy follows the standard") {
  // echo -n abc | openssl dgst -sha256 -binary | base64
  CHECK(PolicyHash("abc") == "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

TEST_CASE("an empty page says in each section what to record") {
  Session session;
  session.AddInput("a.log");
  const std::string page = WithoutAssets(WrittenBy("html", {}, session, {}));
  for (const std::string_view section :
       {"verdict", "timeline", "causes", "sizes", "what-if", "guards", "eager", "gaps"}) {
    INFO(section);
    CHECK(Count(page, "<section id=\"" + std::string(section) + "\"") == 1);
  }
  CHECK(Count(page, "<p><span class=\"faint\">") >= 8);
  CHECK(Count(page, "TORCH_TRACE=DIR") >= 4);
}

TEST_CASE("without its script, a page shows the verdict and the causes") {
  Session session;
  FillSampleSession(session);
  const std::string page = WithoutAssets(WrittenBy("html", SampleResult(), session, {}));
  const std::string text = page.substr(0, page.find("id=\"data\""));
  CHECK(text.find("1 cause and 1 note: 3 recompiles, 1 recompile limit hit</strong></h1>") !=
        std::string::npos);
  CHECK(text.find("<code>/app/train.py:9 in forward, which begins at line 6</code>") !=
        std::string::npos);
  CHECK(text.find("<pre><code>step = torch.tensor(step)\nmodel(x, step)</code></pre>") !=
        std::string::npos);
  CHECK(text.find("fingerprint <code>0123456789abcdef</code>") != std::string::npos);
  // The row in the table of causes, and the bar of functions that run eagerly.
  CHECK(Count(text, "<td class=\"text\"><code>SWG001</code></td>") == 1);
  CHECK(Count(text, "<rect class=\"eager\"") == 2);  // with the one of the legend
}

TEST_CASE("the same run gives the same page") { CHECK(PageOf("x y") == PageOf("x y")); }

}  // namespace
}  // namespace shapewise
