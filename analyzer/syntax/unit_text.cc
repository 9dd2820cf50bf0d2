#include "syntax/unit_text.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>

namespace shapewise {
namespace {

/// Who has so many has no Python.
constexpr size_t kMaxFaults = 100;

/// Of which a folded token is made, twice: the first stands for its begin, the second for its end.
constexpr char kFolded = 'x';

bool IsKeyword(std::string_view word) {
  const auto is = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
  };
  if (word.size() > 8) return false;
  switch (word.front()) {
    case 'F':
    case 'T':
    case 'N':
      return is({"False", "True", "None"});
    case 'a':
      return is({"and", "as", "assert", "async", "await"});
    case 'b':
      return word == "break";
    case 'c':
      return is({"class", "continue"});
    case 'd':
      return is({"def", "del"});
    case 'e':
      return is({"elif", "else", "except"});
    case 'f':
      return is({"finally", "for", "from"});
    case 'g':
      return word == "global";
    case 'i':
      return is({"if", "import", "in", "is"});
    case 'l':
      return word == "lambda";
    case 'n':
      return is({"nonlocal", "not"});
    case 'o':
      return word == "or";
    case 'p':
      return word == "pass";
    case 'r':
      return is({"raise", "return"});
    case 't':
      return word == "try";
    case 'w':
      return is({"while", "with"});
    case 'y':
      return word == "yield";
    default:
      return false;
  }
}

bool IsSoftKeyword(std::string_view word) {
  return word == "match" || word == "case" || word == "type";
}

/// The place of the first of `stops` that stands in no bracket of `text` at or after `at`; npos:
/// nowhere. The text has no comments, and its plain strings are empty.
size_t FindOutside(std::string_view text, size_t at, std::string_view stops) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (depth == 0 && stops.find(c) != std::string_view::npos) return at;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
  }
  return std::string_view::npos;
}

size_t SkipName(std::string_view text, size_t at) {
  while (at < text.size() && IsPythonNameChar(text[at])) ++at;
  return at;
}

/// Behind the number at `at`.
const char* SkipNumber(const char* at, const char* end) {
  const bool has_base = end - at > 1 && *at == '0' && (at[1] == 'x' || at[1] == 'X');
  while (at < end && (IsPythonNameChar(*at) || *at == '.')) {
    const bool is_exponent = !has_base && (*at == 'e' || *at == 'E');
    ++at;
    if (is_exponent && at < end && (*at == '+' || *at == '-')) ++at;
  }
  return at;
}

bool IsInteger(std::string_view number) {
  if (number.find_first_not_of("0123456789") != std::string_view::npos) return false;
  return number.front() != '0' || number.size() == 1;
}

/// Digits, of which a point may stand among, and an exponent.
bool IsFloat(std::string_view number) {
  const size_t exponent = std::min(number.find_first_of("eE"), number.size());
  std::string_view power = number.substr(exponent);
  if (!power.empty()) {
    power.remove_prefix(1);
    if (!power.empty() && (power.front() == '+' || power.front() == '-')) power.remove_prefix(1);
    if (power.empty() || power.find_first_not_of("0123456789") != std::string_view::npos) {
      return false;
    }
  }
  const std::string_view mantissa = number.substr(0, exponent);
  return mantissa.find_first_not_of("0123456789.") == std::string_view::npos &&
         std::ranges::count(mantissa, '.') <= 1;
}

size_t SkipBlanks(std::string_view text, size_t at) {
  while (at < text.size() && IsPythonBlank(text[at])) ++at;
  return at;
}

}  // namespace

