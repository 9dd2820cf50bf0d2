// Prints starts of inference servers in a few lines.

#ifndef SHAPEWISE_REPORT_TEXT_SERVER_H_
#define SHAPEWISE_REPORT_TEXT_SERVER_H_

#include "report/printed_text.h"
#include "shapewise/result/server_report.h"

namespace shapewise {

/// Prints the time of each start by phase, one line per worker; nothing without a server. Without
/// `all`, only the first few workers of each start.
void PrintServer(const ServerReport& report, bool all, PrintedText& page);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_TEXT_SERVER_H_
