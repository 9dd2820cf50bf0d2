// Measured numbers as reports word them: about three digits that matter.

#ifndef SHAPEWISE_REPORT_MEASURED_TEXT_H_
#define SHAPEWISE_REPORT_MEASURED_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "shapewise/result/replay_report.h"

namespace shapewise {

/// `number` with so many digits behind the point, at most 3.
std::string Fixed(double number, int digits);

/// Digits behind the point that leave about three that matter.
int DigitsFor(double number);

/// "812 ± 9": half the width of the interval behind it. "-": absent.
std::string RangeText(const std::optional<MeasuredRange>& range);

/// "12.3 MiB"; "-": absent.
std::string BytesText(const std::optional<uint64_t>& bytes);

/// "0.18 ms"
std::string CallTimeText(double seconds);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_MEASURED_TEXT_H_
