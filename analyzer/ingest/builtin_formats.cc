// The lists of formats, one per line; the first that recognises an input reads it.

#include "ingest/graph_format.h"
#include "ingest/log_format.h"

namespace shapewise {

std::span<const LogFormat* const> BuiltinFormats() {
  static constexpr const LogFormat* kFormats[] = {
      &kPartialFormat,   &kCallRecordLogFormat, &kChromeTraceFormat,
      &kStepTimesFormat, &kTorchTraceFormat,    &kTorchLogFormat,
  };
  return kFormats;
}

std::span<const GraphFormat* const> BuiltinGraphFormats() {
  static constexpr const GraphFormat* kFormats[] = {
      &kPt2Format,           &kTorchScriptFormat,     &kOtherArchiveFormat,
      &kTorchScriptIrFormat, &kTorchScriptCodeFormat, &kGraphTraceFormat,
      &kFxTextFormat,        &kGraphLogFormat,
  };
  return kFormats;
}

}  // namespace shapewise
