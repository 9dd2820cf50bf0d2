// The comparison of ranks as a person reads it: one paragraph under the headline.

#ifndef SHAPEWISE_REPORT_TEXT_RANKS_H_
#define SHAPEWISE_REPORT_TEXT_RANKS_H_

#include "report/printed_text.h"
#include "shapewise/result/rank_divergence.h"

namespace shapewise {

/// Prints how far the ranks agree, who parts from the rest at what and when, the largest skew, and
/// the longest estimated wait. Nothing where no two ranks were compared.
void PrintRanks(const RankComparison& comparison, PrintedText& page);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_TEXT_RANKS_H_
