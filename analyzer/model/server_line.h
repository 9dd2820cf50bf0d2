// Lines that inference servers (vLLM, SGLang) print at startup and while serving.

#ifndef SHAPEWISE_MODEL_SERVER_LINE_H_
#define SHAPEWISE_MODEL_SERVER_LINE_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/event.h"
#include "support/string_pool.h"

namespace shapewise {

/// The server that wrote a line.
enum class ServerEngine : uint8_t { kVllm, kSglang };
/// "vllm", "sglang".
std::string_view ServerEngineName(ServerEngine engine);

/// The content of a server line. Seconds, GiB and counts refer to fields of ServerLine.
enum class ServerLineKind : uint8_t {
  kStart,            ///< a process of the server begins; `text`: release or configuration
  kDistributed,      ///< processes are connected: seconds (SGLang)
  kLoadBegin,        ///< weights begin to be loaded
  kLoadWeights,      ///< weights are loaded: seconds, where printed
  kModelLoad,        ///< the model is loaded, weights included: seconds, GiB
  kCacheDir,         ///< `text`: the folder of compiled graphs
  kCacheOff,         ///< compiled graphs are not kept
  kCacheFactors,     ///< `text`: what the key of the cache is made of
  kEnvironment,      ///< a variable that is part of this key; `text`: "HOST_IP': '10.0.0.1',"
  kDynamo,           ///< Dynamo traced the model: seconds
  kCacheMiss,        ///< a graph was not in the cache and will be kept; `text`: its sizes
  kCompile,          ///< a graph was compiled: seconds; `text`: its sizes
  kCacheHit,         ///< a graph, or the whole model, came from the cache: seconds, where printed
  kCacheFailure,     ///< what was in the cache could not be used; `text`: why
  kCompileTotal,     ///< all of torch.compile for one model: seconds
  kCompileSum,       ///< all of it so far in the process: seconds (vLLM up to 0.17)
  kProfile,          ///< the first run that measures memory: seconds
  kKvMemory,         ///< what is left for the KV cache: GiB
  kKvTokens,         ///< tokens that fit into it: count
  kGraphEstimate,    ///< what CUDA graphs are expected to need: GiB
  kGraphMemory,      ///< what they needed: GiB, and the GiB that were expected
  kCaptureSizes,     ///< sizes that are captured: count; `text`: of the configuration
  kLargestSize,      ///< the largest of them: count
  kDraftTokens,      ///< tokens that each request may draft in one step: count
  kCaptureProgress,  ///< a progress bar: count of graphs in all; `text`: their mode
  kCaptureBegin,     ///< recording of CUDA graphs begins
  kCapture,          ///< CUDA graphs are recorded: seconds, GiB
  kJitWarmup,        ///< kernels were compiled ahead: seconds
  kAutotuneBegin,
  kAutotuneEnd,
  kEngineInit,   ///< all of the start but loading the model: seconds
  kStartTiming,  ///< a part of the start, of the slowest worker: seconds; `text`: its name (SGLang)
  kReady,        ///< requests are taken
  kCompileOff,   ///< nothing is compiled; `text`: the line
  kGraphsChanged,     ///< CUDA graphs are used less than asked for; `text`: the line
  kSizesChanged,      ///< other sizes are captured than asked for; `text`: the line
  kKernelJit,         ///< a kernel was compiled while serving; `text`: its name
  kRunning,           ///< requests that run at a time: count
  kUncaptured,        ///< a batch ran without CUDA graph: count of its requests
  kServingRecompile,  ///< SGLang takes it that Dynamo compiled again while serving
  kWaiting,           ///< the engine waits for a worker
};

/// "start", "load_begin", "compile_total" ...
std::string_view ServerLineKindName(ServerLineKind kind);

/// One line; fields that it does not state are absent.
struct ServerLine {
  ServerLineKind kind = ServerLineKind::kStart;
  ServerEngine engine = ServerEngine::kVllm;
  uint32_t input = 0;
  uint64_t line = 0;  ///< 1-based
  LogTime time;
  StrId worker{};  ///< as printed: "Worker_TP0"; kNone: not in the prefix
  StrId model{};   ///< a separately compiled part of the model: "eagle_head"
  StrId text{};
  std::optional<double> seconds;
  std::optional<double> gib;
  std::optional<double> expected_gib;
  std::optional<int64_t> count;
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_SERVER_LINE_H_
