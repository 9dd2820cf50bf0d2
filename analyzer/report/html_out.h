// HTML, written so that no value can become markup.

#ifndef SHAPEWISE_REPORT_HTML_OUT_H_
#define SHAPEWISE_REPORT_HTML_OUT_H_

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "llvm/Support/raw_ostream.h"

namespace shapewise {

/// Writes pieces of a page. Markup comes from literals only; whatever else is written is text.
///
/// \code
///   html.Raw("<td title=\"").Text(path).Raw("\">").Text(name).Raw("</td>");
/// \endcode
class HtmlOut {
 public:
  explicit HtmlOut(llvm::raw_ostream& out) : out_(out) {}

  /// Markup, which is a literal: a value of any other kind does not compile.
  template <size_t N>
  HtmlOut& Raw(const char (&markup)[N]) {
    out_ << llvm::StringRef(markup, N - 1);
    return *this;
  }

  /// `text` as the content of an element or of an attribute between double quotes.
  HtmlOut& Text(std::string_view text);
  HtmlOut& Number(uint64_t number) {
    out_ << number;
    return *this;
  }

  /// Lines of code; empty: nothing.
  HtmlOut& Code(std::string_view code);

  /// <td> with text; a number stands right.
  HtmlOut& Cell(std::string_view text);
  HtmlOut& NumberCell(std::string_view text);
  HtmlOut& NumberCell(uint64_t number) { return NumberCell(std::to_string(number)); }

  /// A line that says why a section has nothing.
  HtmlOut& Nothing(std::string_view why);

  /// Pieces that were made elsewhere, of which everything is escaped already: a drawing of
  /// svg_text.h, or a file of ours.
  HtmlOut& Made(std::string_view markup);

  /// Data for the script. Nothing in it can end the element that holds it: all but ASCII, and
  /// '<', '>' and '&' as well, are written as \uXXXX.
  HtmlOut& Json(const nlohmann::ordered_json& data);

 private:
  llvm::raw_ostream& out_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_HTML_OUT_H_
