#include "ranks/log_seconds.h"

#include <chrono>
#include <cmath>

namespace shapewise {
namespace {

constexpr int kLeapYear = 2024;  // used when the year is not printed, because it has all days
constexpr int64_t kMicrosPerDay = 86'400'000'000;

std::chrono::sys_days DayOf(const LogTime& time) {
  return std::chrono::sys_days(
      std::chrono::year_month_day(std::chrono::year(time.year != 0 ? time.year : kLeapYear),
                                  std::chrono::month(time.month), std::chrono::day(time.day)));
}

}  // namespace

double SecondsOf(const LogTime& time) {
  if (!time.known() || time.month == 0) return kNoTime;
  return static_cast<double>(DayOf(time).time_since_epoch().count()) * kSecondsPerDay +
         static_cast<double>(time.micros) * 1e-6;
}

LogTime EarlierBy(const LogTime& time, double seconds) {
  if (!time.known() || time.month == 0 || std::abs(seconds) > 366 * kSecondsPerDay) return time;
  int64_t micros = time.micros - std::llround(seconds * 1e6);
  std::chrono::sys_days day = DayOf(time);
  while (micros < 0) {
    micros += kMicrosPerDay;
    day -= std::chrono::days(1);
  }
  day += std::chrono::days(micros / kMicrosPerDay);
  const std::chrono::year_month_day date(day);
  LogTime earlier;
  if (time.year != 0) earlier.year = static_cast<int>(date.year());
  earlier.month = static_cast<uint8_t>(static_cast<unsigned>(date.month()));
  earlier.day = static_cast<uint8_t>(static_cast<unsigned>(date.day()));
  earlier.micros = micros % kMicrosPerDay;
  return earlier;
}

}  // namespace shapewise
