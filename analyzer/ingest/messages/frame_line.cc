// Reads places in code from traceback lines and from "file:line" texts.

#include "ingest/messages/frame_line.h"

#include "support/text_scan.h"

namespace shapewise {

std::optional<CodePlace> ParseFrameLine(std::string_view text) {
  text = TrimLeft(text);
  if (!ConsumeFront(text, "File \"")) return {};
  text = TrimRight(text);
  const size_t quote = text.find('"');
  if (quote == kNotFound) return {};
  CodePlace place{text.substr(0, quote), 0, {}};
  // A terminal truncated the end of the name with its quote: this quote opens the next name.
  if (HasText(place.file, ", in ")) return CodePlace();
  text.remove_prefix(quote + 1);
  if (!ConsumeFront(text, ", line ")) return place;
  place.line = ConsumeUint<uint32_t>(text).value_or(0);
  const size_t in = FindText(text, ", in ");
  if (in != kNotFound) {
    place.function = Trim(text.substr(in + 5));
    // Source code that was joined to the line follows the name.
    const bool is_angled = place.function.starts_with('<');
    const size_t end = place.function.find(is_angled ? '>' : ' ');
    if (end != kNotFound) place.function = place.function.substr(0, end + (is_angled ? 1 : 0));
  }
  return place;
}

std::optional<CodePlace> ParseFrameSummary(std::string_view text) {
  const size_t at = FindText(text, "<FrameSummary file ");
  if (at == kNotFound) return {};
  text.remove_prefix(at + 19);
  const size_t line = FindText(text, ", line ");
  if (line == kNotFound) return {};
  CodePlace place{text.substr(0, line), 0, {}};
  text.remove_prefix(line + 7);
  place.line = ConsumeUint<uint32_t>(text).value_or(0);
  ConsumeFront(text, ",");
  if (!ConsumeFront(text, " in ")) return place;
  // "<lambda>>": a name may have angle brackets of its own.
  const size_t end = text.find('>');
  const bool is_angled = text.starts_with('<') && end != kNotFound;
  place.function = text.substr(0, is_angled ? end + 1 : end);
  return place;
}

CodePlace SplitFileLine(std::string_view text, std::string_view* rest) {
  if (rest != nullptr) *rest = {};
  // The line number is the first ":digits" at the end of the text or before a blank, a bracket, a
  // comma or a quote; a Windows drive has a letter before its colon and a backslash after it.
  for (size_t colon = text.find(':'); colon != kNotFound; colon = text.find(':', colon + 1)) {
    size_t end = colon + 1;
    while (end < text.size() && IsDigit(text[end])) ++end;
    if (end == colon + 1) {
      // "train.py:N" in documents: a place without its number.
      if (text.substr(0, colon).ends_with(".py") && text.substr(end).starts_with("N")) {
        if (rest != nullptr) *rest = text.substr(end + 1);
        return CodePlace{text.substr(0, colon), 0, {}};
      }
      continue;
    }
    if (end < text.size() && std::string_view(" \t),'\"]|").find(text[end]) == kNotFound) continue;
    std::string_view digits = text.substr(colon + 1);
    if (rest != nullptr) *rest = text.substr(end);
    return CodePlace{text.substr(0, colon), ConsumeUint<uint32_t>(digits).value_or(0), {}};
  }
  return CodePlace{Trim(text), 0, {}};
}

}  // namespace shapewise
