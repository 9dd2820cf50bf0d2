#include "report/svg_text.h"

#include <cmath>

#include "llvm/Support/FormatVariadic.h"
#include "support/terminal_text.h"

namespace shapewise {

std::string XmlText(std::string_view text) {
  std::string escaped;
  const std::string printable = MakePrintable(text);
  for (size_t i = 0; i < printable.size(); ++i) {
    const char c = printable[i];
    switch (c) {
      case '&':
        escaped += "&amp;";
        continue;
      case '<':
        escaped += "&lt;";
        continue;
      case '>':
        escaped += "&gt;";
        continue;
      case '"':
        escaped += "&quot;";
        continue;
      case '\'':
        escaped += "&#39;";
        continue;
      default:
        break;
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
