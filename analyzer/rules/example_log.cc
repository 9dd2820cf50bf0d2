#include "rules/example_log.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr uint64_t kMaxTimes = 100'000;

/// The number in "@repeat 240"; absent: invalid.
std::optional<uint64_t> TimesOf(std::string_view line) {
  ConsumeFront(line, "@repeat ");
  const std::optional<uint64_t> times = ConsumeUint(line);
  if (!times || *times == 0 || *times > kMaxTimes || !Trim(line).empty()) return std::nullopt;
  return times;
}

void AppendNumbered(std::string_view block, uint64_t number, std::string& text) {
  while (true) {
    const size_t mark = FindText(block, "@n");
    text += block.substr(0, mark);
    if (mark == std::string_view::npos) return;
    text += std::to_string(number);
    block.remove_prefix(mark + 2);
  }
}

}  // namespace

Expected<std::string> ExpandExampleLog(std::string_view text) {
  std::string expanded;
  std::string block;
  uint64_t times = 0;  // 0: outside of a repetition
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with("@repeat")) {
      const std::optional<uint64_t> read = TimesOf(line);
      if (times > 0) return MakeError("'@repeat' inside another one");
      if (!read) return MakeError("expected a number from 1 to 100000 behind '@repeat'");
      times = *read;
    } else if (line == "@end" && times > 0) {
      for (uint64_t number = 0; number < times; ++number) AppendNumbered(block, number, expanded);
      block.clear();
      times = 0;
    } else {
      std::string& lines = times > 0 ? block : expanded;
      lines.append(line).append("\n");
    }
  }
  if (times > 0) return MakeError("'@repeat' without its '@end'");
  return expanded;
}

}  // namespace shapewise
