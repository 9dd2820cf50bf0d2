// Files in which FX graphs are printed, and nothing stands in front of their lines.

#ifndef SHAPEWISE_INGEST_FORMATS_FX_TEXT_FX_TEXT_FORMAT_H_
#define SHAPEWISE_INGEST_FORMATS_FX_TEXT_FX_TEXT_FORMAT_H_

#include <memory>

#include "ingest/graph_format.h"

namespace shapewise {

/// print(graph), print_readable, print_tabular, GraphModule.code, print(GraphModule),
/// print(ExportedProgram), fx_graph_runnable.py and its kin; several in one file too.
std::unique_ptr<GraphFormat> NewFxTextFormat();

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_FX_TEXT_FX_TEXT_FORMAT_H_
