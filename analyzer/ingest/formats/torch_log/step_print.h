// What training loops print of a step: its number and how long it took.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_STEP_PRINT_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_STEP_PRINT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "ingest/log_format.h"
#include "shapewise/model/span.h"

namespace shapewise {

/// One print of a step, as far as it is clear.
struct StepPrint {
  int64_t number = 0;
  std::optional<double> seconds = {};  ///< absent: not printed
  Clock clock = Clock::kUnknown;       ///< kUnknown: the line has no time
  double time = 0;                     ///< of the line, by `clock`
};

/// Reads one line without escapes and carriage returns; docs/log-formats/step-prints.md lists the
/// forms. Absent for everything else, and for what may be read in two ways.
std::optional<StepPrint> ReadStepPrint(std::string_view line);

/// A reader that passes everything on to `torch` and looks at each line for a print of a step. It
/// costs a second search of every line, which is why it is an option.
std::unique_ptr<LogReader> NewStepPrintReader(std::unique_ptr<LogReader> torch, Session& session,
                                              uint32_t input);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_STEP_PRINT_H_
