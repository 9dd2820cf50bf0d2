#include "ingest/graph_text/argument_parser.h"

#include <algorithm>
#include <charconv>

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// Real arguments are nested less than ten deep.
constexpr int kMaxArgumentDepth = 32;

// More of an expression that is not taken apart is not kept.
constexpr size_t kMaxArgumentBytes = 4096;

bool IsArgumentNameStart(char c) { return IsNameChar(c) && !IsDigit(c); }

bool IsQuote(char c) { return c == '\'' || c == '"'; }

char ClosingOf(char open) {
  if (open == '(') return ')';
  return open == '[' ? ']' : '}';
}

}  // namespace

void ArgumentParser::SkipBlanks() {
  while (!rest_.empty()) {
    const char c = rest_[0];
    if (c == '#' && spelling_ == ValueSpelling::kBareNames) {
      rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
    } else if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
      return;
    } else {
      rest_.remove_prefix(1);
    }
  }
}

bool ArgumentParser::Consume(std::string_view token) {
  SkipBlanks();
  return ConsumeFront(rest_, token);
}

std::string_view ArgumentParser::ConsumeName() {
  if (rest_.empty() || !IsArgumentNameStart(rest_[0])) return {};
  size_t size = 1;
  while (size < rest_.size() && IsNameChar(rest_[size])) ++size;
  const std::string_view name = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return name;
}

std::string_view ArgumentParser::ConsumePath() {
  if (rest_.empty() || !IsArgumentNameStart(rest_[0])) return {};
  size_t size = 1;
  while (size < rest_.size() &&
         (IsNameChar(rest_[size]) || (rest_[size] == '.' && size + 1 < rest_.size() &&
                                      IsArgumentNameStart(rest_[size + 1])))) {
    ++size;
  }
  const std::string_view path = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return path;
}

bool ArgumentParser::ConsumeQuoted(std::string_view& inside) {
  const char quote = rest_[0];
  for (size_t at = 1; at < rest_.size(); ++at) {
    if (rest_[at] == '\\') {
      ++at;
    } else if (rest_[at] == '\n') {
      return false;
    } else if (rest_[at] == quote) {
      inside = rest_.substr(1, at - 1);
      rest_.remove_prefix(at + 1);
      return true;
    }
  }
  return false;
}

/// Moves to the next comma, colon, semicolon or closing bracket that nothing hides.
void ArgumentParser::SkipExpression() {
  size_t depth = 0;
  bool may_be_quoted = true;
  while (!rest_.empty()) {
    const char c = rest_[0];
    if (IsQuote(c) && may_be_quoted) {
      std::string_view inside;
      if (ConsumeQuoted(inside)) continue;
      may_be_quoted = false;  // an apostrophe in print(graph), or a text that is cut
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') {
      if (depth == 0) return;
      --depth;
    }
    if (depth == 0 && (c == ',' || c == ';' || c == '\n' || IsAtColon())) return;
    rest_.remove_prefix(1);
  }
}

bool ArgumentParser::SkipPast(char close) {
  while (true) {
    SkipExpression();
    if (rest_.empty()) return false;
    const char c = rest_[0];
    rest_.remove_prefix(1);
    if (c == close) return true;
  }
}

/// Whether a colon comes that ends an expression. Between a key and its value, print(graph) has a
/// blank behind it; "cuda:0" is a text.
bool ArgumentParser::IsAtColon() const {
  if (!rest_.starts_with(':')) return false;
  return spelling_ == ValueSpelling::kBareNames || rest_.starts_with(": ");
}

bool ArgumentParser::IsAtDelimiter() {
  while (!rest_.empty() && IsBlankChar(rest_[0])) rest_.remove_prefix(1);
  if (rest_.empty()) return true;
  const char c = rest_[0];
  return c == ',' || c == ')' || c == ']' || c == '}' || c == ';' || c == '\n' || c == '#' ||
         IsAtColon();
}

void ArgumentParser::PushConstant(Argument::Kind kind, int64_t integer) {
  Argument argument;
  argument.kind = kind;
  argument.integer = integer;
  builder_.Push(argument);
}

