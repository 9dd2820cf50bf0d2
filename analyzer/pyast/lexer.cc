#include "pyast/lexer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "support/text_scan.h"

namespace shapewise::pyast {
namespace {

// CPython's limits (MAXLEVEL and MAXINDENT in Parser/lexer/state.h).
constexpr size_t kMaxBrackets = 200;
constexpr size_t kMaxIndents = 100;
constexpr uint32_t kTabSize = 8;
/// Text with more faults is not Python.
constexpr size_t kMaxFaults = 100;

constexpr std::string_view kKeywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

// Keywords that never occur in an expression.
constexpr Tok kStatementKeywords[] = {
    Tok::kAssert, Tok::kBreak,  Tok::kClass,   Tok::kContinue, Tok::kDef,    Tok::kDel,
    Tok::kElif,   Tok::kExcept, Tok::kFinally, Tok::kGlobal,   Tok::kImport, Tok::kNonlocal,
    Tok::kPass,   Tok::kRaise,  Tok::kReturn,  Tok::kTry,      Tok::kWhile,  Tok::kWith};

constexpr size_t kMaxKeyword = 8;

constexpr size_t KeywordSlot(std::string_view name) {
  return (static_cast<size_t>(name[0]) * 11 + static_cast<size_t>(name[1]) * 3 +
          static_cast<size_t>(name.back()) * 5 + name.size()) %
         256;
}

/// A hash table of keywords with linear probing.
constexpr auto kKeywordTable = [] {
  std::array<uint8_t, 257> table{};
  for (size_t i = 0; i < std::size(kKeywords); ++i) {
    size_t slot = KeywordSlot(kKeywords[i]);
    while (table[slot] != 0) ++slot;
    table[slot] = static_cast<uint8_t>(i + 1);
  }
  return table;
}();

Tok KindOfName(std::string_view name) {
  if (name.size() < 2 || name.size() > kMaxKeyword) return Tok::kName;
  for (size_t slot = KeywordSlot(name); kKeywordTable[slot] != 0; ++slot) {
    const size_t index = kKeywordTable[slot] - size_t{1};
    if (kKeywords[index] == name) {
      return static_cast<Tok>(static_cast<size_t>(Tok::kFalse) + index);
    }
  }
  return Tok::kName;
}

constexpr auto kIsNameByte = [] {
  std::array<bool, 256> table{};
  for (size_t c = 0; c < table.size(); ++c) {
    table[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c >= 0x80;
  }
  return table;
}();

bool IsNameByte(char c) { return kIsNameByte[static_cast<unsigned char>(c)]; }

/// Names, numbers, blanks, and operators that never change how the text after them is read.
constexpr auto kIsPlainByte = [] {
  std::array<bool, 256> table = kIsNameByte;
  for (const char c : std::string_view(" \t\f.,:;=+-*/<>@%&|^~!")) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}();

bool IsStringPrefix(std::string_view name) {
  if (name.size() > 2) return false;
  return std::ranges::all_of(
      name, [](char c) { return std::string_view("rRbBuUfFtT").find(c) != kNotFound; });
}

/// The tokens of an operator character: alone, before "=", twice, and twice before "=".
struct OperatorTokens {
  Tok alone = Tok::kError;
  Tok with_equal = Tok::kError;
  Tok twice = Tok::kError;
  Tok twice_with_equal = Tok::kError;
};

constexpr std::pair<char, OperatorTokens> kOperatorRows[] = {
    {',', {Tok::kComma}},
    {';', {Tok::kSemicolon}},
    {'.', {Tok::kDot}},
    {'~', {Tok::kTilde}},
    {':', {Tok::kColon, Tok::kColonEqual}},
    {'!', {Tok::kExclamation, Tok::kNotEqual}},
    {'=', {Tok::kEqual, Tok::kEqualEqual}},
    {'+', {Tok::kPlus, Tok::kPlusEqual}},
    {'-', {Tok::kMinus, Tok::kMinusEqual}},
    {'@', {Tok::kAt, Tok::kAtEqual}},
    {'%', {Tok::kPercent, Tok::kPercentEqual}},
    {'|', {Tok::kPipe, Tok::kPipeEqual}},
    {'^', {Tok::kCaret, Tok::kCaretEqual}},
    {'&', {Tok::kAmpersand, Tok::kAmpersandEqual}},
    {'*', {Tok::kStar, Tok::kStarEqual, Tok::kDoubleStar, Tok::kDoubleStarEqual}},
    {'/', {Tok::kSlash, Tok::kSlashEqual, Tok::kDoubleSlash, Tok::kDoubleSlashEqual}},
    {'<', {Tok::kLess, Tok::kLessEqual, Tok::kLeftShift, Tok::kLeftShiftEqual}},
    {'>', {Tok::kGreater, Tok::kGreaterEqual, Tok::kRightShift, Tok::kRightShiftEqual}},
};

/// OperatorTokens by character.
constexpr auto kOperators = [] {
  std::array<OperatorTokens, 256> table{};
  for (const auto& [c, row] : kOperatorRows) table[static_cast<size_t>(c)] = row;
  return table;
}();

constexpr std::string_view kBrackets = "()[]{}";

/// Indices into kBrackets by character.
constexpr auto kBracketIndex = [] {
  std::array<uint8_t, 128> table{};
  for (size_t i = 0; i < kBrackets.size(); ++i) {
    table[static_cast<size_t>(kBrackets[i])] = static_cast<uint8_t>(i);
  }
  return table;
}();

}  // namespace

void Lexer::Reset(std::string_view text, Mode mode, bool is_printed) {
  // Offsets have 32 bits.
  text_ = text.substr(0, UINT32_MAX - 1);
  mode_ = mode;
  is_printed_ = is_printed;
  at_ = text_.starts_with("\xef\xbb\xbf") ? 3 : 0;
  is_line_begin_ = mode != Mode::kExpression;
  has_tokens_ = is_cut_ = has_fault_ = false;
  pending_ = 0;
  indents_.assign(1, 0);
  brackets_.clear();
  strings_.clear();
  comments_.clear();
  faults_.clear();
  std::ranges::fill(unclosed_until_, 0);
}

Token Lexer::Make(Tok kind, size_t end) {
  const Token token{kind, static_cast<uint32_t>(at_), static_cast<uint32_t>(end)};
  at_ = end;
  has_tokens_ = true;
  return token;
}

/// Measures the indentation of the next line, skipping blank lines and comments.
void Lexer::BeginLine() {
  is_line_begin_ = false;
  uint32_t column = 0;
  constexpr std::string_view kBlanks = "    ";
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == ' ') {
      for (; text_.substr(at_ + 1, kBlanks.size()) == kBlanks; at_ += kBlanks.size()) {
        column += static_cast<uint32_t>(kBlanks.size());
      }
      ++column;
    } else if (c == '\t') {
      column = (column / kTabSize + 1) * kTabSize;
    } else if (c == '\f') {
      column = 0;
    } else if (c == '\\' && At(at_ + 1) != '\0' && IsAtLineEnd(at_ + 1)) {
      at_ = AfterLineEnd(at_ + 1) - 1;
    } else if (c == '#') {
      const size_t end = LineEnd(at_);
      comments_.push_back({static_cast<uint32_t>(at_), static_cast<uint32_t>(end)});
      at_ = end - 1;
    } else if (IsAtLineEnd(at_)) {
      at_ = AfterLineEnd(at_) - 1;
      column = 0;
    } else {
      break;
    }
  }
  if (at_ >= text_.size()) return;
  if (mode_ == Mode::kBlock) {
    mode_ = Mode::kLines;
    indents_.back() = column;
  }
  if (column > indents_.back() && indents_.size() < kMaxIndents) {
    indents_.push_back(column);
    pending_ = 1;
    return;
  }
  while (column < indents_.back() && indents_.size() > 1) {
    // A line between two levels counts as the inner one.
    if (column > indents_[indents_.size() - 2]) {
      AddFault(at_, "unindent does not match any outer indentation level");
      indents_.back() = column;
      return;
    }
    indents_.pop_back();
    --pending_;
  }
}

