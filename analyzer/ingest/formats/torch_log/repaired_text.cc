#include "ingest/formats/torch_log/repaired_text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "ingest/formats/torch_log/log_prefix.h"
#include "ingest/messages/frame_line.h"
#include "ingest/messages/message_table.h"
#include "shapewise/model/guard.h"
#include "shapewise/support/terminal_text.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// A text that was escaped twice has been through two encoders; more are not known.
constexpr int kMaxLevels = 3;

// Longer than any progress bar, with its description.
constexpr size_t kMaxProgress = 400;

/// Characters that editors, word processors and web pages put in the place of others. "&amp;" is
/// the last one, so that "&amp;lt;" becomes "&lt;".
constexpr std::pair<std::string_view, std::string_view> kReplacements[] = {
    {"&lt;", "<"},          {"&gt;", ">"},         {"&quot;", "\""},      {"&#34;", "\""},
    {"&#39;", "'"},         {"&#x27;", "'"},       {"&apos;", "'"},       {"&nbsp;", " "},
    {"\xc2\xa0", " "},      {"\xe2\x80\x98", "'"}, {"\xe2\x80\x99", "'"}, {"\xe2\x80\x9c", "\""},
    {"\xe2\x80\x9d", "\""}, {"\xe2\x80\x8b", ""},  {"&amp;", "&"},
};

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

/// Replaces entities and typographic characters.
std::string WithPlainCharacters(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    const auto found = c != '&' && c != '\xc2' && c != '\xe2'
                           ? std::end(kReplacements)
                           : std::find_if(std::begin(kReplacements), std::end(kReplacements),
                                          [&](const auto& pair) {
                                            return text.substr(i).starts_with(pair.first);
                                          });
    if (found == std::end(kReplacements)) {
      plain += c;
      ++i;
    } else {
      plain += found->second;
      i += found->first.size();
    }
  }
  return plain;
}

/// The end of the progress bar "12%|##  | 12/100 [00:05<00:40,  2.1it/s]" whose "%|" is at `at`;
/// kNotFound if it is none.
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

/// Whether a line of torch's output begins at the front of `text`.
bool BeginsTorchLine(std::string_view text) {
  text = text.substr(0, 400);
  const ForeignPrefix foreign = ParseForeignPrefix(text);
  LogPrefix prefix;
  // Labels of launchers may stand before it, but not the rest of a path: "D:\\work\\net\\a.py".
  const auto is_label = [&](size_t end) {
    const std::string_view before = text.substr(0, end);
    return before.find('\\') == kNotFound && !HasText(before, ".py");
  };
  if (FindLogPrefix(text, foreign.length, prefix) && is_label(prefix.begin) &&
      (prefix.names_torch || !prefix.artifact.empty())) {
    return true;
  }
  if (BeginsInnerLine(RecordKind::kNone, text.substr(foreign.length))) return true;
  const MessageStart start = FindMessage(text);
  return start.kind != RecordKind::kNone && start.kind != RecordKind::kWarning &&
         is_label(start.offset);
}

/// Where the next escape "\n" of `text` is that begins a line of torch's; kNotFound if none does.
size_t FindEscapedTorchLine(std::string_view text) {
  for (size_t at = FindText(text, "\\n"); at != kNotFound; at = FindText(text, "\\n", at + 2)) {
    std::string_view next = text.substr(at + 2, 400);
    next = next.substr(0, FindText(next, "\\n"));
    while (next.starts_with("\\t")) next.remove_prefix(2);
    for (const std::string_view escape : {"\\x1b[", "\\u001b["}) {
      if (next.starts_with(escape)) next.remove_prefix(std::min(next.size(), next.find('m') + 1));
    }
    if (BeginsTorchLine(next)) return at;
    // The only line of a string.
    if (next.starts_with('\'') || next.starts_with('"')) {
      const size_t open = text.substr(0, at).find(next[0]);
      if (open != kNotFound && BeginsTorchLine(text.substr(open + 1, at - open - 1))) return at;
    }
  }
  return kNotFound;
}