/// Pushes everything from `begin` to the end of the expression as one text, in the place of what
/// was pushed since `mark`.
bool ArgumentParser::TakeAsText(const char* begin, size_t mark, int depth) {
  SkipExpression();
  const std::string_view text =
      TrimRight({begin, static_cast<size_t>(rest_.data() - begin)}).substr(0, kMaxArgumentBytes);
  builder_.DropPushed(mark);
  // Inside of brackets, the end of the text is no end of an element.
  if (text.empty() || (rest_.empty() && depth > 0)) return false;
  builder_.PushText(Argument::Kind::kText, text);
  return true;
}

bool ArgumentParser::ParseElement(int depth) {
  SkipBlanks();
  if (rest_.empty()) return false;
  const char* const begin = rest_.data();
  const size_t mark = builder_.num_pushed();
  if (depth > kMaxArgumentDepth) return TakeAsText(begin, mark, depth);
  while (rest_.starts_with('*')) rest_.remove_prefix(1);
  const bool is_read = ParsePrimary(depth) && builder_.num_pushed() == mark + 1;
  if (is_read && IsAtDelimiter()) return true;
  return TakeAsText(begin, mark, depth);
}

bool ArgumentParser::ParsePrimary(int depth) {
  if (rest_.empty()) return false;
  const char c = rest_[0];
  if (IsArgumentNameStart(c)) return ParseNamed(depth);
  if (IsDigit(c) || c == '-' || c == '+') return ParseNumber();
  switch (c) {
    case '%': {
      rest_.remove_prefix(1);
      const std::string_view name = ConsumeName();
      const uint32_t value = builder_.FindValue(name);
      if (name.empty()) return false;
      ++num_values_;
      if (value == kNoIndex) {
        builder_.PushText(Argument::Kind::kText, name);
      } else {
        builder_.PushValue(value);
      }
      return true;
    }
    case '(':
    case '[':
      rest_.remove_prefix(1);
      return ParseGroup(ClosingOf(c), depth + 1);
    case '{':
      rest_.remove_prefix(1);
      return ParseDict(depth + 1);
    case '<': {
      // An object as Python shows it: "<function f at 0x7f00>".
      const size_t end = rest_.find_first_of(">\n");
      if (end == std::string_view::npos || rest_[end] == '\n') return false;
      builder_.PushText(Argument::Kind::kConstant, rest_.substr(0, end + 1));
      rest_.remove_prefix(end + 1);
      return true;
    }
    case '.':
      if (ConsumeFront(rest_, "...")) {
        builder_.PushText(Argument::Kind::kConstant, "Ellipsis");
        return true;
      }
      return ParseNumber();
    default:
      break;
  }
  if (!IsQuote(c)) return false;
  std::string_view inside;
  if (!ConsumeQuoted(inside)) return false;
  builder_.PushText(Argument::Kind::kString, inside);
  return true;
}

bool ArgumentParser::ParseNumber() {
  size_t size = rest_[0] == '-' || rest_[0] == '+' ? 1 : 0;
  bool is_float = false;
  const size_t digits = size;
  for (; size < rest_.size(); ++size) {
    const char c = rest_[size];
    if (IsDigit(c)) continue;
    const bool is_exponent_sign = (c == '-' || c == '+') && size > digits &&
                                  (rest_[size - 1] == 'e' || rest_[size - 1] == 'E');
    if (c != '.' && c != 'e' && c != 'E' && !is_exponent_sign) break;
    is_float = true;
  }
  if (size == digits) {
    // "-inf", "-nan"
    std::string_view after = rest_.substr(size);
    if (!after.starts_with("inf") && !after.starts_with("nan")) return false;
    builder_.PushText(Argument::Kind::kConstant, rest_.substr(0, size + 3));
    rest_.remove_prefix(size + 3);
    return true;
  }
  const std::string_view text = rest_.substr(0, size);
  rest_.remove_prefix(size);
  const char* const begin = text.data() + (text[0] == '+' ? 1 : 0);
  const char* const end = text.data() + text.size();
  Argument argument;
  if (is_float) {
    argument.kind = Argument::Kind::kFloat;
    argument.number = 0;
    const auto [stop, error] = std::from_chars(begin, end, argument.number);
    if (stop != end || error != std::errc()) return false;
  } else {
    argument.kind = Argument::Kind::kInt;
    const auto [stop, error] = std::from_chars(begin, end, argument.integer);
    if (error == std::errc::result_out_of_range) {
      builder_.PushText(Argument::Kind::kConstant, text);
      return true;
    }
    if (stop != end || error != std::errc()) return false;
  }
  builder_.Push(argument);
  return true;
}

