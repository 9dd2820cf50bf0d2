// Parses Python strings: escapes, adjacent literals, f-strings.

#include <charconv>
#include <string>

#include "pyast/parser_nodes.h"
#include "support/text_scan.h"

namespace shapewise::pyast {
namespace {

/// Appends a code point as UTF-8, including surrogates.
void AppendCode(uint32_t code, std::string& text) {
  const auto byte = [&](uint32_t value) { text.push_back(static_cast<char>(value)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3F));
  } else {
    byte(0xF0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3F));
    byte(0x80 | (code >> 6 & 0x3F));
  }
  if (code >= 0x80) byte(0x80 | (code & 0x3F));
}

/// Reads `count` hexadecimal digits from the front of `rest` and appends the code point.
bool AppendHex(size_t count, bool is_bytes, std::string_view& rest, std::string& text) {
  uint32_t code = 0;
  if (rest.size() < count) return false;
  const char* const end = rest.data() + count;
  const auto [at, error] = std::from_chars(rest.data(), end, code, 16);
  if (at != end || code > 0x10FFFF) return false;
  rest.remove_prefix(count);
  if (is_bytes) {
    text.push_back(static_cast<char>(code));
  } else {
    AppendCode(code, text);
  }
  return true;
}

/// Appends the value of the escape after a backslash; false: invalid.
bool AppendEscape(bool is_bytes, std::string_view& rest, std::string& text) {
  constexpr std::string_view kLetters = "\\'\"abfnrtv";
  constexpr std::string_view kMeanings = "\\'\"\a\b\f\n\r\t\v";
  const char c = rest[0];
  if (const size_t letter = kLetters.find(c); letter != kNotFound) {
    text.push_back(kMeanings[letter]);
    rest.remove_prefix(1);
    return true;
  }
  if (c == '\n') {
    rest.remove_prefix(1);
    return true;
  }
  if (c >= '0' && c <= '7') {
    uint32_t code = 0;
    for (size_t i = 0; i < 3 && !rest.empty() && rest[0] >= '0' && rest[0] <= '7'; ++i) {
      code = code * 8 + static_cast<uint32_t>(rest[0] - '0');
      rest.remove_prefix(1);
    }
    if (is_bytes) {
      text.push_back(static_cast<char>(code));
    } else {
      AppendCode(code, text);
    }
    return true;
  }
  const size_t digits = c == 'x' ? 2 : is_bytes ? 0 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (digits == 0) return false;
  std::string_view after = rest.substr(1);
  if (!AppendHex(digits, is_bytes, after, text)) return false;
  rest = after;
  return true;
}

}  // namespace

bool AppendUnescaped(std::string_view body, bool is_raw, bool is_bytes, bool is_format,
                     std::string& text) {
  bool is_known = true;
  while (!body.empty()) {
    const char c = body[0];
    body.remove_prefix(1);
    if (c == '\r') {
      ConsumeFront(body, "\n");
      text.push_back('\n');
    } else if (c == '\\' && !is_raw && !body.empty()) {
      if (body[0] == '\r') {
        body.remove_prefix(body.substr(0, 2) == "\r\n" ? 2 : 1);
      } else if (is_format && body[0] == 'N' && body.substr(1, 1) == "{") {
        const size_t size = std::min(body.find('}'), body.size() - 1) + 1;
        text.append("\\").append(body.substr(0, size));
        body.remove_prefix(size);
        is_known = false;
      } else if (!AppendEscape(is_bytes, body, text)) {
        text.push_back(c);
        is_known = false;
      }
    } else {
      if (is_format && (c == '{' || c == '}') && !body.empty() && body[0] == c) {
        body.remove_prefix(1);
      }
      text.push_back(c);
    }
  }
  return is_known;
}

/// A string while it is assembled from literals.
struct Parser::StringText {
  ExprVector values;
  std::string pending;  ///< text before the next field
  Span span;            ///< of `pending`
  bool is_raw = false;  ///< whether the current literal is raw
  bool is_in_spec = false;
  bool is_template = false;

  void Extend(const Token& token) {
    if (pending.empty()) span.begin = token.begin;
    span.end = token.end;
  }
};

std::string_view Parser::CopyText(std::string_view text) {
  const llvm::ArrayRef<char> copy = Copy(text);
  return {copy.data(), copy.size()};
}