void UnitText::Build(std::string_view text, llvm::ArrayRef<FileSpan> ranges,
                     std::vector<SyntaxFault>& faults) {
  text_.clear();
  lines_.clear();
  pieces_.clear();
  hint_ = 0;
  columns_.clear();
  opens_block_ = false;
  faults_ = &faults;
  unit_ = text.data() + ranges.front().begin;
  unit_bytes_ = static_cast<uint32_t>(ranges.back().end - ranges.front().begin);
  const char* gap = nullptr;
  for (const FileSpan& range : ranges) {
    const char* begin = text.data() + range.begin;
    const char* end = text.data() + range.end;
    if (gap != nullptr && gap < begin) AddGap(gap, begin);
    gap = end;
    if (range.begin == 0 && text.starts_with("\xEF\xBB\xBF")) begin = std::min(begin + 3, end);
    LogicalLineReader<UnitText> lines(begin, end, *this);
    LogicalLine line;
    while (lines.Next(line)) EndLine(line);
  }
  // What was taken out may be the last of the unit.
  if (opens_block_ && gap < text.data() + text.size()) AddGap(gap, text.data() + text.size());
  if (opens_block_) Fault(LineFault::kNoIndent, gap);
  // A null byte is the end of the text to tree-sitter, and a backquote the begin of a string.
  constexpr std::string_view kHidden("\0`", 2);
  for (size_t at = 0; (at = text_.find_first_of(kHidden, at)) != std::string::npos; ++at) {
    if (text_[at] == '\0')
      Fault(LineFault::kNullByte, unit_ + Original(static_cast<uint32_t>(at), 0).begin);
    text_[at] = '\x01';
  }
}

void UnitText::Begin(const LogicalLine& line) {
  if (columns_.empty()) columns_.push_back(line.column);
  if (line.column > columns_.back()) {
    if (opens_block_) {
      columns_.push_back(line.column);
    } else {
      Fault(LineFault::kIndent, line.first);
    }
  } else {
    if (opens_block_) Fault(LineFault::kNoIndent, line.first);
    while (columns_.size() > 1 && columns_.back() > line.column) columns_.pop_back();
    if (columns_.back() != line.column) Fault(LineFault::kDedent, line.first);
  }
  first_ = given_ = line.first;
  string_end_ = std::string::npos;
  line_begin_ = text_.size();
  line_piece_ = pieces_.size();
  text_.append(columns_.size() - 1, ' ');
  BeginPiece(line.first);
}

void UnitText::Nothing(const char* begin, const char* end) {
  Flush(begin);
  if (const char last = text_.empty() ? ' ' : text_.back(); last != ' ' && last != '\n')
    text_ += ' ';
  given_ = end;
  BeginPiece(end);
}

void UnitText::String(const StringLiteral& literal) {
  Flush(literal.begin);
  // Literals side by side are one string, and a node of their own if one is formatted.
  const bool is_adjacent = string_end_ != std::string::npos &&
                           text_.find_first_not_of(' ', string_end_) == std::string::npos;
  const bool is_plain = literal.is_closed && !literal.is_formatted;
  if (is_plain && !(is_adjacent && !is_folded_)) {
    if (is_adjacent) {
      text_.resize(string_end_ - 1);
      while (pieces_.back().parsed > text_.size()) pieces_.pop_back();
    } else {
      SeparateName();
      BeginPiece(literal.begin);
      text_ += kFolded;
    }
    BeginPiece(literal.end - 1);
    text_ += kFolded;
    given_ = literal.end;
    BeginPiece(literal.end);
    is_folded_ = true;
  } else {
    if (is_adjacent && is_folded_) {
      text_[string_end_ - 2] = text_[string_end_ - 1] = '"';
    }
    if (is_adjacent) text_ += ' ';
    BeginPiece(literal.begin);
    AddLiteral(literal);
    is_folded_ = false;
  }
  string_end_ = text_.size();
}

void UnitText::AddLiteral(const StringLiteral& literal) {
  const size_t begin = text_.size();
  const char* text = literal.begin;
  while (*text != '"' && *text != '\'') ++text;
  const char* content = text + (literal.is_triple ? 3 : 1);
  const auto letters = static_cast<size_t>(text - literal.begin);
  if (literal.is_closed && literal.is_formatted) {
    text_.append(literal.begin, literal.end);
    if (literal.is_template) {
      for (size_t i = begin; i < begin + letters; ++i) {
        if (text_[i] == 't' || text_[i] == 'T') text_[i] = 'f';
      }
    }
  } else if (literal.is_closed) {
    text_ += '"';
    BeginPiece(literal.end - 1);
    text_ += '"';
  } else {
    // What closes it comes by Missing. An f-string is taken for a plain one: its braces may be
    // open.
    text_.append(letters, 'u');
    text_.append(text, content);
  }
  given_ = literal.end;
  BeginPiece(literal.end);
}

