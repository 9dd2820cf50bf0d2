// Printed times as numbers for arithmetic.

#ifndef SHAPEWISE_RANKS_LOG_SECONDS_H_
#define SHAPEWISE_RANKS_LOG_SECONDS_H_

#include <limits>

#include "model/event.h"

namespace shapewise {

inline constexpr double kNoTime = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kSecondsPerDay = 86400;

/// Seconds since a moment that is the same for all times of one log; kNoTime if `time` is not
/// printed. Without a year, times before and after New Year are far apart.
double SecondsOf(const LogTime& time);

/// `time` minus some seconds; unknown if `time` is.
LogTime EarlierBy(const LogTime& time, double seconds);

}  // namespace shapewise

#endif  // SHAPEWISE_RANKS_LOG_SECONDS_H_
