// What a timeline shows: lanes (a function, or the steps of a process) and marks on them.

#ifndef SHAPEWISE_REPORT_TIMELINE_MARKS_H_
#define SHAPEWISE_REPORT_TIMELINE_MARKS_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/run_clocks.h"
#include "shapewise/model/session.h"
#include "shapewise/result/finding.h"

namespace shapewise {

/// What a mark stands for.
enum class TimelineMarkKind : uint8_t {
  kCompile,     ///< "compile": the first compilation of a function
  kRecompile,   ///< "recompile": a later one
  kBackward,    ///< "backward": of a backward graph
  kFailed,      ///< "failed": it raised
  kEmpty,       ///< "empty": nothing to compile in it
  kUnfinished,  ///< "unfinished": its end is not in the log
  kMiss,        ///< "miss": a recompile of which no more than its record is told
  kLimit,       ///< "limit": a recompile limit was hit
  kBreak,       ///< "break"
  kSkipped,     ///< "skipped": a frame that is not compiled
  kError,       ///< "error"
  kProfile,     ///< "profile": a compilation, as a profile shows it
  kPause,       ///< "pause": a CUDA graph was recorded, or garbage collected
  kStep,        ///< "step": one step, or several neighbouring ones
  kSlow,        ///< "slow": a slow step
  kStall,       ///< "stall": a slow step that comes back at regular distances
};
inline constexpr size_t kNumMarkKinds = static_cast<size_t>(TimelineMarkKind::kStall) + 1;
std::string_view MarkKindName(TimelineMarkKind kind);

/// What the marks of a lane count by.
struct TimelineClock {
  std::string name;       ///< ", by local time"; empty: there is one clock only, or it is Unix time
  bool is_lines = false;  ///< lines of an input, since no time is printed; else microseconds
  friend auto operator<=>(const TimelineClock&, const TimelineClock&) = default;
};

struct TimelineLane {
  size_t clock = 0;  ///< into TimelineMarks::clocks
  int32_t rank = kNoRank;
  std::string name;   ///< of a function; of steps the input
  std::string place;  ///< "model.py:12"
  bool is_of_steps = false;
  double seconds = 0;  ///< of its marks together
};

struct TimelineMark {
  size_t lane = 0;
  double at = 0;                  ///< since the clock began
  std::optional<double> seconds;  ///< absent: a moment, or not told
  TimelineMarkKind kind = TimelineMarkKind::kCompile;
  std::optional<size_t> cause;  ///< the finding that it is part of
  std::string id;               ///< of the compilation
  std::string note;
  std::optional<double> backend;   ///< seconds
  std::optional<double> inductor;  ///< of these
  CacheOutcome cache = CacheOutcome::kNone;
};

/// Lanes by clock and rank, those of steps first, functions dearest first; marks by lane and time.
struct TimelineMarks {
  std::vector<TimelineClock> clocks;
  std::vector<TimelineLane> lanes;
  std::vector<TimelineMark> marks;
  uint64_t left_out = 0;  ///< compilations and events beyond what can be drawn
};

TimelineMarks GatherMarks(const LintResult& result, const Session& session,
                          const RunClocks& clocks);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_TIMELINE_MARKS_H_
