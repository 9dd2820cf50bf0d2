// Starts of inference servers in a few lines.

#ifndef SHAPEWISE_REPORT_TEXT_SERVER_H_
#define SHAPEWISE_REPORT_TEXT_SERVER_H_

#include "report/document.h"
#include "shapewise/result/server_report.h"

namespace shapewise {

/// Adds the time of each start by phase, one line per worker; nothing without a server. Without
/// --all, only the first few workers of each start.
void AddServer(const ServerReport& report, Document& page);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_TEXT_SERVER_H_
