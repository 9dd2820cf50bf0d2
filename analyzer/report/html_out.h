// Writes HTML so that no value can become markup.

#ifndef SHAPEWISE_REPORT_HTML_OUT_H_
#define SHAPEWISE_REPORT_HTML_OUT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "llvm/Support/raw_ostream.h"

namespace shapewise {

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

  /// Writes lines of code; empty: nothing.
  HtmlOut& Code(std::string_view code);

  /// Writes markup that is already escaped: a drawing of svg_text.h, or one of our files.
  HtmlOut& Made(std::string_view markup);

  /// Writes JSON in ASCII for the script. Nothing in it can end the surrounding element: '<', '>'
  /// and '&' are written as \uXXXX.
  HtmlOut& Json(std::string_view data);

 private:
  llvm::raw_ostream& out_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_HTML_OUT_H_
