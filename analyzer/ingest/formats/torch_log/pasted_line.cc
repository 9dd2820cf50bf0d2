#include "ingest/formats/torch_log/pasted_line.h"

#include <algorithm>
#include <cstdint>

#include "ingest/data_tables.h"
#include "ingest/formats/torch_log/log_prefix.h"
#include "ingest/messages/message_table.h"
#include "llvm/ADT/StringExtras.h"
#include "support/terminal_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// Text escaped twice went through two encoders; more levels are not supported.
constexpr int kMaxLevels = 3;

// Longer than any progress bar with its description.
constexpr size_t kMaxProgress = 400;

// Longer than any HTML tag in a pasted log.
constexpr size_t kMaxTag = 200;

/// Characters that editors, word processors and web pages substitute for others.
const std::vector<std::vector<std::string_view>>& Replacements() {
  static const auto rows = JsonTextRows(DataTable("names"), "replacements");
  return rows;
}

/// Substitutes for the '-' of a list item: dashes, a minus, a bullet.
constexpr std::string_view kDashes[] = {"\xe2\x80\x93", "\xe2\x80\x94", "\xe2\x88\x92",
                                        "\xe2\x80\xa2"};

/// `text` without the marks of an emphasis, or the borders of a box, around the whole line.
std::string_view WithoutFrame(std::string_view text) {
  constexpr std::string_view kFrames[] = {"**", "\xe2\x94\x82", "\xe2\x94\x83", "\xe2\x95\x91"};
  std::string_view inner = Trim(text);
  for (const std::string_view mark : kFrames) {
    if (inner.size() <= 2 * mark.size() || !inner.starts_with(mark) || !inner.ends_with(mark)) {
      continue;
    }
    // Torch itself prints lines between "*** " and " ***".
    if (inner.substr(mark.size()).starts_with('*')) continue;
    inner = inner.substr(mark.size(), inner.size() - 2 * mark.size());
    ConsumeFront(inner, " ");
    return TrimRight(inner);
  }
  return text;
}

/// Appends the code point `code` as UTF-8.
void AppendUtf8(uint32_t code, std::string& text) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | (code >> 6));
    text += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    text += static_cast<char>(0xe0 | (code >> 12));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    text += static_cast<char>(0x80 | (code & 0x3f));
  }
}

/// An HTML tag around text of a log. "<lambda>" and "<code object f>" are Python's.
struct Tag {
  size_t length = 0;       ///< 0: not a tag
  bool ends_line = false;  ///< as "<br>" does
};

/// The tag at the front of `text`.
Tag TagAtFront(std::string_view text) {
  std::string_view rest = text.substr(1, kMaxTag);
  const bool is_end = ConsumeFront(rest, "/");
  const std::string_view name = rest.substr(0, rest.find_first_of(" />"));
  const size_t close = rest.find('>');
  if (close == kNotFound ||
      !IsOneOf(name, {"br", "pre", "code", "samp", "span", "div", "p", "td", "tr", "li"})) {
    return {};
  }
  const std::string_view attributes = Trim(rest.substr(name.size(), close - name.size()));
  if (!attributes.empty() && attributes != "/" && !HasText(attributes, "=\"")) return {};
  return {(is_end ? 2 : 1) + close + 1, name == "br" || (is_end && name.size() == 2)};
}

/// The length of a substitute for the '-' of a list item at the front of `text`, which follows
/// `before`; 0 otherwise.
size_t DashLength(std::string_view before, std::string_view text) {
  if (!before.empty() && !IsBlankChar(before.back())) return 0;
  for (const std::string_view dash : kDashes) {
    if (!text.starts_with(dash)) continue;
    const std::string_view after = text.substr(dash.size());
    return !after.empty() && (IsBlankChar(after[0]) || IsDigit(after[0])) ? dash.size() : 0;
  }
  return 0;
}

