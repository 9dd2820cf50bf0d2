// The account of an inference server's start: where its seconds went, and what is wrong with it.

#ifndef SHAPEWISE_SERVER_SERVER_ACCOUNT_H_
#define SHAPEWISE_SERVER_SERVER_ACCOUNT_H_

#include <vector>

#include "shapewise/causes/cause.h"
#include "shapewise/model/session.h"
#include "shapewise/result/server_report.h"

namespace shapewise {

/// What the lines of inference servers tell.
struct ServerAccount {
  ServerReport report;
  /// Of the kind kServer: `why` is one of ServerWhyNames(), `type` the engine, `where` the line.
  std::vector<Cause> causes;
};

/// Reads the starts that the sorted `session` tells of (analyzer/docs/server-logs.md says what the
/// figures mean). Linear in its server lines, up to a logarithm.
ServerAccount ReadServerLogs(const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_SERVER_SERVER_ACCOUNT_H_