/// The end of the string literal whose opening quote is at `open`, without its closing quote.
size_t LiteralEnd(std::string_view text, size_t open) {
  for (size_t i = open + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[open]) {
      return i;
    }
  }
  return kNotFound;
}

/// The member of a JSON object on one line that holds text of a log.
std::optional<std::string_view> LogMember(std::string_view line) {
  std::string_view key;
  for (size_t open = line.find('"'); open != kNotFound;) {
    const size_t end = LiteralEnd(line, open);
    if (end == kNotFound) return std::nullopt;
    const std::string_view text = line.substr(open + 1, end - open - 1);
    const std::string_view after = TrimLeft(line.substr(end + 1));
    if (after.starts_with(':')) {
      key = text;
    } else if (IsOneOf(key, {"log", "message", "msg", "text", "line", "content", "textPayload",
                             "MESSAGE", "body", "output", "stderr", "stdout", "data", "raw"})) {
      return text;
    }
    open = line.find('"', end + 1);
  }
  return std::nullopt;
}

/// What of `line` is the escaped text of a log.
std::optional<std::string_view> EscapedText(std::string_view line) {
  const std::string_view trimmed = Trim(line);
  if (trimmed.size() < 3) return std::nullopt;
  if (trimmed.front() == '{' && TrimLeft(trimmed.substr(1)).starts_with('"')) {
    if (const auto member = LogMember(trimmed)) return member;
  }
  if (trimmed.front() == '"' || trimmed.front() == '\'') {
    // A line of a list of strings, as notebooks store their output.
    const size_t end = LiteralEnd(trimmed, 0);
    const std::string_view after = end == kNotFound ? "?" : Trim(trimmed.substr(end + 1));
    const std::string_view text = trimmed.substr(1, end == kNotFound ? 0 : end - 1);
    LogPrefix prefix;
    const bool is_log = text.ends_with("\\n") || (FindLogPrefix(text.substr(0, 400), 0, prefix) &&
                                                  prefix.begin == 0 && prefix.names_torch);
    if ((after.empty() || after == ",") && is_log) {
      return text;
    }
  }
  const size_t at = FindEscapedTorchLine(line);
  if (at == kNotFound) return std::nullopt;
  // The literal that contains the escape; its quote is the one that comes first.
  for (size_t open = line.find_first_of("\"'"); open != kNotFound && open < at;
       open = line.find_first_of("\"'", open + 1)) {
    const bool is_apostrophe = open > 0 && IsWordChar(line[open - 1]) && open + 1 < line.size() &&
                               IsWordChar(line[open + 1]) && line[open - 1] != 'b' &&
                               line[open - 1] != 'f';
    if (is_apostrophe) continue;
    const size_t end = LiteralEnd(line, open);
    if (end == kNotFound) return line.substr(open + 1);
    if (end > at) return line.substr(open + 1, end - open - 1);
    open = end;
  }
  // The quotes were not copied. Torch's own line may show an escape inside of a value.
  LogPrefix prefix;
  std::string_view next = line.substr(at + 2, 400);
  next = next.substr(0, FindText(next, "\\n"));
  if (FindLogPrefix(line, 0, prefix) && prefix.begin < at && !FindLogPrefix(next, 0, prefix)) {
    return std::nullopt;
  }
  return line;
}

