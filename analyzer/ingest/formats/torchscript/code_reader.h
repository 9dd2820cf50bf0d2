// Methods of TorchScript code as graphs, with the methods that they call inlined.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_READER_H_
#define SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_READER_H_

#include <string>
#include <utility>
#include <vector>

#include "ingest/formats/torchscript/code_library.h"
#include "ingest/formats/torchscript/module_state.h"
#include "ingest/graph_text/graph_builder.h"

namespace shapewise {

/// The input for reading methods.
struct CodeInput {
  const CodeLibrary& library;
  ModuleState* state = nullptr;      ///< data.pkl; null: not available
  ModuleState* constants = nullptr;  ///< constants.pkl; null: not available
  GraphOrigin origin;
  std::string member;  ///< path in the archive; empty: lines of the code are lines of the input
};

/// Appends the graphs of `methods`, each with its class; null: a function. Inlines calls of methods
/// and functions whose code is available, so that the graph is that of the whole module; attributes
/// that are tensors become get_attr nodes with the shapes in data.pkl. `torch.add` becomes
/// "aten::add", `ops.prim.X` "prim::X". A loop or a condition is a node with blocks, as in the IR.
/// The total work is limited, because a few lines of code can cause endless calls. Source:
/// torch/csrc/jit/serialization/python_print.cpp.
void ReadMethods(const CodeInput& input,
                 const std::vector<std::pair<const CodeClass*, CodeFunction>>& methods,
                 GraphSet& graphs);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_READER_H_
