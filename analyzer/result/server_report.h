// How an inference server started, and problems while serving.

#ifndef SHAPEWISE_RESULT_SERVER_REPORT_H_
#define SHAPEWISE_RESULT_SERVER_REPORT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shapewise {

/// One worker of one start (contract, section 2, server). Absent: not logged.
struct ServerWorker {
  uint32_t start = 0;  ///< number of the start in the log, from 0
  std::string engine;  ///< "vllm", "sglang"
  std::string worker;  ///< as printed; "EngineCore" if vLLM prints no name; empty: unknown
  std::optional<double> dynamo_seconds;
  std::map<std::string, double> inductor_seconds;  ///< "1-2730", "dynamic", "8" -> seconds
  std::optional<double> total_seconds;  ///< of torch.compile, for all models of the worker
  std::optional<double> graph_capture_seconds;
  std::optional<double> engine_init_seconds;  ///< of the engine: the start except loading the model
  /// Part of it that no other line explains; of the slowest worker.
  std::optional<double> unaccounted_seconds;
  std::string cache;                     ///< "cold", "warm", "mixed", "off"; empty: unknown
  std::string cache_dir;                 ///< empty: unknown
  std::optional<int64_t> capture_sizes;  ///< number of captured sizes
  /// By mode, "PIECEWISE" -> 19, from progress bars.
  std::map<std::string, int64_t> captured_graphs;
  std::string mode;  ///< of CUDA graphs; empty: unknown
  /// Seconds by the names in analyzer/docs/server-logs.md: "load_weights", "compile" ...
  std::map<std::string, double> phases;
};

/// All starts in the inputs.
struct ServerReport {
  std::vector<ServerWorker> workers;  ///< by start, then in log order

  bool empty() const { return workers.empty(); }
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_SERVER_REPORT_H_
