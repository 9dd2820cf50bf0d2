#include "cli/ascii_toml.h"

#include <cstdint>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

namespace shapewise {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr char kMark = '~';
constexpr size_t kWrittenBytes = 4;

}  // namespace

std::optional<std::string> ToAsciiToml(std::string_view toml) {
  if (toml.starts_with(kByteOrderMark)) toml.remove_prefix(kByteOrderMark.size());
  const auto* begin = reinterpret_cast<const llvm::UTF8*>(toml.data());
  if (!llvm::isLegalUTF8String(&begin, begin + toml.size())) return std::nullopt;
  std::string text;
  text.reserve(toml.size());
  for (const char c : toml) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte < 0x80 && c != kMark) {
      text += c;
      continue;
    }
    text += kMark;
    text += llvm::hexdigit(byte >> 4);
    text += llvm::hexdigit(byte & 15);
    text += kMark;
  }
  return text;
}

std::string FromAsciiToml(std::string_view text) {
  std::string toml;
  while (!text.empty()) {
    const bool is_written = text.size() >= kWrittenBytes && text[0] == kMark && text[3] == kMark &&
                            llvm::isHexDigit(text[1]) && llvm::isHexDigit(text[2]);
    toml += is_written ? static_cast<char>(llvm::hexFromNibbles(text[1], text[2])) : text.front();
    text.remove_prefix(is_written ? kWrittenBytes : 1);
  }
  return toml;
}

}  // namespace shapewise
