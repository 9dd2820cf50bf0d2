#include "model/guard.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include "model/guard_readers.h"
#include "model/python_text.h"
#include "support/enum_name.h"
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

struct TensorProperty {
  std::string_view words;  // after the closing quote of the tensor's name
  GuardClass guard_class;
};

// Version 2.0 says "strides".
constexpr TensorProperty kTensorProperties[] = {
    {"size mismatch", GuardClass::kSize},
    {"stride mismatch", GuardClass::kStride},
    {"strides mismatch", GuardClass::kStride},
    {"rank mismatch", GuardClass::kNdim},
    {"dtype mismatch", GuardClass::kDtype},
    {"Tensor device index mismatch", GuardClass::kDevice},
    {"device index mismatch", GuardClass::kDevice},
    {"device mismatch", GuardClass::kDevice},
    {"requires_grad mismatch", GuardClass::kRequiresGrad},
    {"dispatch key set mismatch", GuardClass::kDispatchKeys},
    {"dispatch key mismatch", GuardClass::kDispatchKeys},
};

const TensorProperty* PropertyAt(std::string_view text) {
  const auto* const found = std::find_if(
      std::begin(kTensorProperties), std::end(kTensorProperties),
      [text](const TensorProperty& property) { return text.starts_with(property.words); });
  return found == std::end(kTensorProperties) ? nullptr : found;
}

// The text after the first `words` in `text`; empty if they are missing.
std::string_view TextAfter(std::string_view text, std::string_view words) {
  const size_t begin = text.find(words);
  return begin == kNotFound ? std::string_view() : text.substr(begin + words.size());
}

// The text between `before` and the first following one of `after`; the rest of the text if none
// follows.
std::string_view Between(std::string_view text, std::string_view before, std::string_view after) {
  const std::string_view rest = TextAfter(text, before);
  return rest.substr(0, rest.find(after));
}

// The value at the front of `text`, which ends at a sentence, the next guard, or a full stop.
std::string_view LeadingValue(std::string_view text) {
  text = text.substr(0, std::min(text.find(". "), text.find("; ")));
  if (text.ends_with('.')) text.remove_suffix(1);
  return text;
}

// The integer at the front of `text`, whatever somebody wrote behind it: "5 (from a comment)".
std::string_view LeadingInteger(std::string_view text) {
  const size_t sign = text.starts_with('-') ? 1 : 0;
  const size_t end = std::min(text.size(), text.find_first_not_of("0123456789", sign));
  return end == sign ? text : text.substr(0, end);
}

// Device indices have a type that C++ streams print as a character: index 0 is a NUL, -1 is the
// byte 0xff, or U+FFFD if the text was made valid UTF-8.
std::string_view DeviceIndex(std::string_view text) {
  constexpr std::array<std::string_view, 16> kIndices = {
      "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"};
  if (text == "\xff" || text == "\xef\xbf\xbd") return "-1";
  if (text.size() != 1) return Trim(text);
  const auto byte = static_cast<unsigned char>(text[0]);
  return byte < kIndices.size() ? kIndices[byte] : text;
}

// "expected 4, actual 5", in the wording of each property.
void ReadValues(std::string_view text, GuardFailure& out) {
  switch (out.guard_class) {
    case GuardClass::kRequiresGrad:
      // requires_grad mismatch. expected requires_grad=0
      out.expected = Trim(LeadingValue(TextAfter(text, "expected requires_grad=")));
      break;
    case GuardClass::kDevice:
      // Tensor device index mismatch. Expected device index to be 0, actual -1
      out.expected = DeviceIndex(Between(text, "device index to be ", ", actual "));
      out.actual = DeviceIndex(LeadingValue(TextAfter(text, ", actual ")));
      break;
    case GuardClass::kSize:
    case GuardClass::kStride:
    case GuardClass::kNdim:
      out.expected = Trim(LeadingValue(Between(text, "expected ", ", actual ")));
      out.actual = LeadingInteger(Trim(LeadingValue(TextAfter(text, ", actual "))));
      break;
    default:
      out.expected = Trim(LeadingValue(Between(text, "expected ", ", actual ")));
      out.actual = Trim(LeadingValue(TextAfter(text, ", actual ")));
  }
}

