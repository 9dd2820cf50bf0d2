#include "ingest/formats/fx_text/fx_text_format.h"

#include <string>

#include "ingest/graph_text/graph_scanner.h"
#include "ingest/graph_text/python_program.h"
#include "shapewise/support/terminal_text.h"

namespace shapewise {
namespace {

class FxTextFormat final : public GraphFormat {
 public:
  std::string_view name() const override { return "fx_text"; }

  bool Sniff(const GraphInput& input) const override {
    std::string storage;
    const std::string_view front = StripEscapes(input.bytes.substr(0, kGraphSniffBytes), storage);
    return !IsPythonProgram(input.name, front) &&
           FindGraphHead(front, /*may_be_behind=*/false) != std::string_view::npos;
  }

  Error Read(const GraphInput& input, GraphSet& graphs) const override {
    std::string storage;
    GraphOrigin origin;
    origin.input = input.index;
    GraphScanner(graphs).Scan(StripEscapes(input.bytes, storage), 1, {}, origin);
    return Error::success();
  }
};

}  // namespace

std::unique_ptr<GraphFormat> NewFxTextFormat() { return std::make_unique<FxTextFormat>(); }

}  // namespace shapewise
