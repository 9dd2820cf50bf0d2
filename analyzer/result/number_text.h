// Formats numbers for reports and rules.

#ifndef SHAPEWISE_RESULT_NUMBER_TEXT_H_
#define SHAPEWISE_RESULT_NUMBER_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "result/replay_report.h"

namespace shapewise {

/// "0-3, 6" for the ascending `ranks`.
std::string RankRanges(const std::vector<int32_t>& ranks);

/// "rank 3", "ranks 0-7", "ranks 0, 2-4".
std::string RanksText(const std::vector<int32_t>& ranks);

/// "0.42 s", "12.4 s", "3 min 20 s".
std::string SecondsText(double seconds);

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

/// A share in words: "0.33 %", "9.8 %", "412 %"; "unknown" if not finite.
std::string PercentText(double share);
std::string PercentText(const std::optional<double>& share);  ///< empty if absent

/// A factor: "1.25x", "12.3x", "7028x"; "unknown" if not finite.
std::string FactorText(double factor);

/// Seconds in words, from "3.2 us" to "4.5 days"; "unknown" if not finite.
std::string DurationText(double seconds);
std::string DurationText(const std::optional<double>& seconds);  ///< empty if absent

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_NUMBER_TEXT_H_
