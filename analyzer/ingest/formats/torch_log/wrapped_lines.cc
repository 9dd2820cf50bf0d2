// Finds out that a line was wrapped from what is missing in it.

#include "ingest/formats/torch_log/wrapped_lines.h"

#include <algorithm>
#include <string>

#include "ingest/formats/torch_log/log_prefix.h"
#include "ingest/messages/frame_line.h"
#include "shapewise/model/guard.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

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