/// Undoes the escapes of Python's and of JSON's string literals.
std::string Unescaped(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain += text[i];
      continue;
    }
    const char c = text[++i];
    const size_t digits = c == 'u' ? 4 : c == 'x' ? 2 : 0;
    if (digits > 0) {
      uint32_t code = 0;
      size_t used = 0;
      for (; used < digits && i + 1 + used < text.size(); ++used) {
        const char digit = text[i + 1 + used];
        const int value = IsDigit(digit)                 ? digit - '0'
                          : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                          : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                                         : -1;
        if (value < 0) break;
        code = code * 16 + static_cast<uint32_t>(value);
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

bool Restore(std::string_view line, int level, std::vector<std::string>& lines) {
  // A single character is found several times faster than two, and most lines have none of these.
  const auto has = [line](char c) { return line.find(c) != kNotFound; };
  const bool has_mark = TrimLeft(line).starts_with('"') || has('&') || has('\xc2') || has('\xe2') ||
                        (has('\\') && HasText(line, "\\n")) || (has('%') && HasText(line, "%|"));
  if (level == kMaxLevels || !has_mark) return false;
  std::string text = WithPlainCharacters(line);
  if (HasText(text, "%|")) text = WithoutProgress(text);
  if (const auto escaped = EscapedText(text)) {
    std::string storage;
    std::string plain = Unescaped(*escaped);
    if (plain.ends_with('\n')) plain.pop_back();
    const std::string_view whole = StripEscapes(plain, storage);
    for (size_t begin = 0; begin <= whole.size();) {
      const size_t end = std::min(whole.find('\n', begin), whole.size());
      const std::string_view piece = whole.substr(begin, end - begin);
      if (!Restore(piece, level + 1, lines)) lines.emplace_back(piece);
      begin = end + 1;
    }
    return true;
  }
  if (text == line) return false;
  if (!Restore(text, level + 1, lines)) lines.push_back(std::move(text));
  return true;
}

/// "/w/train.py:12" at the end.
bool EndsInPlace(std::string_view text) {
  size_t digits = text.size();
  while (digits > 0 && IsDigit(text[digits - 1])) --digits;
  return digits < text.size() && digits > 0 && text[digits - 1] == ':';
}

/// Whether a bracket or a quote of the expression `text` is open at its end.
bool HasOpenBracket(std::string_view text) {
  int depth = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      // "isn't"
      const bool is_apostrophe = c == '\'' && i > 0 && IsWordChar(text[i - 1]) &&
                                 i + 1 < text.size() && IsWordChar(text[i + 1]);
      if (!is_apostrophe) quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    }
  }
  return depth > 0 || quote != 0;
}

/// The same for the reason of a recompile.
bool ReasonLacksItsEnd(std::string_view text) {
  text = Trim(text);
  const size_t comment = FindText(text, "  # ");
  if (comment != kNotFound) return text.ends_with(" in") || text.ends_with("#");
  if (HasText(text, "tensor '") && !HasText(text, ", actual ") &&
      !HasText(text, "requires_grad=")) {
    return true;
  }
  for (const std::string_view end : {"=", "<", ">", "%", "+", "*", ",", " and", " or", " not",
                                     " in", " is", " actual", " expected", "mismatch at"}) {
    if (text.ends_with(end)) return true;
  }
  for (const auto& [front, end] : {std::pair<std::string_view, std::string_view>{
                                       "Guard failed on a parameter", "on parameters."},
                                   {"BACKEND_MATCH failure", "https://"},
                                   {"Cache line invalidated", "deallocated"},
                                   {"Unexpected recompilation", "https://"}}) {
    if (HasText(text, front) && !HasText(text, end)) return true;
  }
  return HasOpenBracket(text);
}

}  // namespace

bool RestorePastedLine(std::string_view line, std::vector<std::string>& lines) {
  lines.clear();
  return Restore(line, 0, lines);
}

bool IsSameCarrier(std::string_view carrier, std::string_view text) {
  if (carrier.empty() || text.size() < carrier.size()) return false;
  for (size_t i = 0; i < carrier.size(); ++i) {
    if (carrier[i] != text[i] && !(IsDigit(carrier[i]) && IsDigit(text[i]))) return false;
  }
  return true;
}

