// Writes HTML and SVG so that no value can become markup, and the parts that all pages share.

#ifndef SHAPEWISE_REPORT_HTML_OUT_H_
#define SHAPEWISE_REPORT_HTML_OUT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "llvm/Support/raw_ostream.h"

namespace shapewise {

/// The entity for a character that means something in markup; empty: none.
std::string_view EntityOf(char c);

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

/// Writes parts of a page. Markup is limited to literals; everything else is written as text.
///
/// \code
///   html.Raw("<td title=\"").Text(path).Raw("\">").Text(name).Raw("</td>"); \endcode
class HtmlOut {
 public:
  explicit HtmlOut(llvm::raw_ostream& out) : out_(out) {}

  /// Writes markup, which must be a literal: other values do not compile.
  template <size_t N>
  HtmlOut& Raw(const char (&markup)[N]) {
    out_ << llvm::StringRef(markup, N - 1);
    return *this;
  }

  /// Writes `text` as the content of an element or of a quoted attribute.
  HtmlOut& Text(std::string_view text);
  HtmlOut& Number(uint64_t number) {
    out_ << number;
    return *this;
  }

  /// Writes lines of code; empty: nothing. `is_drawing`: lines must not wrap.
  HtmlOut& Code(std::string_view code, bool is_drawing = false);

  /// Writes markup that is already escaped: a drawing of svg_text.h, or one of our files.
  HtmlOut& Made(std::string_view markup);

  /// Writes JSON in ASCII for the script. Nothing in it can end the surrounding element: '<', '>'
  /// and '&' are written as \uXXXX.
  HtmlOut& Json(std::string_view data);

 private:
  llvm::raw_ostream& out_;
};

/// The script of the page: its files, concatenated. Contains no "</script" and no "<!--".
std::string HtmlScript();

/// Its style; contains no "</style".
std::string_view HtmlStyle();

/// The hash of `text` for a Content-Security-Policy: "sha256-" and its digest in base 64.
std::string PolicyHash(std::string_view text);

/// Writes a page up to the beginning of its body. Its policy allows `script` and our style only.
void WriteHtmlHead(std::string_view title, std::string_view script, HtmlOut& html);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_HTML_OUT_H_