/// Turns the text before a field into a Constant.
void Parser::FlushText(StringText& text) {
  if (text.pending.empty()) return;
  Constant* const constant =
      Make<Constant>(text.span.begin, ConstantKind::kString, CopyText(text.pending));
  constant->span.end = text.span.end;
  text.values.push_back(constant);
  text.pending.clear();
}

/// Reads adjacent string literals.
Expr* Parser::ReadStrings() {
  const uint32_t begin = tok_.begin;
  StringText text;
  bool is_bytes = false;
  bool is_format = false;
  std::string_view only;  // the body of the only literal, if it contains no escapes
  for (size_t count = 0; Is(Tok::kString) || Is(Tok::kFStringStart); ++count) {
    const std::string_view literal = Text(tok_);
    const size_t quote = literal.find_first_of("'\"");
    const std::string_view prefix = literal.substr(0, quote);
    text.is_raw = prefix.find_first_of("rR") != kNotFound;
    if (Is(Tok::kFStringStart)) {
      is_format = true;
      text.is_template = prefix.find_first_of("tT") != kNotFound;
      ReadFString(text);
      continue;
    }
    is_bytes = prefix.find_first_of("bB") != kNotFound;
    const std::string_view quoted = literal.substr(quote);
    const size_t size =
        quoted.size() >= 6 && quoted[1] == quoted[0] && quoted[2] == quoted[0] ? 3 : 1;
    const std::string_view body = quoted.substr(size, quoted.size() - 2 * size);
    text.Extend(tok_);
    Advance();
    const bool is_plain =
        body.find('\r') == kNotFound && (text.is_raw || body.find('\\') == kNotFound);
    if (count == 0 && is_plain && !Is(Tok::kString) && !Is(Tok::kFStringStart)) {
      only = body;
    } else {
      AppendUnescaped(body, text.is_raw, is_bytes, /*is_format=*/false, text.pending);
    }
  }
  if (!is_format) {
    const std::string_view value = text.pending.empty() ? only : CopyText(text.pending);
    return Make<Constant>(begin, is_bytes ? ConstantKind::kBytes : ConstantKind::kString, value);
  }
  FlushText(text);
  if (text.is_template) return Make<TemplateStr>(begin, Copy(text.values));
  return Make<JoinedStr>(begin, Copy(text.values));
}

/// Reads the text and the fields of one f-string.
void Parser::ReadFString(StringText& text) {
  Advance();
  while (Is(Tok::kFStringMiddle) || Is(Tok::kOpenBrace)) {
    if (Is(Tok::kOpenBrace)) {
      ReadField(text);
      continue;
    }
    text.Extend(tok_);
    AppendUnescaped(Text(tok_), text.is_raw, /*is_bytes=*/false, !text.is_in_spec, text.pending);
    Advance();
  }
  if (!text.is_in_spec) Expect(Tok::kFStringEnd, "the f-string does not end");
}

/// Reads "{value=!r:spec}" of an f-string.
void Parser::ReadField(StringText& text) {
  const llvm::SaveAndRestore deeper(depth_, depth_ + 1);
  if (depth_ > kMaxDepth) {
    Fail("nested too deeply");
    return;
  }
  const uint32_t begin = tok_.begin;
  Advance();
  Expr* const value = ReadYieldOrStar();
  int conversion = -1;
  bool is_debugged = false;
  if (Is(Tok::kEqual)) {
    is_debugged = true;
    Advance();
    // The source text, including blanks, is part of the string.
    const uint32_t text_begin = begin + 1;
    if (text.pending.empty()) text.span.begin = text_begin;
    text.span.end = tok_.begin;
    if (!has_failed_) text.pending += text_.substr(text_begin, tok_.begin - text_begin);
  }
  FlushText(text);
  if (Accept(Tok::kExclamation)) {
    const std::string_view name = ExpectName();
    conversion = name.empty() ? -1 : name[0];
  }
  Expr* spec = nullptr;
  if (Is(Tok::kColon)) {
    const uint32_t spec_begin = tok_.begin;
    StringText inner;
    inner.is_in_spec = true;
    inner.is_raw = text.is_raw;
    ReadFString(inner);
    FlushText(inner);
    spec = Make<JoinedStr>(spec_begin, Copy(inner.values));
  }
  if (is_debugged && conversion < 0 && spec == nullptr) conversion = 'r';
  Expect(Tok::kCloseBrace, "'}' expected");
  text.values.push_back(
      text.is_template ? static_cast<Expr*>(Make<Interpolation>(begin, value, conversion, spec))
                       : Make<FormattedValue>(begin, value, conversion, spec));
}

}  // namespace shapewise::pyast
