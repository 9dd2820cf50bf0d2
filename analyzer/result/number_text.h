// Formats numbers for reports and rules.

#ifndef SHAPEWISE_RESULT_NUMBER_TEXT_H_
#define SHAPEWISE_RESULT_NUMBER_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

namespace shapewise {

/// "0-3, 6" for the ascending `ranks`.
std::string RankRanges(const std::vector<int32_t>& ranks);

/// "rank 3", "ranks 0-7", "ranks 0, 2-4".
std::string RanksText(const std::vector<int32_t>& ranks);

/// "0.42 s", "12.4 s", "3 min 20 s".
std::string SecondsText(double seconds);

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_NUMBER_TEXT_H_
