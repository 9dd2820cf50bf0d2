// The starts of inference servers in a few lines.

#ifndef SHAPEWISE_REPORT_TEXT_SERVER_H_
#define SHAPEWISE_REPORT_TEXT_SERVER_H_

#include "report/printed_text.h"
#include "shapewise/result/server_report.h"

namespace shapewise {

/// Prints where each start went, a line a worker; nothing without a server. Without `all`, only the
/// first few workers of each start.
void PrintServer(const ServerReport& report, bool all, PrintedText& page);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_TEXT_SERVER_H_
