#include "report/html_out.h"

#include <algorithm>

#include "report/svg_text.h"

namespace shapewise {

HtmlOut& HtmlOut::Text(std::string_view text) {
  out_ << XmlText(text);
  return *this;
}

HtmlOut& HtmlOut::Code(std::string_view code) {
  if (code.empty()) return *this;
  Raw("<pre><code>");
  // Line by line, because Text removes control characters such as newlines.
  while (!code.empty()) {
    const std::string_view line = code.substr(0, code.find('\n'));
    Text(line);
    code.remove_prefix(std::min(line.size() + 1, code.size()));
    if (!code.empty()) Raw("\n");
  }
  return Raw("</code></pre>\n");
}

HtmlOut& HtmlOut::Cell(std::string_view text) { return Raw("<td>").Text(text).Raw("</td>"); }

HtmlOut& HtmlOut::NumberCell(std::string_view text) {
  return Raw("<td class=\"number\">").Text(text).Raw("</td>");
}

HtmlOut& HtmlOut::Nothing(std::string_view why) {
  return Raw("<p class=\"nothing\">").Text(why).Raw("</p>\n");
}

HtmlOut& HtmlOut::Made(std::string_view markup) {
  out_ << llvm::StringRef(markup.data(), markup.size());
  return *this;
}

HtmlOut& HtmlOut::Json(const nlohmann::ordered_json& data) {
  using Handler = nlohmann::ordered_json::error_handler_t;
  const std::string text = data.dump(-1, ' ', /*ensure_ascii=*/true, Handler::replace);
  // Outside of strings, JSON contains none of these.
  size_t written = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char* escape = nullptr;
    if (text[i] == '<') escape = "\\u003c";
    if (text[i] == '>') escape = "\\u003e";
    if (text[i] == '&') escape = "\\u0026";
    if (escape == nullptr) continue;
    out_ << llvm::StringRef(text).slice(written, i) << escape;
    written = i + 1;
  }
  out_ << llvm::StringRef(text).substr(written);
  return *this;
}

}  // namespace shapewise
