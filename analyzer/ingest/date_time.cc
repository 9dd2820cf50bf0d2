#include "ingest/date_time.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Removes a number of `num_digits` digits, `least` to `most`, from the front of `text`; -1: there
/// is no such number.
int64_t TakeNumber(std::string_view& text, size_t num_digits, int64_t least, int64_t most) {
  if (text.size() < num_digits) return -1;
  int64_t value = 0;
  for (const char digit : text.substr(0, num_digits)) {
    if (!IsDigit(digit)) return -1;
    value = value * 10 + (digit - '0');
  }
  text.remove_prefix(num_digits);
  return value >= least && value <= most ? value : -1;
}

/// Removes "11-21 03:50:55.23" from the front of `text`, with `separator` in the date and any of
/// `ends` behind it. False, with `text` in an undefined position, for anything else.
bool TakeMonthTime(std::string_view& text, std::string_view separator, std::string_view ends,
                   LogTime& time) {
  const int64_t month = TakeNumber(text, 2, 1, 12);
  if (!ConsumeFront(text, separator)) return false;
  const int64_t day = TakeNumber(text, 2, 1, 31);
  if (text.empty() || ends.find(text[0]) == kNotFound) return false;
  text.remove_prefix(1);
  const int64_t hour = TakeNumber(text, 2, 0, 23);
  if (!ConsumeFront(text, ":")) return false;
  const int64_t minute = TakeNumber(text, 2, 0, 59);
  if (!ConsumeFront(text, ":")) return false;
  const int64_t second = TakeNumber(text, 2, 0, 60);  // 60 is a leap second
  if (std::min({month, day, hour, minute, second}) < 0) return false;
  time.month = static_cast<uint8_t>(month);
  time.day = static_cast<uint8_t>(day);
  time.micros = ((hour * 60 + minute) * 60 + second) * 1'000'000;
  if (text.size() < 2 || (text[0] != '.' && text[0] != ',') || !IsDigit(text[1])) return true;
  text.remove_prefix(1);
  for (int64_t unit = 100'000; !text.empty() && IsDigit(text[0]); unit /= 10) {
    time.micros += (text[0] - '0') * unit;
    text.remove_prefix(1);
  }
  return true;
}

}  // namespace

bool ConsumeMonthTime(std::string_view& whole, LogTime& time) {
  std::string_view text = whole;
  LogTime read;
  if (!TakeMonthTime(text, "-", " ", read)) return false;
  time = read;
  whole = text;
  return true;
}

bool ConsumeGlogTime(std::string_view& whole, LogTime& time) {
  std::string_view text = whole;
  if (text.empty() || text[0] < 'A' || text[0] > 'Z') return false;
  text.remove_prefix(1);
  LogTime read;
  if (!TakeMonthTime(text, "", " ", read) || !ConsumeFront(text, " ")) return false;
  time = read;
  whole = text;
  return true;
}

bool ConsumeLocalTime(std::string_view& whole, LogTime& time) {
  std::string_view text = whole;
  LogTime read;
  const int64_t year = TakeNumber(text, 4, 1970, 9999);
  if (year < 0 || !ConsumeFront(text, "-") || !TakeMonthTime(text, "-", " T", read)) return false;
  read.year = static_cast<int32_t>(year);
  time = read;
  whole = text;
  return true;
}

bool ConsumeDateTime(std::string_view& whole, double& seconds, Clock& clock) {
  std::string_view text = whole;
  LogTime time;
  if (!ConsumeLocalTime(text, time)) return false;
  const bool is_west = text.starts_with('-');
  if (!ConsumeFront(text, "Z") && !ConsumeFront(text, "+") && !ConsumeFront(text, "-")) {
    clock = Clock::kLocal;
    seconds = *LocalSeconds(time);
    whole = text;
    return true;
  }
  int64_t zone = 0;
  if (whole[whole.size() - text.size() - 1] != 'Z') {
    const int64_t hours = TakeNumber(text, 2, 0, 99);
    ConsumeFront(text, ":");
    const int64_t minutes = TakeNumber(text, 2, 0, 99);
    if (hours < 0 || minutes < 0) return false;
    zone = (hours * 3600 + minutes * 60) * (is_west ? -1 : 1);
  }
  const auto first = std::chrono::year(time.year) / std::chrono::month(time.month) / 1;
  const int64_t days = std::chrono::sys_days(first).time_since_epoch().count() + time.day - 1;
  clock = Clock::kEpoch;
  seconds = static_cast<double>(days * 86400 - zone) + static_cast<double>(time.micros) / 1e6;
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
