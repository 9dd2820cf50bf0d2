// Pieces of SVG. Every text passed in may come from an input: it is escaped here.

#ifndef SHAPEWISE_REPORT_SVG_TEXT_H_
#define SHAPEWISE_REPORT_SVG_TEXT_H_

#include <string>
#include <string_view>

namespace shapewise {

/// `text` for the content and the attributes of XML: valid UTF-8, no control characters, which XML
/// cannot hold even as references.
std::string XmlText(std::string_view text);

/// A coordinate: at most two digits after the point, none that are not needed; 0 for what is no
/// finite number.
std::string Coordinate(double value);

/// <text class="..." x y text-anchor="start|middle|end">...</text>
std::string SvgLabel(std::string_view style, double x, double y, std::string_view anchor,
                     std::string_view text);

/// <line class="..." .../>
std::string SvgLine(std::string_view style, double x1, double y1, double x2, double y2);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_SVG_TEXT_H_
