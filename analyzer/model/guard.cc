#include "model/guard.h"

#include <array>

#include "model/guard_readers.h"
#include "model/python_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// Trims blanks and the bullets that copying and flattening leave in front of a reason.
std::string_view WithoutBullets(std::string_view text) {
  while (true) {
    text = TrimLeft(text);
    if (ConsumeFront(text, "\xe2\x80\xa2")) continue;
    const bool bullet = (text.starts_with('-') || text.starts_with('*')) &&
                        (text.size() == 1 || IsBlankChar(text[1]));
    if (!bullet) return TrimRight(text);
    text.remove_prefix(1);
  }
}

// A reason is one line; in traces, and in flattened logs, its stack is appended:
//
//   0/2: opt is None    # if opt is None:  # m.py:19 in f\nUser stack trace:\n  File "/m.py" ...
std::string_view WithoutUserStack(std::string_view text) {
  text = TrimLeft(text);
  text = text.substr(0, text.find('\n'));
  return text.substr(0, FindText(text, " User stack trace:"));
}

// Removes the compile id and ": " at the start of a reason from `text`:
//
//   0/1: ...      0/1_1: ...      !0/3/0: ...      !0: ...      None: ... (an entry without id)
std::string_view TakeEntry(std::string_view& text) {
  if (ConsumeFront(text, "None: ")) return {};
  size_t pos = text.starts_with('!') ? 1 : 0;
  int parts = 0;
  while (true) {
    const size_t begin = pos;
    while (pos < text.size() && IsDigit(text[pos])) ++pos;
    if (pos == begin) return {};
    ++parts;
    if (pos >= text.size() || text[pos] != '/') break;
    ++pos;
  }
  if (pos < text.size() && text[pos] == '_') {
    const size_t attempt = ++pos;
    while (pos < text.size() && IsDigit(text[pos])) ++pos;
    if (pos == attempt) return {};
  }
  const bool is_id = parts <= 3 && (parts > 1 || text.starts_with('!'));
  if (!is_id || pos >= text.size() || text[pos] != ':') return {};
  if (pos + 1 < text.size() && !IsBlankChar(text[pos + 1])) return {};
  const std::string_view entry = text.substr(0, pos);
  text = WithoutBullets(text.substr(pos + 1));
  return entry;
}

// Versions 2.0 and 2.1 print a list of failed guards:
//
//   ["tensor 'x' strides mismatch at index 0. expected 562500, actual 2447991"]
//   [['___guarded_code.valid'], ['___guarded_code.valid']]
//
// Returns its first item, with the escapes of its repr.
std::string_view FirstOfList(std::string_view text) {
  const size_t quote = text.find_first_not_of('[');
  if (quote == 0 || quote == std::string_view::npos || !IsQuote(text[quote])) return text;
  const size_t end = AfterLiteral(text, quote);
  if (end == std::string_view::npos) return Trim(text.substr(quote + 1));
  return Trim(text.substr(quote + 1, end - quote - 2));
}

// Whether a comparison with a value is a guard on a symbol, which the code made a constant. Guards
// on Python values are padded to a width of 60 (get_verbose_code_part in torch/_dynamo/guards.py):
//
//   n == 3  # return x + table[n]  # mp/app/m.py:9 in f (_dynamo/variables/lists.py:174 in ...)
//   n == 3                                                   # return x * n  # mp/app/m.py:9 in f
bool IsOfSymbol(std::string_view text, const CommentedGuard& split) {
  constexpr size_t kWidth = 60;
  return split.guard.size() < kWidth && !split.comment.empty() &&
         text.substr(split.guard.size()).starts_with("  # ");
}

bool SaysNothing(std::string_view text) {
  return text.empty() || text == "None" || text == "[]" || text == "[None]" ||
         text.starts_with("Unable to find recompilation reason");
}

}  // namespace

std::string_view GuardClassName(GuardClass guard_class) {
  constexpr std::array<std::string_view, kNumGuardClasses> kNames = {
      "size",          "stride",   "ndim",         "dtype", "device", "requires_grad",
      "dispatch_keys", "symbolic", "zero_one",     "int",   "float",  "bool",
      "str",           "none",     "length",       "keys",  "type",   "identity",
      "aliasing",      "backend",  "global_state", "empty", "other"};
  return kNames[static_cast<size_t>(guard_class)];
}

std::string_view PythonTypeName(PythonType type) {
  constexpr std::array<std::string_view, kNumPythonTypes> kNames = {
      "",      "none",  "bool",   "int",      "float",  "complex", "str",
      "bytes", "enum",  "dtype",  "device",   "tuple",  "list",    "set",
      "dict",  "range", "tensor", "function", "module", "class",   "object"};
  return kNames[static_cast<size_t>(type)];
}

GuardFailure ParseGuardFailure(std::string_view text) {
  GuardFailure failure;
  text = WithoutBullets(WithoutUserStack(text));
  failure.entry = TakeEntry(text);
  text = FirstOfList(text);
  if (SaysNothing(text)) {
    failure.guard_class = GuardClass::kEmpty;
    failure.guard = text;
    return failure;
  }
  if (ParseTensorText(text, failure)) return failure;

  const CommentedGuard split = SplitComment(text);
  failure.guard = split.guard;
  const GuardComment comment = ParseComment(split.comment);
  failure.user_file = comment.file;
  failure.user_line = comment.line;
  failure.user_function = comment.function;
  failure.code = comment.code;
  failure.hint = split.hint.empty() ? comment.hint : FindHint(split.hint);
  if (ParseSentence(split.guard, failure)) return failure;

  const bool says_zero_one = HasText(split.comment, "0/1 specialization");
  ParseExpression(split.guard, says_zero_one, failure);
  const bool is_plain_int = failure.guard_class == GuardClass::kInt && failure.hint.empty();
  if (is_plain_int && IsOfSymbol(text, split)) failure.hint = kNeedsValueHint;
  return failure;
}

}  // namespace shapewise
