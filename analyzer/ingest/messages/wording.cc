#include "ingest/messages/wording.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "support/text_scan.h"

namespace shapewise {
namespace {

/// A number such as "1,204,416" or "0.72" at the front of `text`.
std::optional<double> ConsumeGroupedNumber(std::string_view& text) {
  std::string digits;
  size_t end = 0;
  for (; end < text.size(); ++end) {
    const bool is_mark = text[end] == '.' || text[end] == ',';
    if (is_mark ? end + 1 == text.size() || !IsDigit(text[end + 1]) : !IsDigit(text[end])) break;
    if (text[end] != ',') digits += text[end];
  }
  double number = 0;
  const char* const last = digits.data() + digits.size();
  if (digits.empty() || std::from_chars(digits.data(), last, number).ptr != last) {
    return std::nullopt;
  }
  text.remove_prefix(end);
  return number;
}

}  // namespace

std::optional<double> ConsumeDecimal(std::string_view& text) {
  double value = 0;
  if (text.empty() || !IsDigit(text[0])) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

bool ReadWording(std::string_view wording, std::string_view& text, WordingValues* values) {
  while (true) {
    // Byte by byte: most wordings differ in one of the first.
    const size_t most = std::min(wording.size(), text.size());
    size_t same = 0;
    while (same < most && wording[same] == text[same] && wording[same] != '%') ++same;
    const std::string_view left = wording.substr(same);
    if (left.empty()) {
      text.remove_prefix(same);
      return true;
    }
    if (left[0] != '%') {
      // The last blank may be missing.
      return same > 0 && same == text.size() && left.find('%') == kNotFound &&
             text == TrimRight(wording);
    }
    text.remove_prefix(same);
    const char code = left[1];
    wording = left.substr(2);
    if (code == 'w') return !Trim(text).empty();
    if (code == '$') return text.empty();
    if (code == 't' || code == '*') {
      const std::string_view next = HeadOf(wording);
      const size_t end = next.empty() ? text.size() : FindText(text, next);
      if (end == kNotFound) return false;
      if (code == 't' && values != nullptr) values->text = Trim(text.substr(0, end));
      text.remove_prefix(end);
      continue;
    }
    const std::optional<double> number = ConsumeGroupedNumber(text);
    if (!number) return false;
    if (values == nullptr) continue;
    if (code == 's') values->seconds = number;
    if (code == 'g') values->gib = number;
    if (code == 'e') values->expected_gib = number;
    if (code == 'n') values->count = static_cast<int64_t>(std::min(*number, 1e15));
  }
}

namespace {

/// The same for one wording: most differ in the first letter.
bool BeginsWith(std::string_view text, std::string_view wording) {
  return (wording[0] == text[0] || wording[0] == '%') && Fits(wording, text);
}

}  // namespace

bool BeginsWithAny(std::string_view text, const Wordings& wordings) {
  return !text.empty() && std::ranges::any_of(wordings, [text](std::string_view wording) {
    return BeginsWith(text, wording);
  });
}

bool BeginsWithAny(std::string_view text, std::string_view wordings) {
  while (!text.empty() && !wordings.empty()) {
    const size_t bar = std::min(wordings.find('|'), wordings.size());
    if (BeginsWith(text, wordings.substr(0, bar))) return true;
    wordings.remove_prefix(std::min(bar + 1, wordings.size()));
  }
  return false;
}

Wordings SplitWordings(std::string_view wordings) {
  Wordings list;
  while (!wordings.empty()) {
    const size_t bar = std::min(wordings.find('|'), wordings.size());
    list.push_back(wordings.substr(0, bar));
    wordings.remove_prefix(std::min(bar + 1, wordings.size()));
  }
  return list;
}

}  // namespace shapewise
