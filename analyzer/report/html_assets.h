// What a page is made of besides data: its script and its style, files of analyzer/report/html.

#ifndef SHAPEWISE_REPORT_HTML_ASSETS_H_
#define SHAPEWISE_REPORT_HTML_ASSETS_H_

#include <span>
#include <string>
#include <string_view>

namespace shapewise {

/// One file as it lay in the source tree when the program was built.
struct HtmlAsset {
  std::string_view path;
  std::string_view text;
};

/// All of them, by path.
std::span<const HtmlAsset> EmbeddedHtmlAssets();

/// The script of the page: its files, one after the other. It holds no "</script" and no "<!--".
std::string HtmlScript();

/// Its style; it holds no "</style".
std::string_view HtmlStyle();

/// What a Content-Security-Policy calls `text`: "sha256-" and its digest in base 64.
std::string PolicyHash(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_HTML_ASSETS_H_
