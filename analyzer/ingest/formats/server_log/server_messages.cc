#include "ingest/formats/server_log/server_messages.h"

#include <algorithm>
#include <iterator>

#include "ingest/messages/wording.h"
#include "shapewise/support/literal_set.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

using ServerKind = ServerLineKind;

/// One message, by its wording; a line is searched for what stands before the first code.
struct Row {
  ServerKind kind;
  std::string_view pattern;
};

// Sources: vllm/v1/worker, vllm/compilation, vllm/v1/core and vllm/worker of the releases 0.6.6 to
// 0.33.0. Of two rows that fit, the first counts.
constexpr Row kVllmRows[] = {
    {ServerKind::kStart, "vLLM API server version %t"},
    {ServerKind::kStart, "Initializing a V1 LLM engine (v%t) with config:"},
    {ServerKind::kStart, "Initializing an LLM engine (v%t) with config:"},
    {ServerKind::kLoadBegin, "Starting to load model "},
    {ServerKind::kLoadWeights, "Loading weights took %s seconds"},
    {ServerKind::kModelLoad, "Model loading took %g GiB memory and %s seconds"},
    {ServerKind::kModelLoad, "Model loading took %g GiB and %s seconds"},
    {ServerKind::kModelLoad, "Loading model weights took %g GB"},
    {ServerKind::kCacheDir, "Using cache directory: %t for vLLM's torch.compile"},
    {ServerKind::kCacheOff, "vLLM's torch.compile cache is disabled"},
    {ServerKind::kCacheFactors, "torch.compile cache factors: %t"},
    {ServerKind::kEnvironment, "'VLLM_%t"},
    {ServerKind::kDynamo, "Dynamo bytecode transform time: %s s"},
    {ServerKind::kCacheMiss, "Cache the graph of %t for later use"},
    {ServerKind::kCacheMiss, "Cache the graph for %t for later use"},
    {ServerKind::kCompile, "Compiling a graph for %t takes %s s"},
    {ServerKind::kCacheHit, "Directly load the compiled graph(s) for %t from the cache, took %s s"},
    {ServerKind::kCacheHit, "Directly load the compiled graph for %t from the cache"},
    {ServerKind::kCacheHit, "Directly load the compiled graph for %t"},
    {ServerKind::kCacheHit, "Directly lookup the graph for %t from the cache"},
    {ServerKind::kCacheHit, "Directly load AOT compilation from path %t"},
    {ServerKind::kCacheHit, "reconstructed serializable fn from standalone compile artifacts"},
    {ServerKind::kCacheFailure, "Cannot load aot compilation from path %*, error: %t"},
    {ServerKind::kCacheFailure, "Compiling model again due to a load failure from %*, reason: %t"},
    {ServerKind::kCompileSum, "torch.compile takes %s s in total"},
    {ServerKind::kCompileTotal, "torch.compile took %s s in total"},
    {ServerKind::kCompileTotal,
     "torch.compile and initial profiling/warmup run together took %s s in total"},
    {ServerKind::kProfile, "Initial profiling/warmup run took %s s"},
    {ServerKind::kProfile, "Memory profiling takes %s seconds"},
    {ServerKind::kKvMemory, "Available KV cache memory: %g GiB"},
    {ServerKind::kKvTokens, "GPU KV cache size: %n tokens"},
    {ServerKind::kGraphEstimate, "Estimated CUDA graph memory: %g GiB total"},
    {ServerKind::kGraphMemory, "CUDA graph pool memory: %g GiB (actual), %e GiB (estimated)"},
    {ServerKind::kCaptureProgress, "Capturing CUDA graphs (%t):"},
    {ServerKind::kCaptureProgress, "Capturing decode CUDA graphs (%t):"},
    {ServerKind::kCaptureProgress, "Capturing CUDA graph shapes:"},
    {ServerKind::kCapture, "Graph capturing finished in %s secs, took %g GiB"},
    {ServerKind::kJitWarmup, "JIT kernel warmup finished in %ss"},
    {ServerKind::kAutotuneBegin, "Autotuning process starts"},
    {ServerKind::kAutotuneEnd, "Autotuning process ends"},
    {ServerKind::kEngineInit, "init engine %*took %s s"},
    {ServerKind::kReady, "Starting vLLM API server"},
    {ServerKind::kReady, "Starting vLLM server on "},
    {ServerKind::kReady, "Application startup complete"},
    {ServerKind::kCompileOff, "`torch.compile` is turned on, but the model %* does not support it"},
    {ServerKind::kCompileOff, "Enforce eager set, %*"},
    {ServerKind::kCompileOff, "TORCH_COMPILE_DISABLE is set%*"},
    {ServerKind::kGraphsChanged, "setting cudagraph_mode=%t"},
    {ServerKind::kGraphsChanged, "Setting cudagraph_mode to %t"},
    {ServerKind::kGraphsChanged, "Overriding cudagraph_mode to %t"},
    {ServerKind::kSizesChanged, "Truncating max_cudagraph_capture_size to %n"},
    {ServerKind::kKernelJit, "JIT compilation during inference: %t. "},
    {ServerKind::kRunning, "Running: %n reqs"},
    {ServerKind::kWaiting, "No available shared memory broadcast block found"},
};

