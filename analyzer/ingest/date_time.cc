#include "ingest/date_time.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// Removes a number of `num_digits` digits, `least` to `most`, from the front of `text`; -1: there
/// is no such number.
int64_t TakeNumber(std::string_view& text, size_t num_digits, int64_t least, int64_t most) {
  std::string_view digits = text.substr(0, num_digits);
  if (digits.size() < num_digits || !std::ranges::all_of(digits, IsDigit)) return -1;
  text.remove_prefix(num_digits);
  const int64_t value = *ConsumeUint<int64_t>(digits);
  return value >= least && value <= most ? value : -1;
}

/// Removes ".23" or ",23" from the front of `text`; absent: no digit follows the dot.
std::optional<double> TakeFraction(std::string_view& text) {
  double fraction = 0;
  if (!ConsumeFront(text, ".") && !ConsumeFront(text, ",")) return fraction;
  if (text.empty() || !IsDigit(text[0])) return std::nullopt;
  for (double place = 0.1; !text.empty() && IsDigit(text[0]); text.remove_prefix(1), place *= 0.1) {
    fraction += (text[0] - '0') * place;
  }
  return fraction;
}

/// Removes "03:50:55.23" from the front of `text`: seconds since midnight.
std::optional<double> TakeClock(std::string_view& text) {
  const int64_t hour = TakeNumber(text, 2, 0, 23);
  if (hour < 0 || !ConsumeFront(text, ":")) return std::nullopt;
  const int64_t minute = TakeNumber(text, 2, 0, 59);
  if (minute < 0 || !ConsumeFront(text, ":")) return std::nullopt;
  const int64_t second = TakeNumber(text, 2, 0, 60);
  const std::optional<double> fraction = TakeFraction(text);
  if (second < 0 || !fraction) return std::nullopt;
  return static_cast<double>(hour * 3600 + minute * 60 + second) + *fraction;
}

LogTime TimeOf(int64_t month, int64_t day, double seconds_of_day) {
  LogTime time;
  time.month = static_cast<uint8_t>(month);
  time.day = static_cast<uint8_t>(day);
  time.micros = static_cast<int64_t>(std::llround(seconds_of_day * 1e6));
  return time;
}

}  // namespace

bool ConsumeGlogTime(std::string_view& whole, LogTime& time) {
  std::string_view text = whole;
  if (text.empty() || text[0] < 'A' || text[0] > 'Z') return false;
  text.remove_prefix(1);
  const int64_t month = TakeNumber(text, 2, 1, 12);
  const int64_t day = TakeNumber(text, 2, 1, 31);
  if (month < 0 || day < 0 || !ConsumeFront(text, " ")) return false;
  const std::optional<double> of_day = TakeClock(text);
  if (!of_day || !ConsumeFront(text, " ")) return false;
  time = TimeOf(month, day, *of_day);
  whole = text;
  return true;
}

bool ConsumeDateTime(std::string_view& whole, double& seconds, Clock& clock) {
  std::string_view text = whole;
  const int64_t year = TakeNumber(text, 4, 1970, 9999);
  if (year < 0 || !ConsumeFront(text, "-")) return false;
  const int64_t month = TakeNumber(text, 2, 1, 12);
  if (month < 0 || !ConsumeFront(text, "-")) return false;
  const int64_t day = TakeNumber(text, 2, 1, 31);
  if (day < 0 || !(ConsumeFront(text, " ") || ConsumeFront(text, "T"))) return false;
  const std::optional<double> of_day = TakeClock(text);
  if (!of_day) return false;
  const bool is_west = text.starts_with('-');
  if (ConsumeFront(text, "Z") || ConsumeFront(text, "+") || ConsumeFront(text, "-")) {
    int64_t zone = 0;
    if (whole[whole.size() - text.size() - 1] != 'Z') {
      const int64_t hours = TakeNumber(text, 2, 0, 99);
      ConsumeFront(text, ":");
      const int64_t minutes = TakeNumber(text, 2, 0, 99);
      if (hours < 0 || minutes < 0) return false;
      zone = (hours * 3600 + minutes * 60) * (is_west ? -1 : 1);
    }
    const auto first = std::chrono::year(static_cast<int>(year)) /
                       std::chrono::month(static_cast<unsigned>(month)) / 1;
    const int64_t days = std::chrono::sys_days(first).time_since_epoch().count() + day - 1;
    clock = Clock::kEpoch;
    seconds = static_cast<double>(days * 86400 - zone) + *of_day;
  } else {
    clock = Clock::kLocal;
    seconds = *LocalSeconds(TimeOf(month, day, *of_day));
  }
  whole = text;
  return true;
}

std::optional<double> SecondsInUnit(std::string_view name) {
  return llvm::StringSwitch<std::optional<double>>(name)
      .Cases("s", "sec", "secs", "seconds", 1)
      .Cases("ms", "msec", "milliseconds", 1e-3)
      .Cases("us", "usec", "microseconds", 1e-6)
      .Cases("ns", "nanoseconds", 1e-9)
      .Default(std::nullopt);
}

UnitName SplitUnit(std::string_view name) {
  UnitName split;
  split.stem = llvm::StringRef(Trim(name)).lower();
  std::ranges::replace(split.stem, ' ', '_');
  std::ranges::replace(split.stem, '-', '_');
  constexpr std::string_view kBetween = "_([/";
  std::string_view stem = split.stem;
  while (stem.ends_with(')') || stem.ends_with(']')) stem.remove_suffix(1);
  const size_t begin = stem.find_last_of(kBetween) + 1;  // 0 where none of them is
  split.seconds = SecondsInUnit(stem.substr(begin));
  if (!split.seconds) return split;
  stem = stem.substr(0, begin);
  split.stem.resize(stem.find_last_not_of(kBetween) + 1);
  return split;
}

}  // namespace shapewise
