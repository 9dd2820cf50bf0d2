#include "ingest/formats/server_log/server_messages.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>

#include "shapewise/support/literal_set.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

using Kind = ServerLineKind;

/// One message. In its pattern stand for what differs: %s seconds, %g GiB, %e GiB that
/// were expected, %n a count, which may
/// have commas in it, %t a text and %* anything, both up to what follows in the pattern, or to the
/// end. What stands before the first of them is what a line is searched for.
struct Row {
  Kind kind;
  std::string_view pattern;
};

// Sources: vllm/v1/worker, vllm/compilation, vllm/v1/core and vllm/worker of the releases 0.6.6 to
// 0.33.0. Of two rows that fit, the first counts.
constexpr Row kVllmRows[] = {
    {Kind::kStart, "vLLM API server version %t"},
    {Kind::kStart, "Initializing a V1 LLM engine (v%t) with config:"},
    {Kind::kStart, "Initializing an LLM engine (v%t) with config:"},
    {Kind::kLoadBegin, "Starting to load model "},
    {Kind::kLoadWeights, "Loading weights took %s seconds"},
    {Kind::kModelLoad, "Model loading took %g GiB memory and %s seconds"},
    {Kind::kModelLoad, "Model loading took %g GiB and %s seconds"},
    {Kind::kModelLoad, "Loading model weights took %g GB"},
    {Kind::kCacheDir, "Using cache directory: %t for vLLM's torch.compile"},
    {Kind::kCacheOff, "vLLM's torch.compile cache is disabled"},
    {Kind::kCacheFactors, "torch.compile cache factors: %t"},
    {Kind::kEnvironment, "'VLLM_%t"},
    {Kind::kDynamo, "Dynamo bytecode transform time: %s s"},
    {Kind::kCacheMiss, "Cache the graph of %t for later use"},
    {Kind::kCacheMiss, "Cache the graph for %t for later use"},
    {Kind::kCompile, "Compiling a graph for %t takes %s s"},
    {Kind::kCacheHit, "Directly load the compiled graph(s) for %t from the cache, took %s s"},
    {Kind::kCacheHit, "Directly load the compiled graph for %t from the cache"},
    {Kind::kCacheHit, "Directly load the compiled graph for %t"},
    {Kind::kCacheHit, "Directly lookup the graph for %t from the cache"},
    {Kind::kCacheHit, "Directly load AOT compilation from path %t"},
    {Kind::kCacheHit, "reconstructed serializable fn from standalone compile artifacts"},
    {Kind::kCacheFailure, "Cannot load aot compilation from path %*, error: %t"},
    {Kind::kCacheFailure, "Compiling model again due to a load failure from %*, reason: %t"},
    {Kind::kCompileSum, "torch.compile takes %s s in total"},
    {Kind::kCompileTotal, "torch.compile took %s s in total"},
    {Kind::kCompileTotal,
     "torch.compile and initial profiling/warmup run together took %s s in total"},
    {Kind::kProfile, "Initial profiling/warmup run took %s s"},
    {Kind::kProfile, "Memory profiling takes %s seconds"},
    {Kind::kKvMemory, "Available KV cache memory: %g GiB"},
    {Kind::kKvTokens, "GPU KV cache size: %n tokens"},
    {Kind::kGraphEstimate, "Estimated CUDA graph memory: %g GiB total"},
    {Kind::kGraphMemory, "CUDA graph pool memory: %g GiB (actual), %e GiB (estimated)"},
    {Kind::kCaptureProgress, "Capturing CUDA graphs (%t):"},
    {Kind::kCaptureProgress, "Capturing decode CUDA graphs (%t):"},
    {Kind::kCaptureProgress, "Capturing CUDA graph shapes:"},
    {Kind::kCapture, "Graph capturing finished in %s secs, took %g GiB"},
    {Kind::kJitWarmup, "JIT kernel warmup finished in %ss"},
    {Kind::kAutotuneBegin, "Autotuning process starts"},
    {Kind::kAutotuneEnd, "Autotuning process ends"},
    {Kind::kEngineInit, "init engine %*took %s s"},
    {Kind::kReady, "Starting vLLM API server"},
    {Kind::kReady, "Starting vLLM server on "},
    {Kind::kReady, "Application startup complete"},
    {Kind::kCompileOff, "`torch.compile` is turned on, but the model %* does not support it"},
    {Kind::kCompileOff, "Enforce eager set, %*"},
    {Kind::kCompileOff, "TORCH_COMPILE_DISABLE is set%*"},
    {Kind::kGraphsChanged, "setting cudagraph_mode=%t"},
    {Kind::kGraphsChanged, "Setting cudagraph_mode to %t"},
    {Kind::kGraphsChanged, "Overriding cudagraph_mode to %t"},
    {Kind::kSizesChanged, "Truncating max_cudagraph_capture_size to %n"},
    {Kind::kKernelJit, "JIT compilation during inference: %t. "},
    {Kind::kRunning, "Running: %n reqs"},
    {Kind::kWaiting, "No available shared memory broadcast block found"},
};

