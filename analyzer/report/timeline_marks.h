// The content of a timeline: lanes (a function, or the steps of a process) and marks on them.

#ifndef SHAPEWISE_REPORT_TIMELINE_MARKS_H_
#define SHAPEWISE_REPORT_TIMELINE_MARKS_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/session.h"
#include "report/run_clocks.h"
#include "result/finding.h"

namespace shapewise {

/// The kind of a mark.
enum class TimelineMarkKind : uint8_t {
  kCompile,     ///< "compile": the first compilation of a function
  kRecompile,   ///< "recompile": a later one
  kBackward,    ///< "backward": of a backward graph
  kFailed,      ///< "failed": it raised
  kEmpty,       ///< "empty": nothing to compile
  kUnfinished,  ///< "unfinished": its end is not in the log
  kMiss,        ///< "miss": a recompile known only from its record
  kLimit,       ///< "limit": a recompile limit was hit
  kBreak,       ///< "break"
  kSkipped,     ///< "skipped": a frame that is not compiled
  kError,       ///< "error"
  kProfile,     ///< "profile": a compilation, from a profile
  kPause,       ///< "pause": a CUDA graph was recorded, or garbage collected
  kStep,        ///< "step": one step, or several neighbouring ones
  kSlow,        ///< "slow": a slow step
  kStall,       ///< "stall": a periodic slow step
};
inline constexpr size_t kNumMarkKinds = static_cast<size_t>(TimelineMarkKind::kStall) + 1;
std::string_view MarkKindName(TimelineMarkKind kind);

/// The unit of the marks in a lane.
struct TimelineClock {
  std::string name;       ///< ", by local time"; empty: only one clock, or Unix time
  bool is_lines = false;  ///< lines of an input, because no time is printed; else microseconds
  friend auto operator<=>(const TimelineClock&, const TimelineClock&) = default;
};

struct TimelineLane {
  size_t clock = 0;  ///< into TimelineMarks::clocks
  int32_t rank = kNoRank;
  std::string name;   ///< of a function; for steps, the input
  std::string place;  ///< "model.py:12"
  bool is_of_steps = false;
  double seconds = 0;  ///< total of its marks
};

struct TimelineMark {
  size_t lane = 0;
  double at = 0;                  ///< since the start of the clock
  std::optional<double> seconds;  ///< absent: a moment, or unknown
  TimelineMarkKind kind = TimelineMarkKind::kCompile;
  std::optional<size_t> cause;  ///< index of its finding
  std::string id;               ///< of the compilation
  std::string note;
  std::optional<double> backend;   ///< seconds
  std::optional<double> inductor;  ///< part of it
  CacheOutcome cache = CacheOutcome::kNone;
};

/// Lanes by clock and rank: steps first, then functions, most expensive first; marks by lane and
/// time.
struct TimelineMarks {
  std::vector<TimelineClock> clocks;
  std::vector<TimelineLane> lanes;
  std::vector<TimelineMark> marks;
  uint64_t left_out = 0;  ///< compilations and events beyond the limit
};

TimelineMarks GatherMarks(const LintResult& result, const Session& session,
                          const RunClocks& clocks);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_TIMELINE_MARKS_H_
