#include "report/html_out.h"

#include <algorithm>
#include <array>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/SHA256.h"
#include "report/svg_text.h"
#include "support/embedded_file.h"

namespace shapewise {

std::span<const EmbeddedFile> EmbeddedHtml();

namespace {

// Each may use declarations of earlier ones.
constexpr std::string_view kScripts[] = {"/elements.js", "/tables.js",       "/causes.js",
                                         "/timeline.js", "/compilations.js", "/page.js"};

std::string_view TextOf(std::string_view ending) {
  for (const EmbeddedFile& asset : EmbeddedHtml()) {
    if (asset.path.ends_with(ending)) return asset.text;
  }
  return {};
}

}  // namespace

HtmlOut& HtmlOut::Text(std::string_view text) {
  out_ << XmlText(text);
  return *this;
}

HtmlOut& HtmlOut::Code(std::string_view code, bool is_drawing) {
  if (code.empty()) return *this;
  is_drawing ? Raw("<pre class=\"drawing\"><code>") : Raw("<pre><code>");
  // Line by line, because Text removes control characters such as newlines.
  while (!code.empty()) {
    const std::string_view line = code.substr(0, code.find('\n'));
    Text(line);
    code.remove_prefix(std::min(line.size() + 1, code.size()));
    if (!code.empty()) Raw("\n");
  }
  return Raw("</code></pre>\n");
}

HtmlOut& HtmlOut::Made(std::string_view markup) {
  out_ << llvm::StringRef(markup.data(), markup.size());
  return *this;
}

HtmlOut& HtmlOut::Json(std::string_view data) {
  // Outside of strings, JSON contains none of these.
  for (const char c : data) {
    if (c == '<' || c == '>' || c == '&') {
      out_ << "\\u00" << llvm::utohexstr(static_cast<unsigned char>(c), /*LowerCase=*/true);
    } else {
      out_ << c;
    }
  }
  return *this;
}

std::string HtmlScript() {
  std::string script;
  for (const std::string_view name : kScripts) script += TextOf(name);
  return script;
}

std::string_view HtmlStyle() { return TextOf("/report.css"); }

std::string PolicyHash(std::string_view text) {
  const std::array<uint8_t, 32> digest = llvm::SHA256::hash(
      llvm::ArrayRef<uint8_t>(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
  return "sha256-" + llvm::encodeBase64(digest);
}

void WriteHtmlHead(std::string_view title, std::string_view script, HtmlOut& html) {
  html.Raw(
          "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "script-src '")
      .Text(PolicyHash(script))
      .Raw("'; style-src '")
      .Text(PolicyHash(HtmlStyle()))
      .Raw(
          "'; base-uri 'none'; form-action 'none'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"referrer\" content=\"no-referrer\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>")
      .Text(title)
      .Raw("</title>\n<style>")
      .Made(HtmlStyle())
      .Raw("</style>\n</head>\n<body>\n");
}

}  // namespace shapewise