// Sources: sglang/srt/model_executor and sglang/srt/managers of the releases 0.3.6 to 0.5.23.
constexpr Row kSglangRows[] = {
    {Kind::kStart, "server_args=ServerArgs("},
    {Kind::kLoadBegin, "Load weight begin."},
    {Kind::kLoadWeights, "Load weight end. elapsed=%s s"},
    {Kind::kLoadWeights, "Load weight end."},
    {Kind::kKvTokens, "KV Cache is allocated. %*#tokens: %n"},
    {Kind::kCaptureSizes, "Capture cuda graph bs [%t]"},
    {Kind::kCaptureBegin, "Capture cuda graph begin."},
    {Kind::kCapture, "Capture cuda graph end. Time elapsed: %s s. mem usage=%g GB"},
    {Kind::kCapture, "Capture target decode CUDA graph end. elapsed=%s s, mem usage=%g GB"},
    {Kind::kCaptureProgress, "Capturing batches ("},
    {Kind::kReady, "The server is fired up and ready to roll"},
    {Kind::kGraphsChanged, "Cuda graph is disabled because %t"},
    {Kind::kServingRecompile, "PCG capture stream is not set"},
    {Kind::kUncaptured, "#running-req: %n,%*cuda graph: False"},
};

std::string_view HeadOf(std::string_view pattern) { return pattern.substr(0, pattern.find('%')); }

/// A number such as "1,204,416" or "0.72" at the front of `text`.
std::optional<double> ConsumeNumber(std::string_view& text) {
  std::string digits;
  size_t end = 0;
  while (end < text.size() && (IsDigit(text[end]) || text[end] == '.' || text[end] == ',')) {
    if (text[end] == ',' && (end + 1 == text.size() || !IsDigit(text[end + 1]))) break;
    if (text[end] == '.' && (end + 1 == text.size() || !IsDigit(text[end + 1]))) break;
    if (text[end] != ',') digits += text[end];
    ++end;
  }
  double number = 0;
  const char* const last = digits.data() + digits.size();
  if (digits.empty() || std::from_chars(digits.data(), last, number).ptr != last) {
    return std::nullopt;
  }
  text.remove_prefix(end);
  return number;
}

/// Reads `rest`, which begins with the head of `row`; whether all of the pattern is there.
bool ReadRow(const Row& row, std::string_view rest, ServerMessage& message) {
  message.kind = row.kind;
  std::string_view pattern = row.pattern;
  while (!pattern.empty()) {
    const size_t percent = pattern.find('%');
    const std::string_view literal = pattern.substr(0, percent);
    if (!ConsumeFront(rest, literal)) return false;
    if (percent == kNotFound) break;
    const char what = pattern[percent + 1];
    pattern.remove_prefix(percent + 2);
    if (what == 't' || what == '*') {
      const std::string_view next = HeadOf(pattern);
      const size_t end = next.empty() ? rest.size() : FindText(rest, next);
      if (end == kNotFound) return false;
      if (what == 't') message.text = Trim(rest.substr(0, end));
      rest.remove_prefix(end);
      continue;
    }
    const std::optional<double> number = ConsumeNumber(rest);
    if (!number) return false;
    if (what == 's') message.seconds = *number;
    if (what == 'g') message.gib = *number;
    if (what == 'e') message.expected_gib = *number;
    if (what == 'n') message.count = static_cast<int64_t>(std::min(*number, 1e15));
  }
  message.behind = rest;
  return true;
}

const LiteralSet& Heads() {
  static const LiteralSet heads(ServerLiterals());
  return heads;
}

template <size_t kSize>
bool ReadFirst(const Row (&rows)[kSize], ServerEngine engine, std::string_view rest,
               ServerMessage& message) {
  for (const Row& row : rows) {
    if (!rest.starts_with(HeadOf(row.pattern))) continue;
    ServerMessage read;
    if (!ReadRow(row, rest, read)) continue;
    message = read;
    message.engine = engine;
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