/// Skips blanks, comments and line continuations. False: the logical line ends here.
bool Lexer::SkipBlanks() {
  const bool is_joined = !brackets_.empty() || mode_ == Mode::kExpression;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\f') {
      ++at_;
    } else if (c == '#') {
      const size_t end = LineEnd(at_);
      comments_.push_back({static_cast<uint32_t>(at_), static_cast<uint32_t>(end)});
      at_ = end;
    } else if (c == '\\' && at_ + 1 < text_.size() && IsAtLineEnd(at_ + 1)) {
      at_ = AfterLineEnd(at_ + 1);
    } else if (c == '\n' || c == '\r') {
      if (!is_joined) return false;
      at_ = AfterLineEnd(at_);
      if (mode_ != Mode::kExpression && BeginsStatement()) return false;
    } else {
      return true;
    }
  }
  return true;
}

/// Whether the line at at_ begins with a keyword that never occurs in an expression.
bool Lexer::BeginsStatement() const {
  size_t begin = at_;
  while (begin < text_.size() && (text_[begin] == ' ' || text_[begin] == '\t')) ++begin;
  size_t end = begin;
  while (end < text_.size() && end - begin <= kMaxKeyword && IsNameByte(text_[end])) ++end;
  const Tok kind = KindOfName(text_.substr(begin, end - begin));
  return std::ranges::find(kStatementKeywords, kind) != std::end(kStatementKeywords);
}

