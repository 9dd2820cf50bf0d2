// Spans: durations other than compilations, from profiles and printed step times.

#ifndef SHAPEWISE_MODEL_SPAN_H_
#define SHAPEWISE_MODEL_SPAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "model/event.h"
#include "support/string_pool.h"

namespace shapewise {

/// What took the time.
enum class SpanKind : uint8_t {
  kStep,               ///< one step of training or of generation
  kCompile,            ///< compilation, from a profile
  kCompilePhase,       ///< a phase of it, from chromium events of a structured trace
  kCudagraphRecord,    ///< capturing or instantiating a CUDA graph
  kGarbageCollection,  ///< a pause of Python's garbage collector
  kOtherProcess,       ///< another process or kernel function on the same machine
};

/// "step", "compile", "compile_phase", "cudagraph_record", "garbage_collection", "other_process".
std::string_view SpanKindName(SpanKind kind);

/// The reference of the times of a span.
enum class Clock : uint8_t {
  kUnknown,  ///< only durations are known; `begin` is 0
  kEpoch,    ///< seconds since the Unix epoch
  kLocal,  ///< seconds since the local New Year, see LocalSeconds: log prefixes print no time zone
  kRelative,  ///< seconds since an unknown moment specific to the input
};

/// The number of steps stored per input. Further ones are counted (Stat::spans_too_many) and not
/// analyzed.
inline constexpr size_t kMaxStepsOfInput = size_t{1} << 20;

/// A time span in one process.
struct Span {
  SpanKind kind = SpanKind::kStep;
  Clock clock = Clock::kUnknown;
  uint32_t input = 0;
  uint64_t line = 0;  ///< 1-based line where it was read
  int32_t rank = kNoRank;
  int64_t number = -1;  ///< of the step, as printed; -1: none
  double begin = 0;     ///< seconds by `clock`
  double seconds = 0;
  StrId name{};        ///< "Torch-Compiled Region: 0/1", "smap_gather_stats"
  StrId process{};     ///< name, if it is another process
  StrId compile_id{};  ///< for a compilation or one of its phases: "0/1", if known
};

/// A printed time in seconds by Clock::kLocal; absent if no day was printed. Every year counts as a
/// leap year because the year is not printed.
std::optional<double> LocalSeconds(const LogTime& time);

/// The runs of one compiled region in a profile: "Torch-Compiled Region: 0/1".
struct RegionRuns {
  uint32_t input = 0;
  uint64_t line = 0;  ///< 1-based line of the first run
  int32_t rank = kNoRank;
  StrId compile_id{};  ///< "0/1"; kNone: not in the profile
  Clock clock = Clock::kUnknown;
  double first = 0;  ///< start of the first run, in seconds by `clock`
  double last = 0;   ///< end of the last run
  uint64_t runs = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_SPAN_H_
