#include "ingest/formats/torch_log/paste_marks.h"

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

/// Which characters occur in a line that pasting may have put there; one pass finds all of them.
struct PasteMarks {
  bool others = false;  ///< a control character, a byte of UTF-8, '&', '\\' or '^'
  bool hashes = false;
  bool percents = false;
  bool angles = false;
  bool brackets = false;  ///< '['
};

PasteMarks MarksOf(std::string_view line) {
  char padded[kLanes];
  if (line.size() < kLanes) {
    std::fill(std::copy(line.begin(), line.end(), padded), std::end(padded), ' ');
    line = {padded, kLanes};
  }
  Lanes others{};
  Lanes hashes{};
  Lanes percents{};
  Lanes angles{};
  Lanes brackets{};
  const auto add = [&](Lanes bytes) {
    // As signed numbers, control characters and bytes of UTF-8 are below a blank; '\\' and '^'
    // differ in one bit.
    others |= reinterpret_cast<Lanes>(reinterpret_cast<SignedLanes>(bytes) < ' ') |
              reinterpret_cast<Lanes>((bytes | 2) == '^') | reinterpret_cast<Lanes>(bytes == '&');
    hashes |= reinterpret_cast<Lanes>(bytes == '#');
    percents |= reinterpret_cast<Lanes>(bytes == '%');
    angles |= reinterpret_cast<Lanes>(bytes == '<');
    brackets |= reinterpret_cast<Lanes>(bytes == '[');
  };
  const size_t last = line.size() - kLanes;
  for (size_t at = 0; at < last; at += kLanes) add(LoadLanes(line.data() + at));
  add(LoadLanes(line.data() + last));
  return {IsAnySet(others), IsAnySet(hashes), IsAnySet(percents), IsAnySet(angles),
          IsAnySet(brackets)};
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
  if (marks.hashes && HasText(line, "#033[")) return true;
  if (marks.percents && HasText(line, "%|")) return true;
  if (marks.angles && HasTag(line)) return true;
  if (marks.brackets && HasBareColor(line)) return true;
  if (!marks.others) return false;
  const auto has = [line](char c) { return line.find(c) != kNotFound; };
  return has('&') || has('\t') || has('\xc2') || has('\xe2') || has('\xef') ||
         HasText(line, "^[[") ||
         (has('\\') && (HasText(line, "\\n") || HasText(line, "1b[") || HasText(line, "\\033[") ||
                        IsMarkdownEscaped(line)));
}

}  // namespace shapewise