// Sources: sglang/srt/model_executor and sglang/srt/managers of the releases 0.3.6 to 0.5.23.
constexpr Row kSglangRows[] = {
    {ServerKind::kStart, "server_args=ServerArgs("},
    {ServerKind::kLoadBegin, "Load weight begin."},
    {ServerKind::kLoadWeights, "Load weight end. elapsed=%s s"},
    {ServerKind::kLoadWeights, "Load weight end."},
    {ServerKind::kKvTokens, "KV Cache is allocated. %*#tokens: %n"},
    {ServerKind::kCaptureSizes, "Capture cuda graph bs [%t]"},
    {ServerKind::kCaptureBegin, "Capture cuda graph begin."},
    {ServerKind::kCapture, "Capture cuda graph end. Time elapsed: %s s. mem usage=%g GB"},
    {ServerKind::kCapture, "Capture target decode CUDA graph end. elapsed=%s s, mem usage=%g GB"},
    {ServerKind::kCaptureProgress, "Capturing batches ("},
    {ServerKind::kReady, "The server is fired up and ready to roll"},
    {ServerKind::kGraphsChanged, "Cuda graph is disabled because %t"},
    {ServerKind::kServingRecompile, "PCG capture stream is not set"},
    {ServerKind::kUncaptured, "#running-req: %n,%*cuda graph: False"},
};

const LiteralSet& Heads() {
  static const LiteralSet heads(ServerLiterals());
  return heads;
}

template <size_t kSize>
bool ReadFirst(const Row (&rows)[kSize], ServerEngine engine, std::string_view rest,
               ServerMessage& message) {
  for (const Row& row : rows) {
    if (!rest.starts_with(HeadOf(row.pattern))) continue;
    WordingValues values;
    std::string_view behind = rest;
    if (!ReadWording(row.pattern, behind, &values)) continue;
    message = {values, row.kind, engine, {}, behind};
    return true;
  }
  return false;
}

}  // namespace

std::vector<std::string_view> ServerLiterals() {
  std::vector<std::string_view> literals;
  for (const Row& row : kVllmRows) literals.push_back(HeadOf(row.pattern));
  for (const Row& row : kSglangRows) literals.push_back(HeadOf(row.pattern));
  std::ranges::sort(literals);
  literals.erase(std::ranges::unique(literals).begin(), literals.end());
  return literals;
}

std::optional<ServerMessage> FindServerMessage(std::string_view line) {
  // A head may stand in a line that goes on otherwise: the next one is looked for, a few times.
  constexpr int kMostHeads = 4;
  size_t from = 0;
  for (int heads = 0; heads < kMostHeads; ++heads) {
    const size_t at = Heads().Find(line, from);
    if (at == LiteralSet::kNotFound) return std::nullopt;
    ServerMessage message;
    const std::string_view rest = line.substr(at);
    if (ReadFirst(kVllmRows, ServerEngine::kVllm, rest, message) ||
        ReadFirst(kSglangRows, ServerEngine::kSglang, rest, message)) {
      message.before = line.substr(0, at);
      return message;
    }
    from = at + 1;
  }
  return std::nullopt;
}

}  // namespace shapewise
