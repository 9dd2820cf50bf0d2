#include "report/html_assets.h"

#include <array>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/SHA256.h"

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

}  // namespace shapewise
