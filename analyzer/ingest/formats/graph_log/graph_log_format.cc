#include "ingest/formats/graph_log/graph_log_format.h"

#include "ingest/formats/graph_log/graph_log_reader.h"
#include "ingest/graph_text/python_program.h"

namespace shapewise {
namespace {

constexpr size_t kGraphLogSniffBytes = 4096;

class GraphLogFormat final : public GraphFormat {
 public:
  std::string_view name() const override { return "torch_log"; }

  // A graph may stand at the end of gigabytes; that it is text is all that can be told here.
  bool Sniff(const GraphInput& input) const override {
    const std::string_view front = input.bytes.substr(0, kGraphLogSniffBytes);
    return front.find('\0') == std::string_view::npos && !IsPythonProgram(input.name, front);
  }

  Error Read(const GraphInput& input, GraphSet& graphs) const override {
    GraphLogReader(graphs, input.index).Read(input.bytes);
    return Error::success();
  }
};

}  // namespace

std::unique_ptr<GraphFormat> NewGraphLogFormat() { return std::make_unique<GraphLogFormat>(); }

}  // namespace shapewise
