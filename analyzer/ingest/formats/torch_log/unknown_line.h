// Lines that torch.compile printed and that no record contains.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_UNKNOWN_LINE_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_UNKNOWN_LINE_H_

#include <string_view>

#include "ingest/formats/torch_log/log_prefix.h"

namespace shapewise {

/// Whether a line that no record contains has one of the marks of docs/log-formats/torch-log.md:
/// torch.compile printed it about a graph break, a recompile, a limit or an exception. `prefix` is
/// torch's prefix of the line, or empty; `text` is the rest of the line.
bool IsUnknownMessage(const LogPrefix& prefix, std::string_view text);

/// Whether `artifact` prints nothing but breaks and recompiles.
bool PrintsOnlyRecords(std::string_view artifact);

/// Whether `text` is one of the last lines of a limit warning, which no other message has.
bool EndsLimitWarning(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_UNKNOWN_LINE_H_