/// Replaces entities, tags and typographic characters, and removes colors whose escape character is
/// shown.
std::string WithPlainCharacters(std::string_view text) {
  const bool is_markdown = text.find('\\') != kNotFound && IsMarkdownEscaped(text);
  std::string plain;
  plain.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::string_view rest = text.substr(i);
    if (is_markdown && c == '\\') {
      plain += rest[1];
      i += 2;
      continue;
    }
    // "\\\\u001b[31m" is escaped once more.
    const bool is_bare = c == '[' && rest.size() > 1 && IsDigit(rest[1]) &&
                         !plain.ends_with("1b") && !plain.ends_with("033");
    const bool may_begin_color = is_bare || c == '\\' || c == '^' || c == '#' || c == '\xe2';
    if (const size_t length = may_begin_color ? ShownColorLength(rest) : 0; length > 0) {
      i += length;
      continue;
    }
    if (c == '\\' && rest.starts_with("\\\\")) {
      // In a literal inside of another one, the escape character is escaped twice.
      plain += rest.substr(0, 2);
      i += 2;
      continue;
    }
    if (c == '<') {
      if (const Tag tag = TagAtFront(rest); tag.length > 0) {
        if (tag.ends_line) plain += '\n';
        i += tag.length;
        continue;
      }
    } else if (c == '&' || c == '\t' || c == '\xc2' || c == '\xe2' || c == '\xef') {
      const auto found = std::ranges::find_if(Replacements(), [rest](const auto& row) {
        // Most have another last byte.
        const std::string_view from = row[0];
        return rest.size() >= from.size() && rest[from.size() - 1] == from.back() &&
               rest.starts_with(from);
      });
      if (found != Replacements().end()) {
        plain += found->at(1);
        i += found->at(0).size();
        continue;
      }
      if (const size_t length = DashLength(plain, rest); length > 0) {
        plain += '-';
        i += length;
        continue;
      }
    }
    plain += c;
    ++i;
  }
  return plain;
}

/// The end of the progress bar "12%|##  | 12/100 [00:05<00:40,  2.1it/s]" whose "%|" is at `at`;
/// kNotFound if it is not a progress bar.
size_t ProgressEnd(std::string_view text, size_t at) {
  const std::string_view window = text.substr(at, kMaxProgress);
  const size_t bar = window.find('|', 2);
  if (bar == kNotFound) return kNotFound;
  const size_t open = window.find('[', bar);
  if (open == kNotFound) return kNotFound;
  const std::string_view counts = Trim(window.substr(bar + 1, open - bar - 1));
  if (counts.empty() || !IsDigit(counts[0]) || counts.find('/') == kNotFound ||
      counts.find_first_not_of("0123456789./kMGTB ") != kNotFound) {
    return kNotFound;
  }
  const size_t close = window.find(']', open);
  if (close == kNotFound || !HasText(window.substr(open, close - open), ":")) return kNotFound;
  return at + close + 1;
}

std::string WithoutProgress(std::string_view text) {
  std::string rest;
  size_t from = 0;
  for (size_t at = FindText(text, "%|"); at != kNotFound; at = FindText(text, "%|", at + 1)) {
    if (at < from) continue;
    const size_t end = ProgressEnd(text, at);
    if (end == kNotFound) continue;
    size_t begin = at;
    while (begin > from && IsDigit(text[begin - 1])) --begin;
    if (begin == at) continue;
    rest += TrimRight(text.substr(from, begin - from));
    from = end;
  }
  rest += text.substr(from);
  return rest;
}

/// Whether `before`, the text before a message, is a label and not the rest of a path:
/// "D:\\work\\net\\a.py".
bool IsLabel(std::string_view before) {
  return before.find('\\') == kNotFound && !HasText(before, ".py");
}

/// Whether `text` begins with a torch prefix, after labels at most.
bool HasPrefixAtFront(std::string_view text) {
  text = text.substr(0, 400);
  LogPrefix prefix;
  return FindLogPrefix(text, ParseForeignPrefix(text).length, prefix) &&
         (prefix.names_torch || !prefix.artifact.empty()) && IsLabel(text.substr(0, prefix.begin));
}

/// `line` without the label that `before` begins with, too, apart from its numbers.
std::string_view WithoutSharedFront(std::string_view before, std::string_view line) {
  size_t label_end = 0;
  for (size_t i = 0, j = 0; i < before.size() && j < line.size();) {
    if (IsDigit(before[i]) && IsDigit(line[j])) {
      i = std::min(before.find_first_not_of("0123456789", i), before.size());
      j = std::min(line.find_first_not_of("0123456789", j), line.size());
      continue;
    }
    if (before[i++] != line[j]) break;
    if (!IsWordChar(line[j++])) label_end = j;
  }
  return line.substr(label_end);
}