/// Ends the logical line.
Token Lexer::NewLine() {
  if (!brackets_.empty() || !strings_.empty()) {
    if (!brackets_.empty()) {
      const OpenBracket& inner = brackets_.back();
      AddFault(inner.at, inner.bracket == '('   ? "'(' was never closed"
                         : inner.bracket == '[' ? "'[' was never closed"
                                                : "'{' was never closed");
    }
    brackets_.clear();
    strings_.clear();
    is_cut_ = true;
    return Make(Tok::kError, at_);
  }
  const Token token = Make(Tok::kNewline, at_);
  if (!is_cut_ && at_ < text_.size() && IsAtLineEnd(at_)) at_ = AfterLineEnd(at_);
  has_tokens_ = is_cut_ = has_fault_ = false;
  is_line_begin_ = true;
  return token;
}

Token Lexer::Next() {
  if (is_line_begin_) BeginLine();
  if (pending_ != 0) {
    const bool is_indent = pending_ > 0;
    pending_ += is_indent ? -1 : 1;
    const auto at = static_cast<uint32_t>(at_);
    return {is_indent ? Tok::kIndent : Tok::kDedent, at, at};
  }
  if (!strings_.empty() && (!strings_.back().is_in_field || strings_.back().is_in_spec)) {
    return LexMiddle();
  }
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  const char first = At(at_);
  const bool is_plain = first > ' ' && first != '#' && first != '\\';
  if (is_cut_ || (!is_plain && !SkipBlanks())) return NewLine();
  if (at_ >= text_.size()) {
    if (mode_ != Mode::kExpression && has_tokens_) return NewLine();
    if (!brackets_.empty() || !strings_.empty()) return NewLine();
    const auto at = static_cast<uint32_t>(at_);
    if (indents_.size() == 1) return {Tok::kEnd, at, at};
    indents_.pop_back();
    return {Tok::kDedent, at, at};
  }
  const char c = text_[at_];
  switch (c) {
    case '(':
    case ')':
    case '[':
    case ']':
    case '{':
    case '}':
      return LexBracket(c);
    case '"':
    case '\'':
      return LexString(at_);
    default:
      if (IsDigit(c) || (c == '.' && IsDigit(At(at_ + 1)))) return LexNumber();
      return IsNameByte(c) ? LexName() : LexOperator();
  }
}

void Lexer::SkipPlain() {
  if (is_line_begin_ || is_cut_ || pending_ != 0 || !strings_.empty()) return;
  size_t end = at_;
  while (end < text_.size() && kIsPlainByte[static_cast<unsigned char>(text_[end])]) ++end;
  // The prefix of a string belongs to it.
  if (end < text_.size() && (text_[end] == '"' || text_[end] == '\'')) {
    while (end > at_ && IsNameByte(text_[end - 1])) --end;
  }
  at_ = end;
}

Token Lexer::LexName() {
  size_t end = at_ + 1;
  while (end < text_.size() && IsNameByte(text_[end])) ++end;
  const std::string_view name = text_.substr(at_, end - at_);
  if (end < text_.size() && (text_[end] == '"' || text_[end] == '\'') && IsStringPrefix(name)) {
    return LexString(end);
  }
  return Make(KindOfName(name), end);
}

Token Lexer::LexNumber() {
  size_t end = at_;
  const auto take_digits = [&](auto is_digit) {
    while (is_digit(At(end)) || (At(end) == '_' && is_digit(At(end + 1)))) ++end;
  };
  const char kind = static_cast<char>(At(at_ + 1) | 0x20);
  if (At(at_) == '0' && (kind == 'x' || kind == 'o' || kind == 'b')) {
    end += 2;
    take_digits([&](char c) {
      if (kind == 'x') return IsDigit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
      return c >= '0' && c <= (kind == 'o' ? '7' : '1');
    });
    return Make(end > at_ + 2 ? Tok::kNumber : Tok::kError, end);
  }
  take_digits(IsDigit);
  if (At(end) == '.') {
    ++end;
    take_digits(IsDigit);
  }
  if ((At(end) | 0x20) == 'e') {
    const size_t sign = At(end + 1) == '+' || At(end + 1) == '-' ? 1 : 0;
    if (IsDigit(At(end + 1 + sign))) {
      end += 1 + sign;
      take_digits(IsDigit);
    }
  }
  if ((At(end) | 0x20) == 'j') ++end;
  return Make(Tok::kNumber, end);
}

