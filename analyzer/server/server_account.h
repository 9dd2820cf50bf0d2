// Analyzes an inference server's start: how long each phase took, and what is wrong.

#ifndef SHAPEWISE_SERVER_SERVER_ACCOUNT_H_
#define SHAPEWISE_SERVER_SERVER_ACCOUNT_H_

#include <vector>

#include "causes/cause.h"
#include "model/session.h"
#include "result/server_report.h"

namespace shapewise {

/// Results from the lines of inference servers.
struct ServerAccount {
  ServerReport report;
  /// Of kind kServer: `why` is one of ServerWhyNames(), `type` the engine, `where` the line.
  std::vector<Cause> causes;
};

/// Reads the server starts in the sorted `session` (meaning of the figures:
/// analyzer/docs/server-logs.md). Linear in its server lines, up to a logarithm.
ServerAccount ReadServerLogs(const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_SERVER_SERVER_ACCOUNT_H_