/// A string may follow a word without a blank, and be followed by one: `x if"a"else y`.
void UnitText::SeparateName() {
  if (!text_.empty() && IsPythonNameChar(text_.back())) text_ += ' ';
}

void UnitText::Fault(LineFault fault, const char* at) {
  if (faults_->size() >= kMaxFaults) return;
  const uint32_t place = PlaceOf(at);
  faults_->push_back({{place, place + 1}, std::string(MessageOf(fault))});
}

void UnitText::Missing(const char* at, std::string_view text) {
  Flush(at);
  for (const char c : text) {  // each of them is the last byte before
    BeginPiece(at - 1);
    text_ += c;
  }
  BeginPiece(at);
}

void UnitText::AddGap(const char* begin, const char* end) {
  LineObserver nobody;
  LogicalLineReader<LineObserver> lines(begin, end, nobody);
  LogicalLine line;
  if (!lines.Next(line)) return;
  if (opens_block_ && line.column <= columns_.back()) return;
  Begin(line);
  text_ += "pass\n";
  opens_block_ = false;
  AddLine();
}

void UnitText::EndLine(const LogicalLine& line) {
  opens_block_ = line.last[-1] == ':';
  Flush(line.last);
  text_ += '\n';
  if (*first_ == 'e') RewriteExcept();
  if (*first_ == 't' || *first_ == 'm') HideSoftKeyword();
  if (*first_ == 'd' || *first_ == 'c' || *first_ == 'a') BlankTypeParameters();
  AddLine();
}

void UnitText::AddLine() {
  const auto level = static_cast<uint32_t>(columns_.size() - 1);
  const size_t begin = line_begin_ + level;
  // Behind the last token there is the end of the line, and a blank where a comment was.
  size_t end = text_.size() - 1;
  while (end > begin && text_[end - 1] == ' ') --end;
  // A line that was nothing but a continuation has no token.
  if (end == begin) return;
  lines_.push_back({.begin = static_cast<uint32_t>(begin),
                    .end = static_cast<uint32_t>(end),
                    .level = level,
                    .opens_block = opens_block_});
}

void UnitText::Flush(const char* to) {
  if (to <= given_) return;
  if (string_end_ == text_.size() && is_folded_ && IsPythonNameChar(*given_)) {
    SeparateName();
    BeginPiece(given_);
  }
  const char* at = given_;
  given_ = to;
  while (at < to) {
    const char* begin = at;
    while (at < to && !IsPythonNameChar(*at)) ++at;
    if (begin != at) text_.append(begin, at);
    if (at == to) return;
    begin = at;
    if (*at >= '0' && *at <= '9') {
      at = SkipNumber(at, to);
      AddNumber({begin, static_cast<size_t>(at - begin)});
      continue;
    }
    while (at < to && IsPythonNameChar(*at)) ++at;
    const bool is_keyword = IsKeyword({begin, static_cast<size_t>(at - begin)});
    while (!is_keyword && to - at >= 2 && *at == '.' && IsPythonNameChar(at[1]) &&
           !(at[1] >= '0' && at[1] <= '9')) {
      ++at;
      while (at < to && IsPythonNameChar(*at)) ++at;
    }
    const std::string_view chain(begin, static_cast<size_t>(at - begin));
    if (is_keyword || chain.size() <= 2 || IsSoftKeyword(chain)) {
      text_ += chain;
      continue;
    }
    BeginPiece(begin);
    text_ += kFolded;
    BeginPiece(at - 1);
    text_ += kFolded;
    BeginPiece(at);
  }
}

void UnitText::AddNumber(std::string_view number) {
  // One number is as good as another. Those of other bases, imaginary ones and what is no number
  // are rare, and stay as they are.
  const bool is_float = number.find_first_of(".eE") != std::string_view::npos;
  if (!(is_float ? IsFloat(number) : IsInteger(number))) {
    text_ += number;
    return;
  }
  if (number.size() == 1) {
    text_ += '1';
    return;
  }
  BeginPiece(number.data());
  text_ += is_float ? '.' : '1';
  BeginPiece(number.data() + number.size() - 1);
  text_ += '1';
  BeginPiece(number.data() + number.size());
}