/// Whether `text` begins with a line of torch's output. `before`: the line above, which may show a
/// label.
bool BeginsTorchLine(std::string_view text, std::string_view before = {}) {
  text = text.substr(0, 400);
  if (HasPrefixAtFront(text)) return true;
  for (const std::string_view inner :
       {text.substr(ParseForeignPrefix(text).length), WithoutSharedFront(before, text)}) {
    if (BeginsInnerLine(RecordKind::kNone, inner)) return true;
  }
  const MessageStart start = FindMessage(text);
  return start.kind != RecordKind::kNone && IsLabel(text.substr(0, start.offset));
}

/// Position of the next escape "\n" in `text` that begins a torch line; kNotFound if there is no
/// such escape.
size_t FindEscapedTorchLine(std::string_view text) {
  std::string_view before;
  for (size_t at = FindText(text, "\\n"); at != kNotFound; at = FindText(text, "\\n", at + 2)) {
    std::string_view next = text.substr(at + 2, 400);
    next = next.substr(0, FindText(next, "\\n"));
    while (next.starts_with("\\t")) next.remove_prefix(2);
    if (BeginsTorchLine(next, before)) return at;
    before = next;
  }
  return kNotFound;
}

/// The end of the literal whose opening quote is at `open`, without its closing quote; the end of
/// `text` if it is not closed. A doubled quote, or one before a word, is part of the literal; so is
/// a backtick before the last one of its line.
size_t LiteralEnd(std::string_view text, size_t open) {
  const char quote = text[open];
  const std::string_view trimmed = TrimRight(text);
  if (quote == '`' && open + 1 < trimmed.size() && trimmed.ends_with('`'))
    return trimmed.size() - 1;
  for (size_t i = open + 1; i < text.size(); ++i) {
    if (text[i] == '\\' && quote != '`') {
      ++i;
    } else if (text[i] == quote) {
      const char next = i + 1 < text.size() ? text[i + 1] : ' ';
      if (next == quote && i > open + 1) {
        ++i;
      } else if (!IsWordChar(next)) {
        return i;
      }
    }
  }
  return text.size();
}

/// Whether the backslashes of the literal `text` are its own, as in a row of CSV: "D:\work\net".
/// Python and JSON would have doubled them.
bool HasPlainBackslashes(std::string_view text) {
  for (size_t at = text.find('\\'); at != kNotFound; at = text.find('\\', at + 2)) {
    constexpr std::string_view kEscapes = "abfnrtuvxNU\\'\"/01234567";
    const std::string_view next = text.substr(at + 1, 1);
    if (kEscapes.find(next) == kNotFound) return FindEscapedTorchLine(text) == kNotFound;
  }
  return false;
}

/// Undoes the escapes of string literals of Python and JSON, and the doubled quotes of CSV and
/// YAML.
std::string Unescaped(std::string_view text, char quote) {
  std::string plain;
  plain.reserve(text.size());
  const bool is_plain = quote != '\0' && HasPlainBackslashes(text);
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_plain || text[i] != '\\' || i + 1 == text.size()) {
      plain += text[i];
      if (text[i] == quote && text.substr(i + 1).starts_with(quote)) ++i;
      continue;
    }
    const char c = text[++i];
    const size_t digits = c == 'u' ? 4 : c == 'x' ? 2 : 0;
    if (digits > 0) {
      uint32_t code = 0;
      size_t used = 0;
      for (; used < digits && i + 1 + used < text.size(); ++used) {
        const char digit = text[i + 1 + used];
        if (!llvm::isHexDigit(digit)) break;
        code = code * 16 + llvm::hexDigitValue(digit);
      }
      if (used == digits) {
        AppendUtf8(code, plain);
        i += digits;
        continue;
      }
    }
    constexpr std::string_view kEscapes = "nrt\"'\\/";
    constexpr std::string_view kMeanings = "\n\r\t\"'\\/";
    const size_t known = kEscapes.find(c);
    if (known == kNotFound) plain += '\\';
    plain += known == kNotFound ? c : kMeanings[known];
  }
  return plain;
}

bool Restore(std::string_view line, int level, std::vector<std::string>& lines);

/// Appends the lines of `text`.
void AddLines(std::string_view text, int level, std::vector<std::string>& lines) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view piece = text.substr(begin, end - begin);
    if (!Restore(piece, level + 1, lines)) lines.emplace_back(piece);
    begin = end + 1;
  }
}

