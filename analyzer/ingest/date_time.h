// Dates and units of time as loggers and tables print them.

#ifndef SHAPEWISE_INGEST_DATE_TIME_H_
#define SHAPEWISE_INGEST_DATE_TIME_H_

#include <optional>
#include <string>
#include <string_view>

#include "shapewise/model/span.h"

namespace shapewise {

/// Takes "2026-11-21 03:50:55.23" from the front of `text`, with 'T' for the blank, ',' for the
/// dot, and a zone right after it ("Z", "+01:00") or none: `clock` is Clock::kEpoch with one, else
/// Clock::kLocal. False, and nothing taken, for anything else.
bool ConsumeDateTime(std::string_view& text, double& seconds, Clock& clock);

/// Takes "V1121 04:07:24.693000 ", the front of a line of torch's, from the front of `text`; the
/// year is not printed. False, and nothing taken, for anything else.
bool ConsumeGlogTime(std::string_view& text, LogTime& time);

/// Seconds in one unit called `name`: "ms", "sec", "microseconds"; absent: it is no unit of time.
std::optional<double> SecondsInUnit(std::string_view name);

/// The name of a column: "step_time_ms", "Latency [ns]", "time", "us".
struct UnitName {
  std::string stem;  ///< without the unit, in lower case, with underscores; of "us" empty
  std::optional<double> seconds;  ///< in one unit; absent: the name has none
};
UnitName SplitUnit(std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_DATE_TIME_H_
