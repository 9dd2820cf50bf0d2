// Step reports of training loops: the number of a step and its duration.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_STEP_PRINT_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_STEP_PRINT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "ingest/log_format.h"
#include "model/span.h"

namespace shapewise {

/// One step report, as far as it is unambiguous.
struct StepPrint {
  int64_t number = 0;
  std::optional<double> seconds = {};  ///< absent: not printed
  Clock clock = Clock::kUnknown;       ///< kUnknown: the line has no time
  double time = 0;                     ///< of the line, by `clock`
};

/// Reads one line without escapes and carriage returns; docs/log-formats/step-prints.md lists the
/// forms. Absent for everything else, and for ambiguous lines.
std::optional<StepPrint> ReadStepPrint(std::string_view line);

/// A reader that passes everything to `torch` and checks each line for a step report. It costs a
/// second search of every line, so it is optional.
std::unique_ptr<LogReader> NewStepPrintReader(std::unique_ptr<LogReader> torch, Session& session,
                                              uint32_t input);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_STEP_PRINT_H_
