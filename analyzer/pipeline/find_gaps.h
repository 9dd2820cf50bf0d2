// Not visible in the input, so that silence is not taken for good news.

#ifndef SHAPEWISE_PIPELINE_FIND_GAPS_H_
#define SHAPEWISE_PIPELINE_FIND_GAPS_H_

#include <string>
#include <vector>

#include "shapewise/model/session.h"
#include "shapewise/result/finding.h"

namespace shapewise {

/// One sentence a gap, in a fixed order: what is missing and, where there is a way, how to get it.
/// Where nothing of torch was recognised at all, that and damage is all there is to say.
std::vector<std::string> FindGaps(const Session& session, const RunSummary& summary,
                                  const StepReport& steps);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_FIND_GAPS_H_