// tensor 'kwargs['input_ids']' size mismatch at index 1. expected 5, actual 9
bool ParseTensorCheck(std::string_view text, GuardFailure& out) {
  std::string_view rest = text;
  if (!ConsumeFront(rest, "tensor '")) return false;
  const TensorProperty* property = nullptr;
  size_t quote = rest.find("' ");
  while (quote != kNotFound && (property = PropertyAt(rest.substr(quote + 2))) == nullptr) {
    quote = rest.find("' ", quote + 1);
  }
  if (property == nullptr) {
    // Truncated within or directly after the name.
    if (rest.ends_with('\'')) out.source = Trim(rest.substr(0, rest.size() - 1));
    return true;
  }
  out.guard_class = property->guard_class;
  out.source = Trim(rest.substr(0, quote));
  rest.remove_prefix(quote + 2 + property->words.size());

  constexpr std::string_view kAtIndex = " at index ";
  if (rest.starts_with(kAtIndex)) {
    const std::string_view digits = rest.substr(kAtIndex.size());
    int32_t dim = -1;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), dim);
    if (parsed.ec == std::errc() && dim >= 0) out.dim = dim;
  }
  ReadValues(rest, out);
  return true;
}

// expected type of 'x' to be a tensor type, ' but found <class 'NoneType'> expected type of 'x' to
// be a tensor type, but found a different type expected type of 'x' to be <class 'torch.Tensor'>,
// but found <class '__main__.Tagged'>
bool ParseTensorType(std::string_view text, GuardFailure& out) {
  if (!ConsumeFront(text, "expected type of '")) return false;
  out.guard_class = GuardClass::kType;
  constexpr std::string_view kToBe = "' to be ";
  const size_t quote = text.find(kToBe);
  if (quote == kNotFound) return true;
  out.source = Trim(text.substr(0, quote));
  text.remove_prefix(quote + kToBe.size());
  constexpr std::string_view kFound = " but found ";
  const size_t found = text.find(kFound);
  if (found == kNotFound) return true;
  if (text.starts_with('<')) out.expected = text.substr(0, text.rfind(',', found));
  const std::string_view actual = Trim(text.substr(found + kFound.size()));
  if (actual.starts_with('<')) out.actual = actual;
  return true;
}

// Sentences that only give the class, or end with the source.
struct Sentence {
  std::string_view words;
  GuardClass guard_class;
  bool source_follows;
};
constexpr Sentence kSentences[] = {
    {"KeyError on ", GuardClass::kKeys, true},
    {"IndexError on ", GuardClass::kKeys, true},
    {"IndexError ", GuardClass::kKeys, false},  // TupleIteratorGetItemAccessor(2)
    {"getattr failed on source ", GuardClass::kKeys, true},
    {"Not a weakref obj ", GuardClass::kIdentity, true},
    {"Not a weakref ", GuardClass::kIdentity, true},
    {"Not a callable obj ", GuardClass::kType, true},
    {"FuncDefaultsGuardAccessor: Not a function on ", GuardClass::kType, true},
    {"FuncKwDefaultsGuardAccessor: Not a function on ", GuardClass::kType, true},
    {"CodeGuardAccessor: Not a function on ", GuardClass::kType, true},
    {"ClosureGuardAccessor: Not a function on ", GuardClass::kType, true},
    {"null type dict on ", GuardClass::kType, true},
    {"not a tensor - grad field is accessed ", GuardClass::kType, true},
    {"not a tensor", GuardClass::kType, true},  // no blank before the source
    {"tensor has too few dimensions", GuardClass::kNdim, false},
    {"Shape guard failed with values", GuardClass::kSymbolic, false},
    {"\"Shape guard failed with values", GuardClass::kSymbolic, false},
    {"Duplicate tensor", GuardClass::kAliasing, false},
    {"Cache line ", GuardClass::kIdentity, false},
    {"BACKEND_MATCH failure", GuardClass::kBackend, false},
    {"GLOBAL_STATE changed", GuardClass::kGlobalState, false},
};

