#include "ingest/date_time.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

std::optional<uint64_t> ReadDigits(std::string_view& text, size_t num_digits) {
  if (text.size() < num_digits) return std::nullopt;
  std::string_view digits = text.substr(0, num_digits);
  if (!std::all_of(digits.begin(), digits.end(), IsDigit)) return std::nullopt;
  text.remove_prefix(num_digits);
  return ConsumeUint(digits);
}

/// Days from 1970-01-01 to a day of the Gregorian calendar.
int64_t DaysSinceEpoch(int64_t year, int64_t month, int64_t day) {
  // Years begin in March here, so that the leap day is a year's last.
  const int64_t shifted = month <= 2 ? year - 1 : year;
  const int64_t era = shifted / 400;
  const int64_t year_of_era = shifted - era * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719468;
}

}  // namespace

bool ConsumeDateTime(std::string_view& whole, double& seconds, Clock& clock) {
  std::string_view text = whole;
  const auto year = ReadDigits(text, 4);
  if (!year || *year < 1970 || !ConsumeFront(text, "-")) return false;
  const auto month = ReadDigits(text, 2);
  if (!month || *month < 1 || *month > 12 || !ConsumeFront(text, "-")) return false;
  const auto day = ReadDigits(text, 2);
  if (!day || *day < 1 || *day > 31) return false;
  if (!ConsumeFront(text, " ") && !ConsumeFront(text, "T")) return false;
  const auto hour = ReadDigits(text, 2);
  if (!hour || *hour > 23 || !ConsumeFront(text, ":")) return false;
  const auto minute = ReadDigits(text, 2);
  if (!minute || *minute > 59 || !ConsumeFront(text, ":")) return false;
  const auto second = ReadDigits(text, 2);
  if (!second || *second > 60) return false;
  double fraction = 0;
  if (!text.empty() && (text[0] == '.' || text[0] == ',')) {
    text.remove_prefix(1);
    double place = 0.1;
    if (text.empty() || !IsDigit(text[0])) return false;
    for (; !text.empty() && IsDigit(text[0]); text.remove_prefix(1), place *= 0.1) {
      fraction += (text[0] - '0') * place;
    }
  }
  const double of_day = static_cast<double>(*hour * 3600 + *minute * 60 + *second) + fraction;
  const bool has_zone = !text.empty() && (text[0] == 'Z' || text[0] == '+' || text[0] == '-');
  if (!has_zone) {
    LogTime time;
    time.month = static_cast<uint8_t>(*month);
    time.day = static_cast<uint8_t>(*day);
    time.micros = static_cast<int64_t>(std::llround(of_day * 1e6));
    clock = Clock::kLocal;
    seconds = *LocalSeconds(time);
    whole = text;
    return true;
  }
  int64_t zone = 0;
  if (!ConsumeFront(text, "Z")) {
    const bool is_west = text[0] == '-';
    if (!is_west && text[0] != '+') return false;
    text.remove_prefix(1);
    const auto zone_hours = ReadDigits(text, 2);
    ConsumeFront(text, ":");
    const auto zone_minutes = ReadDigits(text, 2);
    if (!zone_hours || !zone_minutes) return false;
    zone = static_cast<int64_t>(*zone_hours * 3600 + *zone_minutes * 60) * (is_west ? -1 : 1);
  }
  const int64_t days = DaysSinceEpoch(static_cast<int64_t>(*year), static_cast<int64_t>(*month),
                                      static_cast<int64_t>(*day));
  clock = Clock::kEpoch;
  seconds = static_cast<double>(days * 86400 - zone) + of_day;
  whole = text;
  return true;
}

}  // namespace shapewise
