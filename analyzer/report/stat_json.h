// Formats damage counters as JSON.

#ifndef SHAPEWISE_REPORT_STAT_JSON_H_
#define SHAPEWISE_REPORT_STAT_JSON_H_

#include "report/json_stream.h"
#include "shapewise/support/stats.h"

namespace shapewise {

/// Adds the list "stats": every non-zero counter.
void AddStats(const Stats& stats, JsonStream& object);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_STAT_JSON_H_
