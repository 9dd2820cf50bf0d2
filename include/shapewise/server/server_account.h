// The account of an inference server's start: where its seconds went.

#ifndef SHAPEWISE_SERVER_SERVER_ACCOUNT_H_
#define SHAPEWISE_SERVER_SERVER_ACCOUNT_H_

#include "shapewise/model/session.h"
#include "shapewise/result/server_report.h"

namespace shapewise {

/// The starts that the sorted `session` tells of (analyzer/docs/server-logs.md says what the
/// figures mean). Linear in its server lines, up to a logarithm.
ServerReport ReadServerStarts(const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_SERVER_SERVER_ACCOUNT_H_
