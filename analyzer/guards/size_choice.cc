// "x.size()[0]=1,2,5-9".

#include <algorithm>
#include <optional>
#include <string>

#include "guards/dimension_guards.h"
#include "guards/size_names.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kMaxValues = 4096;

Error Malformed(std::string_view text, const std::string& what) {
  return MakeError("expected sizes such as \"x.size()[0]=1,2,5-9\" but got '" + std::string(text) +
                   "': " + what);
}

std::optional<int64_t> TakeInt(std::string_view& text) {
  const bool is_negative = ConsumeFront(text, "-");
  const auto number = ConsumeUint<int64_t>(text);
  if (!number) return std::nullopt;
  return is_negative ? -*number : *number;
}

}  // namespace

Expected<SizeChoice> ParseSizeChoice(std::string_view text) {
  const size_t equals = text.rfind('=');
  SizeChoice choice;
  choice.name = WithoutFrame(Trim(text.substr(0, equals)));
  if (equals == std::string_view::npos) return Malformed(text, "there is no '='");
  if (choice.name.empty()) return Malformed(text, "there is no name before the '='");
  std::string_view rest = text.substr(equals + 1);
  while (true) {
    rest = TrimLeft(rest);
    const auto first = TakeInt(rest);
    if (!first) return Malformed(text, "not a number: '" + std::string(rest) + "'");
    auto last = first;
    if (ConsumeFront(rest, "-")) last = TakeInt(rest);
    if (!last || *last < *first) return Malformed(text, "a range runs from low to high");
    if (static_cast<uint64_t>(*last) - static_cast<uint64_t>(*first) >= kMaxValues ||
        choice.values.size() >= kMaxValues) {
      return Malformed(text, "more than " + std::to_string(kMaxValues) + " values");
    }
    for (int64_t value = *first;; ++value) {
      choice.values.push_back(value);
      if (value == *last) break;
    }
    rest = TrimLeft(rest);
    if (rest.empty()) break;
    if (!ConsumeFront(rest, ","))
      return Malformed(text, "not a comma: '" + std::string(rest) + "'");
  }
  std::ranges::sort(choice.values);
  choice.values.erase(std::ranges::unique(choice.values).begin(), choice.values.end());
  return choice;
}

}  // namespace shapewise
