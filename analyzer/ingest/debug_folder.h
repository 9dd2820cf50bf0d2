// Folders that TORCH_COMPILE_DEBUG leaves behind: what is read of them, and one graph of several.

#ifndef SHAPEWISE_INGEST_DEBUG_FOLDER_H_
#define SHAPEWISE_INGEST_DEBUG_FOLDER_H_

#include <cstddef>
#include <string_view>

#include "shapewise/model/graph_model.h"

namespace shapewise {

/// Whether the file `name`, found in a folder, is known to hold no FX graph: kernels, scheduler
/// nodes, notes of the compiler, logs that repeat what stands beside them.
bool HoldsNoGraph(std::string_view name);

/// Of the inputs from `first_input` on, joins those graphs of one folder that are the same graph as
/// fx_graph_readable.py, fx_graph_transformed.py and fx_graph_runnable.py show it: the first stays,
/// and is given what only another tells (strides, devices, hints, torch's version).
void JoinDebugFolders(GraphSet& graphs, size_t first_input);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_DEBUG_FOLDER_H_
