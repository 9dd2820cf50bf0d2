// Finds problems in the start of an inference server or while serving.

#ifndef SHAPEWISE_ANALYZER_SERVER_SERVER_CAUSES_H_
#define SHAPEWISE_ANALYZER_SERVER_SERVER_CAUSES_H_

#include <deque>
#include <vector>

#include "server/server_starts.h"
#include "shapewise/causes/cause.h"
#include "shapewise/result/server_report.h"

namespace shapewise {

/// One cause for each word of ServerWhyNames() that applies to a start; if it applies to several
/// starts, the first one with the total count. `report` must be for the same starts.
std::vector<Cause> FindServerCauses(const Session& session, const std::deque<ServerStart>& starts,
                                    const ServerReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SERVER_SERVER_CAUSES_H_
