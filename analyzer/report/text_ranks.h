// The comparison of ranks for people: one paragraph below the headline.

#ifndef SHAPEWISE_REPORT_TEXT_RANKS_H_
#define SHAPEWISE_REPORT_TEXT_RANKS_H_

#include "report/document.h"
#include "shapewise/result/rank_divergence.h"

namespace shapewise {

/// Adds how far the ranks agree, which rank diverges where and when, the largest skew, and the
/// longest estimated wait. Adds nothing if ranks were not compared.
void AddRanks(const RankComparison& comparison, Document& page);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_TEXT_RANKS_H_
