#include "model/guard_readers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include "model/python_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

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
