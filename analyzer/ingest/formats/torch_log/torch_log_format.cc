// The format of last resort: any text may hold what torch logged.

#include <utility>

#include "ingest/formats/torch_log/step_print_reader.h"
#include "ingest/formats/torch_log/torch_log_reader.h"
#include "ingest/log_format.h"

namespace shapewise {
namespace {

bool SniffTorchLog(std::string_view) { return true; }
std::unique_ptr<LogReader> NewTorchLogReader(Session& session, uint32_t input,
                                             const ReadOptions& options) {
  std::unique_ptr<LogReader> reader = std::make_unique<TorchLogReader>(session, input, options);
  if (!options.step_prints) return reader;
  return std::make_unique<StepPrintReader>(std::move(reader), session, input);
}

}  // namespace

const LogFormat kTorchLogFormat{"torch-log", SniffTorchLog, NewTorchLogReader,
                                /*holds_messages=*/true};

}  // namespace shapewise
