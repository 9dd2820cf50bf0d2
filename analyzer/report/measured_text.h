// Formats measured numbers with about three significant digits.

#ifndef SHAPEWISE_REPORT_MEASURED_TEXT_H_
#define SHAPEWISE_REPORT_MEASURED_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "result/replay_report.h"

namespace shapewise {

/// `number` with `digits` digits after the point, at most 3.
std::string Fixed(double number, int digits);

/// Digits after the point for about three significant digits.
int DigitsFor(double number);

/// "812 ± 9": with half the width of its interval. "-": absent.
std::string RangeText(const std::optional<MeasuredRange>& range);

/// "12.3 MiB"; "-": absent.
std::string BytesText(const std::optional<uint64_t>& bytes);

/// "0.18 ms"
std::string CallTimeText(double seconds);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_MEASURED_TEXT_H_