/// The same for the inside of a string literal.
void AddEscapedLines(std::string_view text, char quote, int level,
                     std::vector<std::string>& lines) {
  std::string storage;
  const std::string plain = Unescaped(text, quote);
  AddLines(StripEscapes(plain, storage), level, lines);
}

/// Appends the lines of the literal that begins at `open`, and of those that follow it in a list.
void AddLiterals(std::string_view text, size_t open, int level, std::vector<std::string>& lines) {
  while (true) {
    const size_t end = LiteralEnd(text, open);
    const std::string_view literal = text.substr(open + 1, end - open - 1);
    if (text[open] == '`') {
      lines.emplace_back(literal);
    } else {
      AddEscapedLines(literal, text[open], level, lines);
    }
    std::string_view rest = TrimLeft(text.substr(std::min(end + 1, text.size())));
    ConsumeFront(rest, ",");
    rest = TrimLeft(rest);
    if (rest.starts_with('b')) rest.remove_prefix(1);
    if (rest.empty() || !IsQuotingMark(rest[0])) return;
    if (!literal.ends_with("\\n") && !HasPrefixAtFront(rest.substr(1))) return;
    // The next literal is the name of a member.
    const size_t next_end = LiteralEnd(rest, 0);
    if (TrimLeft(rest.substr(std::min(next_end + 1, rest.size()))).starts_with(':')) return;
    open = text.size() - rest.size();
  }
}

/// Appends the lines of a list of strings, "['Recompiling function f', '- 0/0: x == 1']". False if
/// it is anything else, or none of them is torch's.
bool AddList(std::string_view list, int level, std::vector<std::string>& lines) {
  std::vector<size_t> opens;
  bool has_log = false;
  std::string_view before;
  for (size_t open = 1; list[open] != ']'; open += Indent(list.substr(open))) {
    const size_t end = IsQuotingMark(list[open]) ? LiteralEnd(list, open) : list.size();
    if (end + 1 >= list.size()) return false;
    const std::string_view literal = list.substr(open + 1, end - open - 1);
    has_log = has_log || BeginsTorchLine(literal, std::exchange(before, literal));
    opens.push_back(open);
    open = list[end + 1] == ',' ? end + 2 : end + 1;
    if (open == list.size()) return false;
  }
  for (const size_t open : opens) {
    const size_t end = LiteralEnd(list, open);
    if (has_log) AddEscapedLines(list.substr(open + 1, end - open - 1), list[open], level, lines);
  }
  return has_log;
}

/// The opening quote of the first literal of `line` that contains an escaped line of torch's;
/// kNotFound if none does. Where the literal does not end, that line is the second or a later one:
/// behind any quote, "D:\work\net" looks like the end of a first one.
size_t FindEscapedLiteral(std::string_view line) {
  size_t open = line.find_first_of("\"'");
  while (open != kNotFound) {
    const bool is_apostrophe = open > 0 && IsWordChar(line[open - 1]) && open + 1 < line.size() &&
                               IsWordChar(line[open + 1]) && line[open - 1] != 'b' &&
                               line[open - 1] != 'f';
    size_t end = open;
    if (!is_apostrophe) {
      end = LiteralEnd(line, open);
      const std::string_view literal = line.substr(open + 1, end - open - 1);
      const size_t first = FindText(literal, "\\n");
      const bool begins = end < line.size() && BeginsTorchLine(literal.substr(0, first));
      if (first != kNotFound && (begins || FindEscapedTorchLine(literal) != kNotFound)) {
        return open;
      }
    }
    open = line.find_first_of("\"'", end + 1);
  }
  return kNotFound;
}

/// Appends the lines of a log in the members of a JSON object on one line. False if no member
/// contains any.
bool AddMembers(std::string_view object, int level, std::vector<std::string>& lines) {
  bool has_log = false;
  std::string_view key;
  for (size_t open = object.find('"'); open != kNotFound;) {
    const size_t end = LiteralEnd(object, open);
    if (end == object.size()) return has_log;
    const std::string_view text = object.substr(open + 1, end - open - 1);
    if (TrimLeft(object.substr(end + 1)).starts_with(':')) {
      key = text;
    } else if (IsOneOf(key,
                       {"log", "message", "msg", "text", "line", "content", "textPayload",
                        "MESSAGE", "body", "output", "stderr", "stdout", "data", "raw", "event"}) ||
               HasPrefixAtFront(text) || FindEscapedTorchLine(text) != kNotFound) {
      AddEscapedLines(text, '"', level, lines);
      has_log = true;
    }
    open = object.find('"', end + 1);
  }
  return has_log;
}

