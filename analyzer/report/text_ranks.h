// The comparison of ranks for people: one paragraph below the headline.

#ifndef SHAPEWISE_REPORT_TEXT_RANKS_H_
#define SHAPEWISE_REPORT_TEXT_RANKS_H_

#include <string>

#include "report/document.h"
#include "shapewise/result/rank_divergence.h"

namespace shapewise {

/// The comparison of ranks in words: how far they agree, which rank diverges where and when, the
/// largest skew, and the longest estimated wait.
struct RankWords {
  std::string before;
  std::string parted;  ///< which ranks diverged; empty: none
  std::string after;
};
RankWords WordsOf(const RankComparison& comparison);

/// Adds how far the ranks agree, which rank diverges where and when, the largest skew, and the
/// longest estimated wait. Adds nothing if ranks were not compared.
void AddRanks(const RankComparison& comparison, Document& page);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_TEXT_RANKS_H_
