// Times as PyTorch/XLA's metrics print them.

#ifndef SHAPEWISE_INGEST_MESSAGES_XLA_TIME_H_
#define SHAPEWISE_INGEST_MESSAGES_XLA_TIME_H_

#include <optional>
#include <string_view>

namespace shapewise {

/// Reads the decimal number that `text` begins with, such as "0.125000 GB"; absent if there is
/// none ("Unknown  GB").
std::optional<double> ParseDecimal(std::string_view text);

/// Reads the time that `text` begins with, such as "06m12s500ms000.000us", in seconds. Absent if
/// there is none, or if it is cut before its microseconds.
///
/// The printer takes the whole part of each unit off, but prints it rounded: 1.6 s is
/// "02s600ms000.000us". So a field whose rest is half a unit or more shows one too many. Where the
/// rest is exactly half, the last digit is ambiguous, and the smaller reading is given.
///
/// Source: torch_xla/csrc/runtime/metrics.cc, MetricFnTime.
std::optional<double> ParseXlaTime(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_MESSAGES_XLA_TIME_H_
