// Writes SVG. Any text may come from an input: it is escaped here.

#ifndef SHAPEWISE_REPORT_SVG_TEXT_H_
#define SHAPEWISE_REPORT_SVG_TEXT_H_

#include <string>
#include <string_view>

namespace shapewise {

/// Escapes `text` for XML content and attributes: valid UTF-8 without control characters, which XML
/// does not allow even as references.
std::string XmlText(std::string_view text);

/// A coordinate with at most two digits after the point, without trailing zeros; 0 if not finite.
std::string Coordinate(double value);

/// <text class="..." x y text-anchor="start|middle|end">...</text>
std::string SvgLabel(std::string_view style, double x, double y, std::string_view anchor,
                     std::string_view text);

/// <line class="..." .../>
std::string SvgLine(std::string_view style, double x1, double y1, double x2, double y2);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_SVG_TEXT_H_
