// Dates and units of time as loggers and tables print them.

#ifndef SHAPEWISE_INGEST_DATE_TIME_H_
#define SHAPEWISE_INGEST_DATE_TIME_H_

#include <optional>
#include <string>
#include <string_view>

#include "model/span.h"

namespace shapewise {

/// Removes "2026-11-21 03:50:55.23" from the front of `text`; 'T' may replace the blank, ',' the
/// dot, and a zone ("Z", "+01:00") may follow: `clock` is Clock::kEpoch with a zone, else
/// Clock::kLocal. False, with `text` unchanged, for anything else.
bool ConsumeDateTime(std::string_view& text, double& seconds, Clock& clock);

/// Removes "2023-11-06 14:54:45,922" from the front of `text`, as ConsumeDateTime does, without the
/// zone. False, with `text` unchanged, for anything else.
bool ConsumeLocalTime(std::string_view& text, LogTime& time);

/// The same for "05-06 09:12:01", with or without a fraction.
bool ConsumeMonthTime(std::string_view& text, LogTime& time);

/// Removes "V1121 04:07:24.693000 ", the front of a torch log line, from the front of `text`; the
/// year is not printed. False, with `text` unchanged, for anything else.
bool ConsumeGlogTime(std::string_view& text, LogTime& time);

/// Seconds per unit called `name`: "ms", "sec", "microseconds"; absent: not a unit of time.
std::optional<double> SecondsInUnit(std::string_view name);

/// The name of a column: "step_time_ms", "Latency [ns]", "time", "us".
struct UnitName {
  std::string stem;  ///< without the unit, in lower case, with underscores; empty for "us"
  std::optional<double> seconds;  ///< per unit; absent: the name contains no unit
};
UnitName SplitUnit(std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_DATE_TIME_H_