// Cached backend: {one}. New backend: {other}. If this is unexpected, wrap your backend in ...
void ReadBackends(std::string_view text, GuardFailure& out) {
  constexpr std::string_view kAdvice = " If this is unexpected";
  const size_t advice = text.find(kAdvice);
  out.guard = text.substr(0, advice);
  if (advice != kNotFound) out.hint = FindHint(text.substr(advice));
  out.expected = Between(out.guard, "Cached backend: ", ". New backend: ");
  out.actual = TextAfter(out.guard, ". New backend: ");
  if (out.actual.ends_with('.')) out.actual.remove_suffix(1);
}

}  // namespace

std::string_view GuardClassName(GuardClass guard_class) {
  return EnumName<GuardClass::kOther>(
      guard_class, {"size",          "stride",   "ndim",         "dtype", "device", "requires_grad",
                    "dispatch_keys", "symbolic", "zero_one",     "int",   "float",  "bool",
                    "str",           "none",     "length",       "keys",  "type",   "identity",
                    "aliasing",      "backend",  "global_state", "empty", "other"});
}

std::string_view PythonTypeName(PythonType type) {
  return EnumName<PythonType::kObject>(
      type, {"",      "none",  "bool",   "int",      "float",  "complex", "str",
             "bytes", "enum",  "dtype",  "device",   "tuple",  "list",    "set",
             "dict",  "range", "tensor", "function", "module", "class",   "object"});
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

bool ParseTensorText(std::string_view text, GuardFailure& out) {
  if (!ParseTensorCheck(text, out) && !ParseTensorType(text, out)) return false;
  out.value_type = PythonType::kTensor;
  // Values hold no "; ", names may: the next guard is looked for behind the name.
  const size_t after_name =
      out.source.empty() ? 0
                         : static_cast<size_t>(out.source.data() - text.data()) + out.source.size();
  text = text.substr(0, text.find("; ", after_name));
  const size_t sentence = text.find(". Guard failed on a parameter", after_name);
  out.guard = Trim(text.substr(0, sentence));
  if (!out.actual.empty() && IsDigit(out.actual.back())) {
    const size_t after =
        static_cast<size_t>(out.actual.data() - out.guard.data()) + out.actual.size();
    out.guard = out.guard.substr(0, after);
  }
  if (sentence != kNotFound) out.hint = FindHint(text.substr(sentence));
  return true;
}

bool ParseSentence(std::string_view text, GuardFailure& out) {
  const auto* const sentence =
      std::find_if(std::begin(kSentences), std::end(kSentences),
                   [text](const Sentence& known) { return text.starts_with(known.words); });
  if (sentence == std::end(kSentences)) {
    // Object 140487837021376 of type <class '__main__.M'> is weakref'd by this code, but has ...
    if (!text.starts_with("Object ") || text.find("weakref'd by this code") == kNotFound)
      return false;
    out.guard_class = GuardClass::kIdentity;
    return true;
  }
  out.guard_class = sentence->guard_class;
  const std::string_view rest = text.substr(sentence->words.size());
  switch (sentence->guard_class) {
    case GuardClass::kIdentity:
      // Cache line invalidated because L['self'] got deallocated
      if (sentence->source_follows) break;
      if (rest.find(" got deallocated") != kNotFound) {
        out.source = Trim(Between(rest, "because ", " got deallocated"));
      }
      break;
    case GuardClass::kAliasing:
      // Duplicate tensor found where not expected! L['b']should not alias to anything, but is ...
      if (rest.find("should not alias") != kNotFound) {
        out.source = Trim(Between(rest, "not expected! ", "should not alias"));
      }
      break;
    case GuardClass::kGlobalState:
      out.actual = Trim(TextAfter(rest, ":"));
      break;
    case GuardClass::kBackend:
      ReadBackends(text, out);
      break;
    default:
      break;
  }
  if (sentence->source_follows) out.source = Trim(rest);
  // Not a function on fn.__code__: what is no function is fn.
  for (const std::string_view part :
       {"__code__", "__defaults__", "__kwdefaults__", "__closure__"}) {
    if (out.source.ends_with(part)) out.source.remove_suffix(part.size() + 1);
  }
  return true;
}

}  // namespace shapewise
