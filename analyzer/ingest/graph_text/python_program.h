// Tells a program from what PyTorch prints of a graph, which is Python as well.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_PYTHON_PROGRAM_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_PYTHON_PROGRAM_H_

#include <string_view>

namespace shapewise {

/// Whether a file called `name` that begins with `front` is code that somebody wrote: it imports
/// modules and is none of the programs that PyTorch writes down with a graph in them (repros, and
/// modules of GraphModule.to_folder). What it says in `forward` is no captured graph.
bool IsPythonProgram(std::string_view name, std::string_view front);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_PYTHON_PROGRAM_H_