void UnitText::BeginPiece(const char* at) {
  const auto parsed = static_cast<uint32_t>(text_.size());
  if (pieces_.size() > line_piece_ && pieces_.back().parsed == parsed) pieces_.pop_back();
  pieces_.push_back({parsed, PlaceOf(at)});
}

uint32_t UnitText::Map(uint32_t parsed, size_t& hint) const {
  if (pieces_.empty()) return 0;
  const auto holds = [&](size_t piece) {
    return pieces_[piece].parsed <= parsed &&
           (piece + 1 == pieces_.size() || parsed < pieces_[piece + 1].parsed);
  };
  // Nodes are asked for in the order of the text, and most are short.
  constexpr size_t kSteps = 4;
  const size_t stop = std::min(hint + kSteps, pieces_.size());
  while (hint < stop && !holds(hint)) ++hint;
  if (hint == stop) {
    const auto after = std::ranges::upper_bound(pieces_, parsed, {}, &Piece::parsed);
    hint = static_cast<size_t>(std::max(after, pieces_.begin() + 1) - pieces_.begin() - 1);
  }
  const Piece& piece = pieces_[hint];
  const uint32_t original = piece.original + (parsed - std::min(parsed, piece.parsed));
  // What was added, such as a bracket that was missing, is nowhere in the unit.
  return hint + 1 == pieces_.size() ? original : std::min(original, pieces_[hint + 1].original);
}

void UnitText::HideSoftKeyword() {
  const size_t at = line_begin_ + columns_.size() - 1;
  const std::string_view line = std::string_view(text_).substr(at);
  for (const std::string_view word : {"type", "match"}) {
    if (!HasWord(line.data(), line.data() + line.size(), word)) continue;
    const char next = line[SkipBlanks(line, word.size())];
    const bool begins_operand = IsPythonNameChar(next) || next == '"' || next == '\'';
    // `match (x):` and `match -x:` are statements; `match(x)` and `match - x` are none.
    if (begins_operand || (word == "match" && opens_block_)) return;
    text_[at + word.size() - 1] = '_';
    return;
  }
}

void UnitText::BlankTypeParameters() {
  const std::string_view line = std::string_view(text_).substr(line_begin_);
  size_t at = columns_.size() - 1;
  for (const std::string_view word : {"async", "def", "class"}) {
    if (!HasWord(line.data() + at, line.data() + line.size(), word)) continue;
    at = SkipBlanks(line, at + word.size());
    if (word == "async") continue;
    const size_t open = SkipBlanks(line, SkipName(line, at));
    if (open >= line.size() || line[open] != '[') return;
    const size_t close = FindOutside(line, open + 1, "]");
    if (close == std::string_view::npos) return;
    for (size_t i = open; i <= close; ++i) text_[line_begin_ + i] = ' ';
    return;
  }
}

void UnitText::RewriteExcept() {
  const std::string_view line = std::string_view(text_).substr(line_begin_);
  size_t at = columns_.size() - 1;
  if (!HasWord(line.data() + at, line.data() + line.size(), "except")) return;
  at += std::strlen("except");
  // `except*` is one token to the grammar.
  if (const size_t star = SkipBlanks(line, at); line[star] == '*') {
    text_[line_begin_ + star] = ' ';
    text_[line_begin_ + at++] = '*';
  }
  const size_t comma = FindOutside(line, at, ",:");
  if (comma == std::string_view::npos || line[comma] == ':') return;
  const size_t colon = FindOutside(line, at, ":");
  if (colon == std::string_view::npos || !IsPythonBlank(line[at])) return;
  text_[line_begin_ + at] = '(';
  const auto inserted = static_cast<uint32_t>(line_begin_ + colon);
  const uint32_t place = Original(inserted, 0).begin;
  text_.insert(inserted, 1, ')');
  size_t piece = pieces_.size();
  while (piece > line_piece_ && pieces_[piece - 1].parsed >= inserted) {
    ++pieces_[--piece].parsed;
  }
  if (piece == pieces_.size() || pieces_[piece].parsed != inserted + 1) {
    pieces_.insert(pieces_.begin() + static_cast<std::ptrdiff_t>(piece), {inserted + 1, place});
  }
  pieces_.insert(pieces_.begin() + static_cast<std::ptrdiff_t>(piece), {inserted, place});
}

}  // namespace shapewise
