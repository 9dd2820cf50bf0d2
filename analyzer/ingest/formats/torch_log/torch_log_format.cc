// The format of last resort: any text may hold what torch logged.

#include "ingest/formats/torch_log/torch_log_format.h"

#include <utility>

#include "ingest/formats/torch_log/step_print_reader.h"
#include "ingest/formats/torch_log/torch_log_reader.h"

namespace shapewise {
namespace {

class TorchLogFormat final : public LogFormat {
 public:
  std::string_view name() const override { return "torch-log"; }
  bool Sniff(std::string_view) const override { return true; }
  std::unique_ptr<LogReader> NewReader(Session& session, uint32_t input,
                                       const ReadOptions& options) const override {
    std::unique_ptr<LogReader> reader = std::make_unique<TorchLogReader>(session, input, options);
    if (!options.step_prints) return reader;
    return std::make_unique<StepPrintReader>(std::move(reader), session, input);
  }
};

}  // namespace

std::unique_ptr<LogFormat> NewTorchLogFormat() { return std::make_unique<TorchLogFormat>(); }

}  // namespace shapewise
