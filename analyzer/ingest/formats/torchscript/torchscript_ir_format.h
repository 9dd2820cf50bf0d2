// TorchScript's IR as text: print(m.graph), print(m.inlined_graph), TORCH_JIT_LOG_LEVEL.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_TORCHSCRIPT_IR_FORMAT_H_
#define SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_TORCHSCRIPT_IR_FORMAT_H_

#include <memory>

#include "ingest/graph_format.h"

namespace shapewise {

std::unique_ptr<GraphFormat> NewTorchScriptIrFormat();

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_TORCHSCRIPT_IR_FORMAT_H_
