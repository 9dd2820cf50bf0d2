// Methods of TorchScript code as graphs, with the methods that they call written into them.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_READER_H_
#define SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_READER_H_

#include <string>
#include <utility>
#include <vector>

#include "ingest/formats/torchscript/code_library.h"
#include "ingest/formats/torchscript/module_state.h"
#include "ingest/graph_text/graph_builder.h"

namespace shapewise {

/// What the methods of one input are read from.
struct CodeInput {
  const CodeLibrary& library;
  ModuleState* state = nullptr;      ///< data.pkl; null: not at hand
  ModuleState* constants = nullptr;  ///< constants.pkl; null: not at hand
  GraphOrigin origin;
  std::string member;  ///< of the archive; empty: the lines of the code are those of the input
};

/// Appends the graphs of `methods`, each with its class; null: it is a function. Calls of methods
/// and functions whose code is at hand are followed, so that the graph is that of the whole module;
/// attributes that are tensors become get_attr nodes with the shapes that data.pkl tells.
/// `torch.add` becomes "aten::add", `ops.prim.X` "prim::X". A loop or a condition is a node with
/// blocks, as in the IR. What reading takes is limited in all, since a few lines of code can call
/// each other without end. Source: torch/csrc/jit/serialization/python_print.cpp.
void ReadMethods(const CodeInput& input,
                 const std::vector<std::pair<const CodeClass*, CodeFunction>>& methods,
                 GraphSet& graphs);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_READER_H_
