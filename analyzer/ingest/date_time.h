// Dates as loggers and tables print them.

#ifndef SHAPEWISE_INGEST_DATE_TIME_H_
#define SHAPEWISE_INGEST_DATE_TIME_H_

#include <string_view>

#include "shapewise/model/span.h"

namespace shapewise {

/// Takes "2026-11-21 03:50:55.23" from the front of `text`, with 'T' for the blank, ',' for the
/// dot, and a zone right behind it ("Z", "+01:00") or none: `clock` is Clock::kEpoch with one, else
/// Clock::kLocal. False, and nothing taken, for anything else.
bool ConsumeDateTime(std::string_view& text, double& seconds, Clock& clock);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_DATE_TIME_H_
