// What is wrong with the start of an inference server, or with its serving.

#ifndef SHAPEWISE_ANALYZER_SERVER_SERVER_CAUSES_H_
#define SHAPEWISE_ANALYZER_SERVER_SERVER_CAUSES_H_

#include <deque>
#include <vector>

#include "server/server_starts.h"
#include "shapewise/causes/cause.h"
#include "shapewise/result/server_report.h"

namespace shapewise {

/// One cause for each word of ServerWhyNames() that holds in a start; of several starts in which it
/// holds, the first with the count of all. `report` is that of the same starts.
std::vector<Cause> FindServerCauses(const Session& session, const std::deque<ServerStart>& starts,
                                    const ServerReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SERVER_SERVER_CAUSES_H_