/// An error token up to the end of the line; `begin`: start of the text after the quotes. In
/// printed text, a quote may be an apostrophe.
Token Lexer::LexUnclosed(size_t begin, bool is_triple) {
  AddFault(at_,
           is_triple ? "unterminated triple-quoted string literal" : "unterminated string literal");
  if (is_printed_) return Make(Tok::kError, std::min(at_ + 1, text_.size()));
  strings_.clear();
  brackets_.clear();
  return Make(Tok::kError, std::min(text_.find_first_of("\r\n", begin), text_.size()));
}

/// The first byte from `at` on that may end a string with these quotes, or not be its text.
size_t Lexer::SkipStringText(size_t at, char quote) const {
  constexpr size_t kBlock = 16;
  const auto ends = [quote](char c) {
    return static_cast<uint8_t>((c == quote ? 1 : 0) | (c == '\\' ? 1 : 0) | (c == '\n' ? 1 : 0) |
                                (c == '\r' ? 1 : 0));
  };
  for (; at + kBlock <= text_.size(); at += kBlock) {
    uint8_t any = 0;
    for (size_t i = 0; i < kBlock; ++i) any |= ends(text_[at + i]);
    if (any != 0) break;
  }
  while (at < text_.size() && ends(text_[at]) == 0) ++at;
  return at;
}

/// A string whose prefix begins at at_ and whose quotes begin at `quote_at`.
Token Lexer::LexString(size_t quote_at) {
  const char quote = text_[quote_at];
  const std::string_view prefix = text_.substr(at_, quote_at - at_);
  const bool is_triple = At(quote_at + 1) == quote && At(quote_at + 2) == quote;
  size_t end = quote_at + (is_triple ? 3 : 1);
  if (at_ < UnclosedUntil(quote, is_triple)) return LexUnclosed(end, is_triple);
  if (prefix.find_first_of("fFtT") != kNotFound) {
    FString string;
    string.quote = quote;
    string.is_triple = is_triple;
    string.is_raw = prefix.find_first_of("rR") != kNotFound;
    if (strings_.size() >= kMaxBrackets) return LexUnclosed(end, is_triple);
    strings_.push_back(string);
    return Make(Tok::kFStringStart, end);
  }
  for (;; ++end) {
    end = SkipStringText(end, quote);
    if (end >= text_.size()) break;
    const char c = text_[end];
    if (c == '\\') {
      // "\r\n" after a backslash is one line end.
      if (At(end + 1) == '\r' && At(end + 2) == '\n') ++end;
      ++end;
    } else if (c == quote) {
      if (!is_triple) return Make(Tok::kString, end + 1);
      if (At(end + 1) == quote && At(end + 2) == quote) return Make(Tok::kString, end + 3);
    } else if (!is_triple && (c == '\n' || c == '\r')) {
      break;
    }
  }
  UnclosedUntil(quote, is_triple) = end;
  return LexUnclosed(is_triple ? quote_at + 3 : std::min(end, text_.size()), is_triple);
}

/// The text of an f-string up to a field or the end of the string.
Token Lexer::LexMiddle() {
  FString& string = strings_.back();
  size_t end = at_;
  for (; end < text_.size(); ++end) {
    const char c = text_[end];
    if (c == string.quote && (!string.is_triple || (At(end + 1) == c && At(end + 2) == c))) {
      if (end > at_) return Make(Tok::kFStringMiddle, end);
      if (string.is_in_spec) break;
      const size_t size = string.is_triple ? 3 : 1;
      strings_.pop_back();
      return Make(Tok::kFStringEnd, end + size);
    }
    if (c == '\n' || c == '\r') {
      if (!string.is_triple) break;
    } else if (c == '\\' && end + 1 < text_.size()) {
      if (text_.substr(end, 3) == "\\N{" && !string.is_raw && !string.is_in_spec) {
        const size_t close = text_.find_first_of("}\n", end);
        if (close != kNotFound && text_[close] == '}') end = close;
      } else if (text_[end + 1] != '{' && text_[end + 1] != '}') {
        end = AfterLineEnd(end + 1) - 1;
      }
    } else if (c == '{' || c == '}') {
      const bool is_doubled = At(end + 1) == c && !string.is_in_spec;
      if (is_doubled) {
        ++end;
        continue;
      }
      if (end > at_) return Make(Tok::kFStringMiddle, end);
      if (c == '{') return LexBracket(c);
      if (!string.is_in_spec) break;
      return LexBracket(c);
    }
  }
  // The string is not closed, so its fields are not read.
  const bool is_triple = string.is_triple;
  UnclosedUntil(string.quote, is_triple) = end;
  strings_.clear();
  return LexUnclosed(std::min(end, text_.size()), is_triple);
}

