#include "ingest/formats/torchscript/ir_reader.h"
#include "ingest/graph_format.h"

namespace shapewise {
namespace {

bool SniffTorchScriptIr(const GraphInput& input) { return HasIrGraph(input.bytes); }

Error ReadTorchScriptIr(const GraphInput& input, GraphSet& graphs) {
  ReadIrGraphs(input, graphs);
  return Error::success();
}

}  // namespace

const GraphFormat kTorchScriptIrFormat{SniffTorchScriptIr, ReadTorchScriptIr};

}  // namespace shapewise
