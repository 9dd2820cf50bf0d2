#include "support/terminal_text.h"

#include <cstdint>
#include <cstring>

#include "llvm/Support/ConvertUTF.h"

namespace shapewise {
namespace {

constexpr char kEscape = '\x1b';
constexpr char kBell = '\a';
constexpr std::string_view kReplacementText = "\xef\xbf\xbd";  // U+FFFD
constexpr uint64_t kHighBits = 0x8080808080808080;

bool IsBetween(char c, char first, char last) { return c >= first && c <= last; }

// The end of the bytes from `pos` on that are between `first` and `last`.
size_t SkipRange(std::string_view text, size_t pos, char first, char last) {
  while (pos < text.size() && IsBetween(text[pos], first, last)) ++pos;
  return pos;
}

// The end of a string sequence (OSC, DCS, SOS, PM, APC) whose text starts at `pos`. A newline ends
// it: a stray introducer must not swallow the following lines.
size_t SkipString(std::string_view text, size_t pos) {
  for (; pos < text.size(); ++pos) {
    if (text[pos] == kBell) return pos + 1;
    if (text[pos] == '\n') return pos;
    if (text[pos] == kEscape) return pos + 1 < text.size() && text[pos + 1] == '\\' ? pos + 2 : pos;
  }
  return pos;
}

// The end of the escape sequence whose ESC is at `pos` (ECMA-48, clause 5). An incomplete sequence
// is dropped up to the byte that interrupts it.
size_t SkipEscape(std::string_view text, size_t pos) {
  ++pos;
  if (pos == text.size()) return pos;
  switch (text[pos]) {
    case '[':
      pos = SkipRange(text, pos + 1, '0', '?');
      pos = SkipRange(text, pos, ' ', '/');
      break;
    case ']':
    case 'P':
    case 'X':
    case '^':
    case '_':
      return SkipString(text, pos + 1);
    default:
      // ESC ( B and similar sequences have bytes between ESC and the final one; the others are two
      // bytes.
      pos = SkipRange(text, pos, ' ', '/');
      return pos < text.size() && IsBetween(text[pos], '0', '~') ? pos + 1 : pos;
  }
  return pos < text.size() && IsBetween(text[pos], '@', '~') ? pos + 1 : pos;
}

// Length of the UTF-8 character at the start of `text`; 0: invalid. `text` is not empty.
size_t CharacterLength(std::string_view text) {
  if (static_cast<unsigned char>(text[0]) < 0x80) return 1;
  const auto* bytes = reinterpret_cast<const llvm::UTF8*>(text.data());
  const size_t length = llvm::getNumBytesForUTF8(bytes[0]);
  if (length > text.size() || !llvm::isLegalUTF8Sequence(bytes, bytes + length)) return 0;
  return length;
}

// The end of the run of ASCII bytes that starts at `pos`.
size_t SkipAscii(std::string_view text, size_t pos) {
  for (uint64_t word; text.size() - pos >= sizeof(word); pos += sizeof(word)) {
    std::memcpy(&word, text.data() + pos, sizeof(word));
    if ((word & kHighBits) != 0) break;
  }
  while (pos < text.size() && static_cast<unsigned char>(text[pos]) < 0x80) ++pos;
  return pos;
}

// U+0000 to U+001F, DEL, and U+0080 to U+009F; some terminals treat U+009B as ESC [.
bool IsControl(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

}  // namespace

std::string_view StripEscapes(std::string_view text, std::string& storage) {
  size_t escape = text.find(kEscape);
  if (escape == std::string_view::npos) return text;
  storage.clear();
  size_t kept_from = 0;
  while (escape != std::string_view::npos) {
    storage.append(text, kept_from, escape - kept_from);
    kept_from = SkipEscape(text, escape);
    escape = text.find(kEscape, kept_from);
  }
  storage.append(text, kept_from);
  return storage;
}

std::string MakePrintable(std::string_view text) {
  std::string printable;
  printable.reserve(text.size());
  while (!text.empty()) {
    const size_t length = CharacterLength(text);
    if (length == 0) {
      printable += kReplacementText;
      text.remove_prefix(1);
      continue;
    }
    const std::string_view character = text.substr(0, length);
    if (IsControl(character) && character != "\t") {
      printable += '?';
    } else {
      printable += character;
    }
    text.remove_prefix(length);
  }
  return printable;
}

std::string MakeLinesPrintable(std::string_view text) {
  std::string printable;
  while (true) {
    const size_t end = text.find('\n');
    printable += MakePrintable(text.substr(0, end));
    if (end == std::string_view::npos) return printable;
    printable += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string ClipMiddle(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  const size_t half = (max_bytes - 3) / 2;
  size_t head = half;
  size_t tail = text.size() - half;
  // Bytes 10xxxxxx continue a character.
  const auto is_inside = [&](size_t at) { return (text[at] & 0xC0) == 0x80; };
  while (head > 0 && is_inside(head)) --head;
  while (tail < text.size() && is_inside(tail)) ++tail;
  return std::string(text.substr(0, head)) + "..." + std::string(text.substr(tail));
}

bool IsUtf8(std::string_view text) {
  for (size_t pos = SkipAscii(text, 0); pos < text.size(); pos = SkipAscii(text, pos)) {
    const size_t length = CharacterLength(text.substr(pos));
    if (length == 0) return false;
    pos += length;
  }
  return true;
}

std::string ToUtf8(std::string_view text) {
  std::string utf8;
  utf8.reserve(text.size());
  while (!text.empty()) {
    const size_t length = CharacterLength(text);
    utf8 += length == 0 ? kReplacementText : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return utf8;
}

}  // namespace shapewise
