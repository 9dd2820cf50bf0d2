#include "report/html_assets.h"

#include <array>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/SHA256.h"
#include "report/html_out.h"

namespace shapewise {
namespace {

// Each may use declarations of earlier ones.
constexpr std::string_view kScripts[] = {"/elements.js", "/tables.js",       "/causes.js",
                                         "/timeline.js", "/compilations.js", "/page.js"};

std::string_view TextOf(std::string_view ending) {
  for (const HtmlAsset& asset : EmbeddedHtmlAssets()) {
    if (asset.path.ends_with(ending)) return asset.text;
  }
  return {};
}

}  // namespace

std::string HtmlScript() {
  std::string script;
  for (const std::string_view name : kScripts) script += TextOf(name);
  return script;
}

std::string_view HtmlStyle() { return TextOf("/report.css"); }

std::string PolicyHash(std::string_view text) {
  const std::array<uint8_t, 32> digest = llvm::SHA256::hash(
      llvm::ArrayRef<uint8_t>(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
  return "sha256-" + llvm::encodeBase64(digest);
}

void WriteHtmlHead(std::string_view title, std::string_view script, HtmlOut& html) {
  html.Raw(
          "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "script-src '")
      .Text(PolicyHash(script))
      .Raw("'; style-src '")
      .Text(PolicyHash(HtmlStyle()))
      .Raw(
          "'; base-uri 'none'; form-action 'none'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"referrer\" content=\"no-referrer\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>")
      .Text(title)
      .Raw("</title>\n<style>")
      .Made(HtmlStyle())
      .Raw("</style>\n</head>\n<body>\n");
}

}  // namespace shapewise
