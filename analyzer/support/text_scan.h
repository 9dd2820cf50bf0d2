// Basic text operations for the hand-written scanners.

#ifndef SHAPEWISE_SUPPORT_TEXT_SCAN_H_
#define SHAPEWISE_SUPPORT_TEXT_SCAN_H_

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

namespace shapewise {

/// The position of something that was not found.
inline constexpr size_t kNotFound = std::string_view::npos;

/// The number of newlines in `text`.
uint64_t CountNewlines(std::string_view text);

/// 0 to 9, whatever the locale.
inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Whether `c` is an ASCII character of Python names.
inline bool IsWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_';
}

/// Whether `text` is a Python or C++ name of ASCII letters.
inline bool IsIdentifier(std::string_view text) {
  return !text.empty() && !IsDigit(text[0]) && std::all_of(text.begin(), text.end(), IsWordChar);
}

/// Whether `text` can be placed between double quotes in a shell and in Python: nothing in it ends
/// or has a meaning within them.
inline bool IsQuotable(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f ||
           std::string_view("\"$`\\!").find(c) != std::string_view::npos;
  });
}

/// Whether `text` is a decimal integer, such as "-3".
inline bool IsInteger(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

/// Whether `text` is one of `list`.
inline bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

/// The position of `word` between characters of no name, from `from` on; kNotFound: nowhere.
inline size_t FindWord(std::string_view text, std::string_view word, size_t from = 0) {
  for (size_t at = text.find(word, from); at != kNotFound; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || !IsWordChar(text[at - 1]);
    if (begins && (end == text.size() || !IsWordChar(text[end]))) return at;
  }
  return kNotFound;
}

/// Whether `text` contains `word` between characters of no name.
inline bool ContainsWord(std::string_view text, std::string_view word) {
  return FindWord(text, word) != kNotFound;
}

/// "functional" for "torch.nn.functional".
inline std::string_view LastName(std::string_view dotted) {
  return dotted.substr(dotted.rfind('.') + 1);
}

/// "a/b" for "a/b/c.py"; empty without a slash.
inline std::string_view FolderOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == kNotFound ? std::string_view() : path.substr(0, slash);
}

/// Removes `token` from the front of `text`; returns false and changes nothing if it is not there.
inline bool ConsumeFront(std::string_view& text, std::string_view token) {
  // Compilers inline memcmp() of a literal, but not starts_with().
  if (text.size() < token.size() || std::memcmp(text.data(), token.data(), token.size()) != 0) {
    return false;
  }
  text.remove_prefix(token.size());
  return true;
}

/// Removes the digits at the front of `text` and returns their value as a `Number`, which may be a
/// signed type; absent: no digits, or overflow (then nothing is removed).
template <std::integral Number = uint64_t>
std::optional<Number> ConsumeUint(std::string_view& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::in_range<Number>(value)) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return static_cast<Number>(value);
}

/// The decimal number that is all of `text`; absent if it is none, or does not fit.
template <typename Number = int64_t>
std::optional<Number> ParseNumber(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// What Python's str.strip() takes off: blanks, tabs and ends of lines.
inline bool IsBlankChar(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// `text` without leading blanks.
inline std::string_view TrimLeft(std::string_view text) {
  size_t begin = 0;
  while (begin < text.size() && IsBlankChar(text[begin])) ++begin;
  return text.substr(begin);
}

/// `text` without trailing blanks.
inline std::string_view TrimRight(std::string_view text) {
  size_t end = text.size();
  while (end > 0 && IsBlankChar(text[end - 1])) --end;
  return text.substr(0, end);
}

/// `text` without leading and trailing blanks.
inline std::string_view Trim(std::string_view text) { return TrimLeft(TrimRight(text)); }

/// The first `size` bytes of `text`, or up to three fewer, so that no UTF-8 character is split.
inline std::string_view FrontOf(std::string_view text, size_t size) {
  if (text.size() <= size) return text;
  const auto is_inside = [text](size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  size_t end = size;
  while (end > 0 && size - end < 3 && is_inside(end)) --end;
  return text.substr(0, is_inside(end) ? size : end);
}

/// Number of leading blanks of `text`.
inline size_t Indent(std::string_view text) { return text.size() - TrimLeft(text).size(); }

/// Offset of `needle` in `text` at or after `from`; npos: not found. Several times faster than
/// std::string_view::find and memmem, for lines as well as for long texts.
size_t FindText(std::string_view text, std::string_view needle, size_t from = 0);

/// Whether `text` contains `needle`.
inline bool HasText(std::string_view text, std::string_view needle) {
  return FindText(text, needle) != kNotFound;
}

/// The part of `text` between the first `before` and the next `after` (or the end of the text);
/// empty if `before` is missing.
inline std::string_view TextBetween(std::string_view text, std::string_view before,
                                    std::string_view after) {
  const size_t at = FindText(text, before);
  if (at == kNotFound) return {};
  text.remove_prefix(at + before.size());
  return text.substr(0, FindText(text, after));
}

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_TEXT_SCAN_H_
