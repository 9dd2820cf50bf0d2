// Profiles as Chrome's trace viewer reads them: torch.profiler's, PyTorch's chromium events, and
// what is made of `perf script` and of Nsight Systems.

#ifndef SHAPEWISE_INGEST_FORMATS_CHROME_TRACE_CHROME_TRACE_FORMAT_H_
#define SHAPEWISE_INGEST_FORMATS_CHROME_TRACE_CHROME_TRACE_FORMAT_H_

#include <memory>

#include "ingest/log_format.h"

namespace shapewise {

std::unique_ptr<LogFormat> NewChromeTraceFormat();

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_CHROME_TRACE_CHROME_TRACE_FORMAT_H_
