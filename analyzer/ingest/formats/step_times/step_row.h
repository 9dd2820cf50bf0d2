// One row of a table of step times.

#ifndef SHAPEWISE_INGEST_FORMATS_STEP_TIMES_STEP_ROW_H_
#define SHAPEWISE_INGEST_FORMATS_STEP_TIMES_STEP_ROW_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "shapewise/model/span.h"

namespace shapewise {

/// What the first column counts.
enum class StepColumn : uint8_t {
  kUnnamed,  ///< no header: the numbers have to tell
  kStep,     ///< numbers of steps
  kTime,     ///< moments, at the begin or the end of each step
  kBegin,    ///< moments at which steps begin
  kEnd,      ///< moments at which steps end
};

/// What a table's header says.
struct StepHeader {
  StepColumn column = StepColumn::kUnnamed;
  double unit = 1;  ///< seconds in one unit of the second column
};

/// One row: what is in the first column, and how long the step took.
struct StepRow {
  double first = 0;               ///< a number, or seconds by `clock`
  Clock clock = Clock::kUnknown;  ///< kUnknown: a plain number
  double seconds = 0;
};

/// Reads "step,seconds", "time;ms", "iteration\tstep_time_ms". Absent: two columns with names of
/// another sort, or another number of columns.
std::optional<StepHeader> ReadStepHeader(std::string_view line);

/// Reads "12,0.31" or "2026-11-21 03:50:55.2,310" (`unit` is 0.001 then). Absent: not two fields
/// between ',', ';' or tab, no plain numbers, a negative duration, or one of more than a year.
std::optional<StepRow> ReadStepRow(std::string_view line, double unit);

/// Whether there is nothing to read in `line`: blank, or a comment behind '#'.
bool IsBlankRow(std::string_view line);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_STEP_TIMES_STEP_ROW_H_
