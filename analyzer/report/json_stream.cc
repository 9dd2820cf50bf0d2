#include "report/json_stream.h"

#include "llvm/ADT/StringExtras.h"

namespace shapewise {
namespace {

constexpr char kDelete = '\x7f';
// In UTF-8, U+0080 to U+00BF start with this byte; the second byte is their code point.
constexpr char kLeadByte = '\xc2';
constexpr unsigned char kLastControl = 0x9f;

}  // namespace

std::string JsonText(const Json& value) {
  using Handler = Json::error_handler_t;
  std::string text = value.dump(-1, ' ', /*ensure_ascii=*/false, Handler::replace);
  // They occur only in strings, and rarely.
  constexpr std::string_view kSuspects = "\x7f\xc2";
  size_t at = text.find_first_of(kSuspects);
  if (at == std::string::npos) return text;
  std::string escaped;
  size_t done = 0;
  for (; at != std::string::npos; at = text.find_first_of(kSuspects, at + 1)) {
    const size_t last = text[at] == kLeadByte ? at + 1 : at;
    const auto code = static_cast<unsigned char>(text[last]);
    if (text[at] != kDelete && code > kLastControl) continue;
    escaped.append(text, done, at - done);
    escaped += "\\u00" + llvm::utohexstr(code, /*LowerCase=*/true);
    done = last + 1;
  }
  return escaped.append(text, done);
}

}  // namespace shapewise
