// The text of TorchScript's IR, graph by graph.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_IR_READER_H_
#define SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_IR_READER_H_

#include <cstdint>
#include <string_view>

#include "ingest/graph_format.h"

namespace shapewise {

/// The name of the format in reports.
inline constexpr std::string_view kTorchScriptIr = "torchscript_ir";

/// Whether a graph of the IR begins in the first 64 KiB of `text`.
bool HasIrGraph(std::string_view text);

/// Appends every graph of the IR in `input` to `graphs`; text around them is passed over, and so is
/// the head that TORCH_JIT_LOG_LEVEL puts before each line ("[DUMP inliner.cpp:12] "). A graph
/// under "with prim::DifferentiableGraph_0 = " is a subgraph of the one above it. What the blocks
/// of a node take and return are keyword arguments of it: block0=((inputs), (outputs)).
/// Source: torch/csrc/jit/ir/ir.cpp, Graph::print and Node::print.
void ReadIrGraphs(const GraphInput& input, GraphSet& graphs);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_IR_READER_H_