bool ArgumentParser::ParseNamed(int depth) {
  const char* const begin = rest_.data();
  const std::string_view path = ConsumePath();
  if (!rest_.empty() && rest_[0] == '(') return ParseCall(path, begin, depth);
  if (!rest_.empty() && IsQuote(rest_[0]) && path.size() <= 2) {  // b'..', r"..", rb'..'
    std::string_view inside;
    if (!ConsumeQuoted(inside)) return false;
    builder_.PushText(Argument::Kind::kString, inside);
    return true;
  }
  if (path == "None") {
    PushConstant(Argument::Kind::kNone, 0);
    return true;
  }
  if (path == "True" || path == "False") {
    PushConstant(Argument::Kind::kBool, path == "True" ? 1 : 0);
    return true;
  }
  const size_t dot = path.find('.');
  if (spelling_ == ValueSpelling::kBareNames || is_in_slice_) {
    const uint32_t value = builder_.FindValue(path.substr(0, dot));
    if (value != kNoIndex) {
      ++num_values_;
      if (dot != std::string_view::npos) return false;  // x.shape: an expression
      builder_.PushValue(value);
      return true;
    }
  }
  builder_.PushText(Argument::Kind::kConstant, path);
  return true;
}

/// A call among the arguments is no node: a slice, a device, a named tuple.
bool ArgumentParser::ParseCall(std::string_view path, const char* begin, int depth) {
  rest_.remove_prefix(1);
  const size_t mark = builder_.num_pushed();
  const size_t values_before = num_values_;
  const bool was_in_slice = is_in_slice_;
  const bool is_slice = path == "slice";
  is_in_slice_ |= is_slice;
  const bool is_read = ParseArguments(')', depth + 1);
  is_in_slice_ = was_in_slice;
  if (!is_read) return false;
  if (is_slice && builder_.num_pushed() <= mark + 3) {
    // slice(stop) means slice(None, stop, None).
    if (builder_.num_pushed() == mark + 1) {
      const Argument stop = builder_.last_pushed();
      builder_.DropPushed(mark);
      PushConstant(Argument::Kind::kNone, 0);
      builder_.Push(stop);
    }
    while (builder_.num_pushed() < mark + 3) PushConstant(Argument::Kind::kNone, 0);
    builder_.Group(mark, Argument::Kind::kSlice);
    return true;
  }
  if (num_values_ > values_before) {
    builder_.Group(mark, Argument::Kind::kTuple);
    builder_.last_pushed().text = builder_.Intern(path);
    return true;
  }
  builder_.DropPushed(mark);
  const std::string_view text(begin, static_cast<size_t>(rest_.data() - begin));
  builder_.PushText(Argument::Kind::kConstant, text.substr(0, kMaxArgumentBytes));
  return true;
}

bool ArgumentParser::ParseArguments(char close, int depth) {
  depth = std::max(depth, 1);
  while (true) {
    SkipBlanks();
    if (rest_.empty()) return false;
    if (rest_[0] == close) {
      rest_.remove_prefix(1);
      return true;
    }
    const std::string_view before = rest_;
    StrId keyword{};
    const std::string_view name = ConsumeName();
    if (!name.empty()) {
      SkipBlanks();
      if (rest_.starts_with('=') && !rest_.starts_with("==")) {
        rest_.remove_prefix(1);
        keyword = builder_.Intern(name);
      } else {
        rest_ = before;
      }
    }
    if (!ParseElement(depth)) return false;
    builder_.last_pushed().keyword = keyword;
    SkipBlanks();
    if (rest_.empty()) return false;
    if (rest_[0] == ',') {
      rest_.remove_prefix(1);
    } else if (rest_[0] != close) {
      return false;
    }
  }
}

