// The comparison of ranks as a person reads it: one paragraph under the headline.

#ifndef SHAPEWISE_REPORT_TEXT_RANKS_H_
#define SHAPEWISE_REPORT_TEXT_RANKS_H_

#include <string>

#include "report/printed_text.h"
#include "shapewise/result/rank_divergence.h"

namespace shapewise {

/// The comparison of two ranks or more in words: how far they agree, who parts from the rest at
/// what and when, the largest skew, and the longest estimated wait.
struct RankWords {
  std::string before;
  std::string parted;  ///< who parted; empty: nobody
  std::string after;
};
RankWords WordsOf(const RankComparison& comparison);

/// Prints how far the ranks agree, who parts from the rest at what and when, the largest skew, and
/// the longest estimated wait. Nothing where no two ranks were compared.
void PrintRanks(const RankComparison& comparison, PrintedText& page);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_TEXT_RANKS_H_
