// TORCH_LOGS text of every PyTorch since 2.0, and PyTorch/XLA's debug text among it.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_TORCH_LOG_FORMAT_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_TORCH_LOG_FORMAT_H_

#include <memory>

#include "ingest/log_format.h"

namespace shapewise {

std::unique_ptr<LogFormat> NewTorchLogFormat();

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_TORCH_LOG_FORMAT_H_
