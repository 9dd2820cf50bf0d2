// Which events of a profile matter here, by their names.

#ifndef SHAPEWISE_INGEST_FORMATS_CHROME_TRACE_TRACE_NAMES_H_
#define SHAPEWISE_INGEST_FORMATS_CHROME_TRACE_TRACE_NAMES_H_

#include <cstdint>
#include <string_view>

namespace shapewise {

enum class TraceName : uint8_t {
  kProfilerStep,       ///< "ProfilerStep#12": torch.profiler's own
  kNamedStep,          ///< "step 12", "iteration 12": an annotation of the program, as NVTX ranges
  kCompile,            ///< the whole of a compilation, forward or backward
  kCompilePhase,       ///< a part of one
  kCompileNote,        ///< "dynamo_data: ..., compile_id=0/1": whose compilation it stands in
  kCompiledRegion,     ///< "Torch-Compiled Region: 0/1": a run of compiled code
  kCudagraphRecord,    ///< recording or instantiating a CUDA graph
  kCaptureBegin,       ///< the call that begins the capture of a stream
  kCaptureEnd,         ///< the call that ends it
  kGarbageCollection,  ///< Python's collector
  kTorch,              ///< anything else that torch's profiler or compiler wrote
  kOther,              ///< an event of some other tool: a sample, a span of another process
};

struct NamedEvent {
  TraceName name = TraceName::kOther;
  int64_t number = -1;          ///< of a step; -1: none
  std::string_view compile_id;  ///< of a note or a compiled region: "0/1"
};

/// Reads `name` and `category` of an event; views point into `name`.
NamedEvent ReadTraceName(std::string_view name, std::string_view category);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_CHROME_TRACE_TRACE_NAMES_H_
