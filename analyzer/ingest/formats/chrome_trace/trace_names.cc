#include "ingest/formats/chrome_trace/trace_names.h"

#include <algorithm>
#include <cstddef>

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// What CompilationContext and dynamo_timed call the whole of a compilation: torch/_dynamo/utils.py,
// torch/_dynamo/convert_frame.py, torch/_functorch/_aot_autograd/runtime_wrappers.py.
constexpr std::string_view kCompileNames[] = {
    "dynamo",
    "entire_frame_compile",
    "entire_backward_compile",
    "_compile.compile_inner",
    "_compile.<locals>.compile_inner",
};

// torch/_inductor/cudagraph_trees.py, and what CUDA's and ROCm's runtimes call it.
constexpr std::string_view kCudagraphNames[] = {
    "CUDAGraphNode.record",           "cudagraphify.get_container",
    "cudaGraphInstantiate",           "cudaGraphInstantiateWithFlags",
    "cudaGraphInstantiateWithParams", "cuGraphInstantiate",
    "cuGraphInstantiateWithFlags",    "hipGraphInstantiate",
    "hipGraphInstantiateWithFlags",
};
constexpr std::string_view kCaptureBeginNames[] = {"cudaStreamBeginCapture", "cuStreamBeginCapture",
                                                   "cuStreamBeginCapture_v2",
                                                   "hipStreamBeginCapture"};
constexpr std::string_view kCaptureEndNames[] = {"cudaStreamEndCapture", "cuStreamEndCapture",
                                                 "hipStreamEndCapture"};

// Annotations of programs, Python frames of a profile with stacks, and CPython's own functions as
// a sampling profiler names them.
constexpr std::string_view kCollectionNames[] = {
    "gc.collect",
    "<built-in function collect>",
    "<built-in method collect>",
    "garbage_collection",
    "garbage collection",
    "Python GC",
    "[GC] Performing periodic GC collection",
    "gc_collect_main",
    "gc_collect_generations",
    "gc_collect_with_callback",
    "_PyGC_Collect",
    "PyGC_Collect",
};

// Categories of Kineto and of PyTorch's chromium events. What they are on, torch runs in.
constexpr std::string_view kTorchCategories[] = {
    "ac2g",
    "async_cpu_to_gpu",
    "collective_comm",
    "cpu_instant_event",
    "cpu_op",
    "cuda_driver",
    "cuda_runtime",
    "cuda_sync",
    "dynamo_timed",
    "fwdbwd",
    "gpu_memcpy",
    "gpu_memset",
    "gpu_user_annotation",
    "hip_runtime",
    "kernel",
    "overhead",
    "privateuse1_driver",
    "privateuse1_runtime",
    "python_function",
    "Trace",
    "user_annotation",
    "xpu_runtime",
};

template <size_t kSize>
bool IsOneOf(std::string_view text, const std::string_view (&list)[kSize]) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

constexpr std::string_view kTimed = " (dynamo_timed)";

/// "step 12", "Iteration 12", "train_step:12"; a step of something is named with a number.
bool ReadNamedStep(std::string_view name, int64_t& number) {
  for (const std::string_view word :
       {"step", "Step", "iteration", "Iteration", "iter", "train_step", "training_step"}) {
    std::string_view rest = name;
    if (!ConsumeFront(rest, word) || rest.empty()) continue;
    if (rest[0] != ' ' && rest[0] != '_' && rest[0] != ':' && rest[0] != '#') continue;
    rest.remove_prefix(1);
    const auto value = ConsumeUint<int64_t>(rest);
    if (!value || !rest.empty()) continue;
    number = *value;
    return true;
  }
  return false;
}

NamedEvent Named(TraceName name) {
  NamedEvent event;
  event.name = name;
  return event;
}

}  // namespace

NamedEvent ReadTraceName(std::string_view name, std::string_view category) {
  // The device's copy of an annotation lasts as long as its kernels: none of the program's time.
  if (category == "gpu_user_annotation") return Named(TraceName::kTorch);
  std::string_view rest = name;
  if (ConsumeFront(rest, "ProfilerStep#")) {
    const auto number = ConsumeUint<int64_t>(rest);
    if (number && rest.empty()) return {TraceName::kProfilerStep, *number, {}};
  }
  if (const size_t note = FindText(name, "_data: "); note != std::string_view::npos) {
    const std::string_view id = TextBetween(name.substr(note), "compile_id=", ",");
    if (!id.empty()) return {TraceName::kCompileNote, -1, Trim(id)};
  }
  if (std::string_view region = name; ConsumeFront(region, "Torch-Compiled Region")) {
    ConsumeFront(region, ": ");  // older releases do not tell which
    return {TraceName::kCompiledRegion, -1, Trim(region)};
  }
  std::string_view plain = name;
  const bool is_timed = plain.ends_with(kTimed) || category == "dynamo_timed";
  if (plain.ends_with(kTimed)) plain.remove_suffix(kTimed.size());
  const bool is_torch = is_timed || IsOneOf(category, kTorchCategories);

  if (is_torch && IsOneOf(plain, kCompileNames)) return Named(TraceName::kCompile);
  if (IsOneOf(plain, kCudagraphNames)) return Named(TraceName::kCudagraphRecord);
  if (is_timed) return Named(TraceName::kCompilePhase);
  if (IsOneOf(name, kCaptureBeginNames)) return Named(TraceName::kCaptureBegin);
  if (IsOneOf(name, kCaptureEndNames)) return Named(TraceName::kCaptureEnd);
  if (IsOneOf(name, kCollectionNames)) return Named(TraceName::kGarbageCollection);
  if (category != "cpu_op" && category != "kernel") {
    int64_t number = -1;
    if (ReadNamedStep(name, number)) return {TraceName::kNamedStep, number, {}};
  }
  // Kineto's own marks, in processes that are none.
  const bool is_mark =
      name.starts_with("Iteration Start: PyTorch Profiler") || name == "Record Window End";
  return Named(is_torch || is_mark ? TraceName::kTorch : TraceName::kOther);
}

}  // namespace shapewise