bool LacksItsEnd(std::string_view line) {
  std::string_view text = Trim(line);
  if (text.starts_with("File \"")) {
    CodePlace place;
    return !ParseFrameLine(text, place) || place.line == 0 || text.ends_with(", in");
  }
  if (HasText(text, "please visit: http")) return !text.ends_with(".html");
  if (ConsumeFront(text, "torch._dynamo hit config.")) {
    while (!text.empty() && IsWordChar(text[0])) text.remove_prefix(1);
    text = TrimLeft(text);
    return text.starts_with('(') ? !HasText(text, ")") : !HasText(text, "function: ");
  }
  if (text.starts_with("function:")) return !HasText(text, ")") || HasOpenBracket(text);
  if (text.starts_with("Recompiling function")) {
    return !EndsInPlace(text) && !HasText(text, "guard failure");
  }
  if (text.starts_with("triggered by")) return !HasText(text, "guard failure");
  if (text.starts_with("Graph break in user code at"))
    return !EndsInPlace(text) && !HasText(text, "Reason: ");
  if (text.starts_with("To log all recompilation")) return !HasText(text, "recompiles");
  if (text.starts_with("To diagnose recompilation")) return !HasText(text, "http");
  if (text.starts_with("- You marked ") || text.starts_with("- Not all values of ")) {
    return !text.ends_with('.') && !text.ends_with(')');
  }
  if (text.starts_with("skipping cudagraph")) return HasOpenBracket(text);
  if (text.starts_with("skipping: ")) return !text.ends_with(')');
  if (ConsumeFront(text, "last reason:") || ConsumeFront(text, "reasons:") ||
      ConsumeFront(text, "- ")) {
    return ReasonLacksItsEnd(text);
  }
  return false;
}

bool HasCutComment(std::string_view line) {
  const size_t comment = FindText(line, " # ");
  const size_t place = comment == kNotFound ? kNotFound : FindText(line, ".py:", comment);
  return comment != kNotFound && (place == kNotFound || !HasText(line.substr(place), " in "));
}

bool IsParagraph(std::string_view line) {
  line = Trim(line);
  return line.starts_with("Explanation: ") || line.starts_with("Hint: ") ||
         line.starts_with("Developer debug context: ");
}

bool IsCutPrefix(std::string_view line) {
  if (line.size() < 30 || line.size() > 400) return false;
  const std::string_view text = TrimLeft(line.substr(ParseForeignPrefix(line).length));
  const bool is_old = text.starts_with("[20");
  if (text.size() < 30 || (!is_old && !IsDigit(text[1]))) return false;
  LogPrefix prefix;
  if (FindLogPrefix(text, 0, prefix)) {
    // A tag was split: "... x.py:12] [0/1] [__recom".
    const std::string_view tag = text.substr(prefix.text_begin);
    return prefix.style != PrefixStyle::kTrimmed && tag.starts_with('[') && tag.size() < 24 &&
           tag.find_first_of("] ") == kNotFound;
  }
  // "W1121 03:52:28.504000 13405 /x/site-packages/torch/_dyn" and the older form.
  const std::string completed = std::string(text) + (is_old ? ": [DEBUG] " : "torch/x.py:1] ");
  return HasText(text, "torch") && FindLogPrefix(completed, 0, prefix) && prefix.begin == 0 &&
         (prefix.style == PrefixStyle::kGlog || prefix.style == PrefixStyle::kLogger);
}

bool WasWrappedAtBlank(std::string_view line, std::string_view tail) {
  const std::string glued = std::string(line) + std::string(tail);
  const std::string spaced = std::string(line) + " " + std::string(tail);
  if (LacksItsEnd(glued) != LacksItsEnd(spaced)) return LacksItsEnd(glued);
  const auto class_of = [](std::string_view text) {
    text = Trim(text);
    if (!ConsumeFront(text, "last reason: ")) ConsumeFront(text, "- ");
    return ParseGuardFailure(text).guard_class;
  };
  const bool glued_is_known = class_of(glued) != GuardClass::kOther;
  const bool spaced_is_known = class_of(spaced) != GuardClass::kOther;
  if (glued_is_known != spaced_is_known) return spaced_is_known;
  constexpr std::string_view kInsideNames = "/\\_.[('\"";
  return line.empty() || tail.empty() ||
         (kInsideNames.find(line.back()) == kNotFound &&
          std::string_view("/\\_.[]()'\",:").find(tail.front()) == kNotFound);
}

}  // namespace shapewise
