#include "ingest/formats/torch_log/pasted_line.h"

#include <algorithm>
#include <iterator>

#include "support/byte_lanes.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Escape characters of colors, as programs and string literals show them.
constexpr std::string_view kShownEscapes[] = {"\\x1b[", "\\u001b[", "\\033[",
                                              "^[[",    "#033[",    "\xe2\x90\x9b["};

/// Whether `text` contains a color whose escape character was lost.
bool HasBareColor(std::string_view text) {
  for (size_t at = text.find('['); at != kNotFound; at = text.find('[', at + 1)) {
    const bool has_number = at + 1 < text.size() && IsDigit(text[at + 1]);
    if (has_number && ShownColorLength(text.substr(at)) > 0) return true;
  }
  return false;
}

/// Characters that programs escape when they turn text into Markdown.
constexpr std::string_view kMarkdownCharacters = "_*[]<>#(){}+-.!|~`";

/// What occurs in a line that pasting may have put there; one pass finds all of it.
struct PasteMarks {
  bool others = false;  ///< a control character, a byte of UTF-8, '&', '\\' or '^'
  bool angles = false;  ///< '<'
  bool colors = false;  ///< '%', or 'm' after a digit or ';', as at the end of a color
};

PasteMarks MarksOf(std::string_view line) {
  char padded[kLanes + 1];
  if (line.size() < sizeof(padded)) {
    std::fill(std::copy(line.begin(), line.end(), padded), std::end(padded), ' ');
    line = {padded, sizeof(padded)};
  }
  // As signed numbers, control characters and bytes of UTF-8 are below a blank; '\\' and '^' differ
  // in one bit.
  const auto is_other = [](auto bytes, auto as_signed) {
    return (as_signed < ' ') | ((bytes | 2) == '^') | (bytes == '&');
  };
  Lanes others{};
  Lanes angles{};
  Lanes colors{};
  const size_t last = line.size() - 1 - kLanes;
  for (size_t at = 0;; at = std::min(at + kLanes, last)) {
    const Lanes bytes = LoadLanes(line.data() + at);
    const Lanes next = LoadLanes(line.data() + at + 1);
    const auto as_signed = reinterpret_cast<SignedLanes>(bytes);
    others |= reinterpret_cast<Lanes>(is_other(bytes, as_signed));
    angles |= reinterpret_cast<Lanes>(bytes == '<');
    const auto is_number = (as_signed > '/') & (as_signed < '<');
    colors |= reinterpret_cast<Lanes>((bytes == '%') | (is_number & (next == 'm')));
    if (at == last) break;
  }
  const char end = line.back();
  return {IsAnySet(others) || is_other(static_cast<uint8_t>(end), static_cast<int8_t>(end)),
          IsAnySet(angles), IsAnySet(colors)};
}

/// Whether `line` contains the beginning of a tag that shows where text was pasted from.
bool HasTag(std::string_view line) {
  for (size_t at = line.find('<'); at != kNotFound; at = line.find('<', at + 1)) {
    const std::string_view name = line.substr(at + 1);
    if (name.starts_with('/') || name.starts_with("br") || name.starts_with("pre") ||
        name.starts_with("code")) {
      return true;
    }
  }
  return false;
}

}  // namespace

size_t ShownColorLength(std::string_view text) {
  const auto length_after = [text](size_t begin) {
    size_t end = begin;
    while (end < text.size() && (IsDigit(text[end]) || text[end] == ';')) ++end;
    return end > begin && end < text.size() && text[end] == 'm' ? end + 1 : 0;
  };
  if (text[0] != '[') {
    for (const std::string_view escape : kShownEscapes) {
      if (text.starts_with(escape)) return length_after(escape.size());
    }
    return 0;
  }
  if (text.size() < 2 || !IsDigit(text[1])) return 0;
  const size_t length = length_after(1);
  // "[5m30s]" is a time, "[31m0/1" a color.
  const bool may_be_time = length == 3 && text[1] != '0' && text.size() > 3 && IsDigit(text[3]);
  return may_be_time ? 0 : length;
}

bool IsMarkdownEscaped(std::string_view text) {
  bool has_mark = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '_') return false;
    if (text[i] != '\\') continue;
    ++i;
    if (i == text.size() || kMarkdownCharacters.find(text[i]) == kNotFound) return false;
    has_mark = has_mark || text[i] == '_' || text[i] == '[' || text[i] == '*' || text[i] == '<';
  }
  return has_mark;
}

bool HasPasteMark(std::string_view line) {
  const std::string_view text = TrimLeft(line);
  const char first = text.empty() ? ' ' : text[0];
  const char second = text.size() < 2 ? ' ' : text[1];
  if (IsQuotingMark(first) || first == '|' || (first == '{' && second == '"') ||
      ((first == '[' || first == '(') && (second == '\'' || second == '"')) ||
      (first == '*' && second == '*')) {
    return true;
  }
  const PasteMarks marks = MarksOf(line);
  if (marks.colors && (HasText(line, "#033[") || HasText(line, "%|") || HasBareColor(line))) {
    return true;
  }
  if (marks.angles && HasTag(line)) return true;
  if (!marks.others) return false;
  const auto has = [line](char c) { return line.find(c) != kNotFound; };
  return has('&') || has('\t') || has('\xc2') || has('\xe2') || has('\xef') ||
         HasText(line, "^[[") ||
         (has('\\') && (HasText(line, "\\n") || HasText(line, "1b[") || HasText(line, "\\033[") ||
                        IsMarkdownEscaped(line)));
}

}  // namespace shapewise
