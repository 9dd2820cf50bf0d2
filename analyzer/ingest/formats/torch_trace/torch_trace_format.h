// TORCH_TRACE: the structured trace that PyTorch writes, one file a process.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_TRACE_TORCH_TRACE_FORMAT_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_TRACE_TORCH_TRACE_FORMAT_H_

#include <memory>

#include "ingest/log_format.h"

namespace shapewise {

std::unique_ptr<LogFormat> NewTorchTraceFormat();

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_TRACE_TORCH_TRACE_FORMAT_H_
