#include "syntax/python_strings.h"

#include <cstring>

namespace shapewise {
namespace {

/// f-strings within f-strings beyond this depth are taken for plain ones, as Python refuses them.
constexpr int kMaxNesting = 150;

}  // namespace

const char* FindNewline(const char* at, const char* end) {
  // Lines are short: a loop beats two calls of memchr, the second of which would run far.
  while (at < end && !IsPythonNewline(*at)) ++at;
  return at;
}

bool StringSkipper::EndsAt(const char* at, char quote, bool is_triple) const {
  if (*at != quote) return false;
  return !is_triple || (end_ - at >= 3 && at[1] == quote && at[2] == quote);
}

const char* StringSkipper::SkipPlain(const char* at, char quote, bool is_triple,
                                     bool& is_closed) const {
  if (is_triple) {
    // A quote that an odd number of backslashes precedes is part of the text.
    for (const char* begin = at; at < end_; ++at) {
      at = static_cast<const char*>(memchr(at, quote, static_cast<size_t>(end_ - at)));
      if (at == nullptr) break;
      const char* before = at;
      while (before > begin && before[-1] == '\\') --before;
      if ((at - before) % 2 != 0 || !EndsAt(at, quote, true)) continue;
      is_closed = true;
      return at + 3;
    }
    return end_;
  }
  for (; at < end_; ++at) {
    const char c = *at;
    if (c == quote) {
      is_closed = true;
      return at + 1;
    }
    if (IsPythonNewline(c)) return at;
    if (c != '\\' || at + 1 == end_) continue;
    ++at;  // what is escaped; of "\r\n", both
    if (*at == '\r' && at + 1 < end_ && at[1] == '\n') ++at;
  }
  return end_;
}

const char* StringSkipper::SkipFormatted(const char* at, char quote, bool is_triple, int depth,
                                         bool& is_closed) const {
  while (at < end_) {
    const char c = *at;
    if (EndsAt(at, quote, is_triple)) {
      is_closed = true;
      return at + (is_triple ? 3 : 1);
    }
    if (IsPythonNewline(c) && !is_triple) return at;
    if (c == '\\' && at + 1 < end_) {
      // In a raw one, "\{" begins a replacement; in the others it is an error that Python allows.
      at += at[1] == '{' || at[1] == '}' ? 1 : 2;
      if (at[-1] == '\r' && at < end_ && *at == '\n') ++at;
    } else if (c == '{' && at + 1 < end_ && at[1] == '{') {
      at += 2;
    } else if (c == '{') {
      bool is_replacement_closed = false;
      at = SkipReplacement(at + 1, quote, is_triple, depth, is_replacement_closed);
      if (!is_replacement_closed) return at;
    } else {
      ++at;
    }
  }
  return end_;
}

const char* StringSkipper::SkipReplacement(const char* at, char quote, bool is_triple, int depth,
                                           bool& is_closed) const {
  int brackets = 0;
  bool is_format = false;  // behind the colon
  while (at < end_) {
    const char c = *at;
    if (c == '}' && brackets == 0) {
      is_closed = true;
      return at + 1;
    }
    if (is_format) {
      if (EndsAt(at, quote, is_triple) || (IsPythonNewline(c) && !is_triple)) return at;
      if (c == '{') {
        if (depth >= kMaxNesting) return at;
        bool is_inner_closed = false;
        at = SkipReplacement(at + 1, quote, is_triple, depth + 1, is_inner_closed);
        if (!is_inner_closed) return at;
      } else {
        ++at;
      }
      continue;
    }
    switch (c) {
      case '(':
      case '[':
      case '{':
        ++brackets;
        ++at;
        break;
      case ')':
      case ']':
      case '}':
        if (brackets > 0) --brackets;
        ++at;
        break;
      case ':':
        is_format = brackets == 0;
        ++at;
        break;
      case '#':
        at = FindNewline(at, end_);
        break;
      case '"':
      case '\'': {
        if (depth >= kMaxNesting) return at;
        const StringLiteral inner = SkipNested(at, at, depth + 1);
        if (!inner.is_closed) return inner.end;
        at = inner.end;
        break;
      }
      default:
        ++at;
    }
  }
  return end_;
}

StringLiteral StringSkipper::SkipNested(const char* line_begin, const char* quote,
                                        int depth) const {
  StringLiteral literal;
  const char* prefix = quote;
  // The prefix within a replacement is looked for behind its brace at the latest, which is none of
  // these letters.
  const char* floor = depth == 0 ? line_begin : quote - 3;
  while (prefix > floor && quote - prefix < 3 && memchr("rRbBuUfFtT", prefix[-1], 10) != nullptr) {
    --prefix;
  }
  if (prefix > floor && IsPythonNameChar(prefix[-1])) prefix = quote;
  for (const char* at = prefix; at < quote; ++at) {
    literal.is_template |= *at == 't' || *at == 'T';
    literal.is_formatted |= literal.is_template || *at == 'f' || *at == 'F';
  }
  literal.begin = prefix;
  literal.is_triple = EndsAt(quote, *quote, true);
  const char* text = quote + (literal.is_triple ? 3 : 1);
  const bool may_nest = literal.is_formatted && !is_before_312_;
  literal.end = may_nest ? SkipFormatted(text, *quote, literal.is_triple, depth, literal.is_closed)
                         : SkipPlain(text, *quote, literal.is_triple, literal.is_closed);
  return literal;
}

StringLiteral StringSkipper::Skip(const char* line_begin, const char* quote) {
  StringLiteral literal = SkipNested(line_begin, quote, 0);
  if (literal.is_closed || !literal.is_formatted || is_before_312_) return literal;
  is_before_312_ = true;
  return SkipNested(line_begin, quote, 0);
}

}  // namespace shapewise
