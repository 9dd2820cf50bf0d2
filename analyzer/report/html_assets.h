// The script and style of a page: files of analyzer/report/html.

#ifndef SHAPEWISE_REPORT_HTML_ASSETS_H_
#define SHAPEWISE_REPORT_HTML_ASSETS_H_

#include <span>
#include <string>
#include <string_view>

namespace shapewise {

class HtmlOut;

/// One file, embedded at build time.
struct HtmlAsset {
  std::string_view path;
  std::string_view text;
};

/// All files, by path.
std::span<const HtmlAsset> EmbeddedHtmlAssets();

/// The script of the page: its files, concatenated. Contains no "</script" and no "<!--".
std::string HtmlScript();

/// Its style; contains no "</style".
std::string_view HtmlStyle();

/// The hash of `text` for a Content-Security-Policy: "sha256-" and its digest in base 64.
std::string PolicyHash(std::string_view text);

/// Writes a page up to the beginning of its body. Its policy allows `script` and our style only.
void WriteHtmlHead(std::string_view title, std::string_view script, HtmlOut& html);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_HTML_ASSETS_H_