Token Lexer::LexBracket(char c) {
  const size_t index = kBracketIndex[static_cast<size_t>(c)];
  const auto kind = static_cast<Tok>(static_cast<size_t>(Tok::kOpenParen) + index);
  if (index % 2 == 0) {
    if (brackets_.size() >= kMaxBrackets) {
      AddFault(at_, "too many nested parentheses");
      return Make(Tok::kError, at_ + 1);
    }
    brackets_.push_back({c, static_cast<uint32_t>(at_)});
    if (!strings_.empty() && c == '{' &&
        (!strings_.back().is_in_field || strings_.back().is_in_spec)) {
      // A field, in the text or in the format of another field, is its own level.
      FString& string = strings_.back();
      if (string.is_in_spec) {
        if (strings_.size() >= kMaxBrackets) return Make(Tok::kError, at_ + 1);
        strings_.push_back(string);
        strings_.back().is_in_spec = false;
      }
      strings_.back().is_in_field = true;
      strings_.back().depth = brackets_.size();
    }
    return Make(kind, at_ + 1);
  }
  const bool matches = !brackets_.empty() && brackets_.back().bracket == kBrackets[index - 1];
  if (!matches) {
    CloseMismatched(kBrackets[index - 1]);
    return Make(Tok::kError, at_ + 1);
  }
  if (!strings_.empty() && strings_.back().is_in_field &&
      brackets_.size() == strings_.back().depth) {
    strings_.back().is_in_field = strings_.back().is_in_spec = false;
    // Back in the format that contained this field.
    if (strings_.size() > 1 && strings_[strings_.size() - 2].is_in_spec) strings_.pop_back();
  }
  brackets_.pop_back();
  return Make(kind, at_ + 1);
}

/// A closing bracket that does not match the innermost open one. Closes the matching one, or else
/// the innermost, so that the line ends where it appears to.
void Lexer::CloseMismatched(char opening) {
  if (brackets_.empty()) {
    return AddFault(at_, opening == '('   ? "unmatched ')'"
                         : opening == '[' ? "unmatched ']'"
                                          : "unmatched '}'");
  }
  AddFault(at_, "closing bracket does not match its opening one");
  if (!strings_.empty() || is_printed_) return;
  const auto own = std::find_if(brackets_.rbegin(), brackets_.rend(),
                                [&](const OpenBracket& open) { return open.bracket == opening; });
  const auto num_closed = own == brackets_.rend() ? 1 : own - brackets_.rbegin() + 1;
  brackets_.resize(brackets_.size() - static_cast<size_t>(num_closed));
}

void Lexer::AddFault(size_t begin, const char* message) {
  if (has_fault_ || faults_.size() >= kMaxFaults) return;
  has_fault_ = true;
  const auto at = static_cast<uint32_t>(begin);
  faults_.push_back({{at, std::min(at + 1, static_cast<uint32_t>(text_.size()))}, message});
}

Token Lexer::LexOperator() {
  const char c = text_[at_];
  if (c == '%' && is_printed_ && IsNameByte(At(at_ + 1)) && !IsDigit(At(at_ + 1))) {
    size_t end = at_ + 1;
    while (end < text_.size() && IsNameByte(text_[end])) ++end;
    return Make(Tok::kName, end);
  }
  if (!strings_.empty() && strings_.back().depth == brackets_.size() &&
      (c == ':' || (c == '!' && At(at_ + 1) != '='))) {
    if (c == ':') strings_.back().is_in_spec = true;
    return Make(c == ':' ? Tok::kColon : Tok::kExclamation, at_ + 1);
  }
  const OperatorTokens& row = kOperators[static_cast<unsigned char>(c)];
  const char next = At(at_ + 1);
  if (next == c && row.twice != Tok::kError) {
    if (At(at_ + 2) == '=') return Make(row.twice_with_equal, at_ + 3);
    return Make(row.twice, at_ + 2);
  }
  if (next == '=' && row.with_equal != Tok::kError) return Make(row.with_equal, at_ + 2);
  if (c == '-' && next == '>') return Make(Tok::kArrow, at_ + 2);
  if (c == '.' && next == '.' && At(at_ + 2) == '.') return Make(Tok::kEllipsis, at_ + 3);
  return Make(row.alone, at_ + 1);
}

}  // namespace shapewise::pyast
