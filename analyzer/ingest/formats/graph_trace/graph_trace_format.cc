#include "ingest/formats/graph_trace/graph_trace_format.h"

#include <algorithm>

#include "ingest/formats/graph_trace/graph_trace_reader.h"

namespace shapewise {
namespace {

class GraphTraceFormat final : public GraphFormat {
 public:
  std::string_view name() const override { return "torch_trace"; }

  bool Sniff(const GraphInput& input) const override {
    std::string_view rest = input.bytes.substr(0, kGraphSniffBytes);
    while (!rest.empty()) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      TraceLine parsed;
      if (ParseTraceLine(rest.substr(0, end), parsed)) return true;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
  }

  Error Read(const GraphInput& input, GraphSet& graphs) const override {
    GraphTraceReader(graphs, input.index).Read(input.bytes);
    return Error::success();
  }
};

}  // namespace

std::unique_ptr<GraphFormat> NewGraphTraceFormat() { return std::make_unique<GraphTraceFormat>(); }

}  // namespace shapewise
