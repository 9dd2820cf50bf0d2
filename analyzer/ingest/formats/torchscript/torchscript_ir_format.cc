#include "ingest/formats/torchscript/torchscript_ir_format.h"

#include "ingest/formats/torchscript/ir_reader.h"

namespace shapewise {
namespace {

class TorchScriptIrFormat final : public GraphFormat {
 public:
  std::string_view name() const override { return kTorchScriptIr; }

  bool Sniff(const GraphInput& input) const override { return HasIrGraph(input.bytes); }

  Error Read(const GraphInput& input, GraphSet& graphs) const override {
    ReadIrGraphs(input, graphs);
    return Error::success();
  }
};

}  // namespace

std::unique_ptr<GraphFormat> NewTorchScriptIrFormat() {
  return std::make_unique<TorchScriptIrFormat>();
}

}  // namespace shapewise
