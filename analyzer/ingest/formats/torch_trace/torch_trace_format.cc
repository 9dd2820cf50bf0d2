// Tells a structured trace by its envelopes. Its payloads quote messages, which would be read as if
// they had been logged if a trace were taken for text.

#include "ingest/formats/torch_trace/torch_trace_format.h"

#include "ingest/formats/torch_trace/torch_trace_reader.h"
#include "ingest/formats/torch_trace/trace_line.h"

namespace shapewise {
namespace {

class TorchTraceFormat final : public LogFormat {
 public:
  std::string_view name() const override { return "torch-trace"; }

  /// The first line is an envelope; or, where the front of the file was cut away, whatever is left
  /// of a line, payload lines, and then an envelope.
  bool Sniff(std::string_view head) const override {
    bool is_first = true;
    while (!head.empty()) {
      const size_t newline = head.find('\n');
      const std::string_view line = head.substr(0, newline);
      TraceLine parsed;
      if (ParseTraceLine(line, parsed)) return true;
      if (!is_first && !line.empty() && !IsPayloadLine(line)) return false;
      if (!line.empty()) is_first = false;
      if (newline == std::string_view::npos) return false;
      head.remove_prefix(newline + 1);
    }
    return false;
  }

  std::unique_ptr<LogReader> NewReader(Session& session, uint32_t input,
                                       const ReadOptions& options) const override {
    return std::make_unique<TorchTraceReader>(session, input, options);
  }
};

}  // namespace

std::unique_ptr<LogFormat> NewTorchTraceFormat() { return std::make_unique<TorchTraceFormat>(); }

}  // namespace shapewise
