// TorchScript in archives (torch.jit.save) and as text (print(m.code)).

#ifndef SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_TORCHSCRIPT_FORMAT_H_
#define SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_TORCHSCRIPT_FORMAT_H_

#include <memory>

#include "ingest/graph_format.h"

namespace shapewise {

/// "torchscript": archives with code/.
std::unique_ptr<GraphFormat> NewTorchScriptFormat();

/// "torchscript_code": the code of one module.
std::unique_ptr<GraphFormat> NewTorchScriptCodeFormat();

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_TORCHSCRIPT_FORMAT_H_
