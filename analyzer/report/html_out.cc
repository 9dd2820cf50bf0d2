#include "report/html_out.h"

#include <algorithm>

#include "llvm/ADT/StringExtras.h"
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

}  // namespace shapewise