/// Restores escaped text of a log. False if `line` does not contain any.
bool RestoreEscaped(std::string_view line, int level, std::vector<std::string>& lines) {
  const std::string_view trimmed = Trim(line);
  if (trimmed.size() < 3) return false;
  if (trimmed.front() == '{' && TrimLeft(trimmed.substr(1)).starts_with('"') &&
      AddMembers(trimmed, level, lines)) {
    return true;
  }
  if (trimmed.front() == '[' && trimmed.ends_with(']') && AddList(trimmed, level, lines))
    return true;
  // A line of a list of strings, as notebooks store their output and pprint shows it.
  const bool is_first = trimmed.front() == '(' || trimmed.front() == '[';
  const std::string_view item = trimmed.substr(is_first ? 1 : 0);
  if (IsQuotingMark(item.front()) && !item.starts_with("``")) {
    const size_t end = LiteralEnd(item, 0);
    const std::string_view after = item.substr(std::min(end + 1, item.size()));
    const std::string_view text = item.substr(1, end - 1);
    const bool is_log =
        text.ends_with("\\n") || HasPrefixAtFront(text) ||
        (item.front() == '`' && (text.find('`') == kNotFound || BeginsTorchLine(text)));
    if (end < item.size() && after.find_first_not_of(" ,)]") == kNotFound && is_log) {
      AddLiterals(item, 0, level, lines);
      return true;
    }
  }
  // The escaped text of a reason is read with the stack behind it.
  if (HasText(line, ", user_stack=[<FrameSummary ")) return false;
  const size_t at = FindEscapedTorchLine(line);
  if (at == kNotFound && !HasText(line, "\\n")) return false;
  // Where the quotes were not copied, the line begins with torch's text. Its own text may contain
  // an escape inside a value, and other text a literal.
  LogPrefix prefix;
  const std::string_view next = line.substr(std::min(at, line.size() - 2) + 2, 400);
  const bool has_own_escape = FindLogPrefix(line, 0, prefix) && prefix.begin < at &&
                              FindEscapedTorchLine(next) == kNotFound &&
                              !FindLogPrefix(next.substr(0, FindText(next, "\\n")), 0, prefix);
  const bool is_bare = at != kNotFound && !has_own_escape &&
                       BeginsTorchLine(line.substr(0, std::min(at, line.find_first_of("\"'"))));
  const size_t open = is_bare ? kNotFound : FindEscapedLiteral(line);
  if (open != kNotFound) {
    AddLiterals(line, open, level, lines);
    return true;
  }
  if (at == kNotFound || has_own_escape) return false;
  AddEscapedLines(line, '\0', level, lines);
  return true;
}

/// The length of `line` without the fence that closes a block of Markdown right after its last
/// words.
size_t LengthBeforeFence(std::string_view line) {
  constexpr std::string_view kFence = "```";
  line = TrimRight(line);
  const size_t fence = FindText(line, kFence);
  const bool is_at_end = fence != kNotFound && fence + kFence.size() == line.size();
  return is_at_end && !Trim(line.substr(0, fence)).empty() ? fence : kNotFound;
}

bool Restore(std::string_view line, int level, std::vector<std::string>& lines) {
  const size_t fence = line.ends_with('`') ? LengthBeforeFence(line) : kNotFound;
  if (fence != kNotFound) {
    AddLines(line.substr(0, fence), level, lines);
    lines.emplace_back(line.substr(fence));
    return true;
  }
  if (level == kMaxLevels || !HasPasteMark(line)) return false;
  const std::string_view text = Trim(line);
  const bool is_row = text.starts_with('|') && text.ends_with('|');
  std::string plain =
      WithPlainCharacters(is_row ? line.substr(0, line.rfind('|')) : WithoutFrame(line));
  if (HasText(plain, "%|")) plain = WithoutProgress(plain);
  if (RestoreEscaped(plain, level, lines)) return true;
  if (plain == line) return false;
  AddLines(plain, level, lines);
  return true;
}

}  // namespace

bool RestorePastedLine(std::string_view line, std::vector<std::string>& lines) {
  lines.clear();
  return Restore(line, 0, lines);
}

void RestoreQuoted(std::string_view line, size_t open, std::vector<std::string>& lines) {
  AddLiterals(line, open, 0, lines);
}

}  // namespace shapewise