/// Behind "(" or "[": one in parentheses is no tuple unless a comma says so.
bool ArgumentParser::ParseGroup(char close, int depth) {
  const size_t mark = builder_.num_pushed();
  bool has_comma = false;
  while (true) {
    SkipBlanks();
    if (rest_.empty()) return false;
    if (rest_[0] == close) break;
    if (!ParseElement(depth)) return false;
    SkipBlanks();
    if (rest_.empty()) return false;
    if (rest_[0] == ',') {
      has_comma = true;
      rest_.remove_prefix(1);
    } else if (rest_[0] != close) {
      return false;
    }
  }
  rest_.remove_prefix(1);
  if (close == ')' && !has_comma && builder_.num_pushed() == mark + 1) return true;
  builder_.Group(mark, close == ')' ? Argument::Kind::kTuple : Argument::Kind::kList);
  return true;
}

bool ArgumentParser::ParseDict(int depth) {
  const size_t mark = builder_.num_pushed();
  while (true) {
    SkipBlanks();
    if (rest_.empty()) return false;
    if (rest_[0] == '}') break;
    if (!ParseElement(depth)) return false;
    SkipBlanks();
    if (ConsumeFront(rest_, ":")) {
      if (!ParseElement(depth)) return false;
      SkipBlanks();
    }
    if (rest_.empty()) return false;
    if (rest_[0] == ',') {
      rest_.remove_prefix(1);
    } else if (rest_[0] != '}') {
      return false;
    }
  }
  rest_.remove_prefix(1);
  builder_.Group(mark, Argument::Kind::kDict);
  return true;
}

bool ArgumentParser::ParseKeywords() {
  while (true) {
    SkipBlanks();
    if (rest_.empty()) return false;
    if (ConsumeFront(rest_, "}")) return true;
    std::string_view name;
    if (IsQuote(rest_[0])) {
      if (!ConsumeQuoted(name)) return false;
    } else {
      name = ConsumeName();
    }
    if (name.empty() || !Consume(":") || !ParseElement(1)) return false;
    builder_.last_pushed().keyword = builder_.Intern(name);
    SkipBlanks();
    if (!rest_.starts_with('}') && !ConsumeFront(rest_, ",")) return false;
  }
}

/// One part of a subscript: an element, or start:stop:step.
bool ArgumentParser::ParseSlicePart(char close, int depth) {
  const size_t mark = builder_.num_pushed();
  size_t num_colons = 0;
  bool has_part = false;
  while (true) {
    SkipBlanks();
    if (rest_.empty()) return false;
    const char c = rest_[0];
    if (c == close || c == ',') break;
    if (c == ':') {
      rest_.remove_prefix(1);
      if (!has_part) PushConstant(Argument::Kind::kNone, 0);
      has_part = false;
      if (++num_colons > 2) return false;
    } else {
      if (has_part || !ParseElement(depth)) return false;
      has_part = true;
    }
  }
  if (num_colons == 0) return has_part;
  if (!has_part) PushConstant(Argument::Kind::kNone, 0);
  while (builder_.num_pushed() < mark + 3) PushConstant(Argument::Kind::kNone, 0);
  builder_.Group(mark, Argument::Kind::kSlice);
  return true;
}

bool ArgumentParser::ParseSubscript(int depth) {
  depth = std::max(depth, 1);
  const size_t mark = builder_.num_pushed();
  bool has_comma = false;
  while (true) {
    SkipBlanks();
    if (rest_.empty()) return false;
    if (rest_[0] == ']') break;
    if (!ParseSlicePart(']', depth)) return false;
    if (ConsumeFront(rest_, ",")) has_comma = true;
  }
  rest_.remove_prefix(1);
  if (builder_.num_pushed() == mark) return false;
  if (has_comma) builder_.Group(mark, Argument::Kind::kTuple);
  return true;
}

}  // namespace shapewise
