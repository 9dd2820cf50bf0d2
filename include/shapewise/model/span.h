// Spans: what took how long beside the compilations, as profiles and step prints tell it.

#ifndef SHAPEWISE_MODEL_SPAN_H_
#define SHAPEWISE_MODEL_SPAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "shapewise/model/event.h"
#include "shapewise/support/string_pool.h"

namespace shapewise {

/// What took the time.
enum class SpanKind : uint8_t {
  kStep,               ///< one step of training or of generation
  kCompile,            ///< compilation, as a profile shows it
  kCompilePhase,       ///< a phase of it, as chromium events of a structured trace show it
  kCudagraphRecord,    ///< recording or instantiating a CUDA graph
  kGarbageCollection,  ///< a pause of Python's garbage collector
  kOtherProcess,       ///< another process or kernel function on the same machine
};

/// "step", "compile", "compile_phase", "cudagraph_record", "garbage_collection", "other_process".
std::string_view SpanKindName(SpanKind kind);

/// What the times of a span count from.
enum class Clock : uint8_t {
  kUnknown,   ///< only durations are known; `begin` is 0
  kEpoch,     ///< seconds since the Unix epoch
  kLocal,     ///< seconds since the local New Year, see LocalSeconds: prefixes print no zone
  kRelative,  ///< seconds since some moment of the input's own
};

/// So many steps of one input are kept; those beyond are counted (Stat::spans_too_many), and
/// neither judged nor laid beside anything.
inline constexpr size_t kMaxStepsOfInput = size_t{1} << 20;

/// One stretch of time in one process.
struct Span {
  SpanKind kind = SpanKind::kStep;
  Clock clock = Clock::kUnknown;
  uint32_t input = 0;
  uint64_t line = 0;  ///< 1-based; where it was read
  int32_t rank = kNoRank;
  int64_t number = -1;  ///< of the step, as printed; -1: none
  double begin = 0;     ///< seconds by `clock`
  double seconds = 0;
  StrId name{};        ///< "Torch-Compiled Region: 0/1", "smap_gather_stats"
  StrId process{};     ///< of another process: its name
  StrId compile_id{};  ///< of a compile or a phase of one: "0/1", where told
};

/// Seconds by Clock::kLocal of a printed time; absent if no day was printed. Every year counts as
/// a leap year here: a print does not tell.
std::optional<double> LocalSeconds(const LogTime& time);

/// The runs of one compiled region, as a profile shows them: "Torch-Compiled Region: 0/1".
struct RegionRuns {
  uint32_t input = 0;
  uint64_t line = 0;  ///< 1-based; of the first run read
  int32_t rank = kNoRank;
  StrId compile_id{};  ///< "0/1"; kNone where the profile does not tell
  Clock clock = Clock::kUnknown;
  double first = 0;  ///< seconds by `clock` at which the first run began
  double last = 0;   ///< ... at which the last run ended
  uint64_t runs = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_SPAN_H_
