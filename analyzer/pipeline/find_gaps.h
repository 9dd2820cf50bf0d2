// Finds what is not visible in the input, so that missing records are not mistaken for good news.

#ifndef SHAPEWISE_PIPELINE_FIND_GAPS_H_
#define SHAPEWISE_PIPELINE_FIND_GAPS_H_

#include <string>
#include <vector>

#include "shapewise/model/session.h"
#include "shapewise/result/finding.h"

namespace shapewise {

/// One sentence per gap, in a fixed order: what is missing and, if possible, how to get it. If
/// nothing of torch was recognized, only that and damage are reported.
std::vector<std::string> FindGaps(const Session& session, const RunSummary& summary,
                                  const StepReport& steps);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_FIND_GAPS_H_
