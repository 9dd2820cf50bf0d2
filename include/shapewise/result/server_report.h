// How an inference server started, and what it met while serving.

#ifndef SHAPEWISE_RESULT_SERVER_REPORT_H_
#define SHAPEWISE_RESULT_SERVER_REPORT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shapewise {

/// One worker of one start (contract, section 2, server). What the log does not state is absent.
struct ServerWorker {
  uint32_t start = 0;  ///< counts from 0 in the order of the log
  std::string engine;  ///< "vllm", "sglang"
  std::string worker;  ///< as printed; "EngineCore" where vLLM prints no name; empty: not told
  std::optional<double> dynamo_seconds;
  std::map<std::string, double> inductor_seconds;  ///< "1-2730", "dynamic", "8" -> seconds
  std::optional<double> total_seconds;             ///< of torch.compile, all models of the worker
  std::optional<double> graph_capture_seconds;
  std::optional<double> engine_init_seconds;  ///< of the engine: the start but for loading the model
  std::optional<double> unaccounted_seconds;  ///< of these, in no other line; of the slowest worker
  std::string cache;       ///< "cold", "warm", "mixed", "off"; empty: not told
  std::string cache_dir;   ///< empty: not told
  std::optional<int64_t> capture_sizes;            ///< how many sizes are captured
  std::map<std::string, int64_t> captured_graphs;  ///< by mode, "PIECEWISE" -> 19, as bars count
  std::string mode;                                ///< of CUDA graphs; empty: not told
  /// Seconds by the names of analyzer/docs/server-logs.md: "load_weights", "compile" ...
  std::map<std::string, double> phases;
};

/// All starts in the inputs.
struct ServerReport {
  std::vector<ServerWorker> workers;  ///< by start, then in the order of the log

  bool empty() const { return workers.empty(); }
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_SERVER_REPORT_H_
