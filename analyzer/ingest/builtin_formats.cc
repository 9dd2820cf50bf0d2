// The list of formats, one line each; the first whose Sniff says yes reads the input.

#include "ingest/formats/call_records/call_records_format.h"
#include "ingest/formats/chrome_trace/chrome_trace_format.h"
#include "ingest/formats/partial/partial_format.h"
#include "ingest/formats/step_times/step_times_format.h"
#include "ingest/formats/torch_log/torch_log_format.h"
#include "ingest/formats/torch_trace/torch_trace_format.h"
#include "ingest/log_format.h"

namespace shapewise {

const std::vector<std::unique_ptr<LogFormat>>& BuiltinFormats() {
  static const std::vector<std::unique_ptr<LogFormat>> formats = [] {
    std::vector<std::unique_ptr<LogFormat>> list;
    list.push_back(NewPartialFormat());
    list.push_back(NewCallRecordsFormat());
    list.push_back(NewChromeTraceFormat());
    list.push_back(NewStepTimesFormat());
    list.push_back(NewTorchTraceFormat());
    list.push_back(NewTorchLogFormat());
    return list;
  }();
  return formats;
}

}  // namespace shapewise
