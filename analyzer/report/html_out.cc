#include "report/html_out.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"
#include "support/embedded_file.h"
#include "support/terminal_text.h"

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

std::string_view EntityOf(char c) {
  constexpr std::pair<char, std::string_view> kEntities[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  for (const auto& [character, entity] : kEntities) {
    if (character == c) return entity;
  }
  return {};
}

std::string XmlText(std::string_view text) {
  std::string escaped;
  const std::string printable = MakePrintable(text);
  for (size_t i = 0; i < printable.size(); ++i) {
    const char c = printable[i];
    if (const std::string_view entity = EntityOf(c); !entity.empty()) {
      escaped += entity;
      continue;
    }
    // XML does not allow U+FFFE and U+FFFF.
    const std::string_view three = std::string_view(printable).substr(i, 3);
    if (three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF") {
      escaped += "\xEF\xBF\xBD";
      i += 2;
      continue;
    }
    escaped += c;
  }
  return escaped;
}

std::string Coordinate(double value) {
  if (!std::isfinite(value) || std::abs(value) < 0.005) return "0";
  std::string text = llvm::formatv("{0:F2}", value).str();
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string SvgLabel(std::string_view style, double x, double y, std::string_view anchor,
                     std::string_view text) {
  return "<text class=\"" + std::string(style) + "\" x=\"" + Coordinate(x) + "\" y=\"" +
         Coordinate(y) + "\" text-anchor=\"" + std::string(anchor) + "\">" + XmlText(text) +
         "</text>\n";
}

std::string SvgLine(std::string_view style, double x1, double y1, double x2, double y2) {
  return "<line class=\"" + std::string(style) + "\" x1=\"" + Coordinate(x1) + "\" y1=\"" +
         Coordinate(y1) + "\" x2=\"" + Coordinate(x2) + "\" y2=\"" + Coordinate(y2) + "\"/>\n";
}

}  // namespace shapewise
