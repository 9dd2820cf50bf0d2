// The acts of each rank in order, in a form that can be compared.

#ifndef SHAPEWISE_RANKS_RANK_STREAMS_H_
#define SHAPEWISE_RANKS_RANK_STREAMS_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "history/code_object_history.h"
#include "llvm/ADT/ArrayRef.h"
#include "model/compile_number.h"
#include "model/event.h"
#include "model/session.h"

namespace shapewise {

inline constexpr double kNoTime = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kSecondsPerDay = 86400;

/// Seconds since a moment that is the same for all times of one log; kNoTime if `time` is not
/// printed. Without a year, times before and after New Year are far apart.
double SecondsOf(const LogTime& time);

/// `time` minus some seconds; unknown if `time` is.
LogTime EarlierBy(const LogTime& time, double seconds);

/// The kinds of acts; those that make ranks wait come first.
enum class ActKind : uint8_t {
  kRecompile,  ///< a record that a function is recompiled
  kLimit,      ///< a recompile limit was hit
  kBreak,      ///< a graph break
  kSkip,       ///< a frame runs eagerly
  kError,      ///< a compiler exception or a constraint violation
  kCompile,    ///< a compile, if each one is recorded
};

inline constexpr size_t kNoRecord = std::numeric_limits<size_t>::max();

/// One act of a rank.
struct Act {
  ActKind kind = ActKind::kCompile;
  bool is_first = false;   ///< the first compile of its frame, or something within it
  uint32_t key = 0;        ///< equal on two ranks if they did the same
  uint32_t loose_key = 0;  ///< the same without the number of the frame: others may come between
  uint32_t function = 0;   ///< number of the compiled function; 0: not printed
  std::optional<CompileNumber> number;
  size_t event = kNoRecord;        ///< into Session::events()
  size_t compilation = kNoRecord;  ///< into Session::compilations()
  double begin = kNoTime;          ///< seconds since the start of the local year
  double seconds = kNoTime;        ///< duration

  bool has_begin() const { return !std::isnan(begin); }
  bool has_end() const { return has_begin() && !std::isnan(seconds); }
  double end() const { return begin + seconds; }
};

/// All acts of one rank, in order.
struct RankStream {
  int32_t rank = kNoRank;
  std::vector<Act> acts;
  bool begins_with_program = false;  ///< its first act is the first compile of a process
  uint32_t input = 0;                ///< of its first act
};

/// The streams that can be compared.
struct RankStreams {
  std::vector<RankStream> streams;  ///< by rank
  bool is_structured = false;       ///< every compile is recorded
  std::vector<std::string> gaps;    ///< why a rank is excluded, one sentence each
};

/// Collects the acts of every rank, from structured traces if at least two ranks have one, else
/// from text. Excludes ranks whose log contains several processes, or lacks records that the
/// others' logs have. Keys are numbered by content, so they do not depend on the order of inputs.
RankStreams GatherStreams(const Session& session, llvm::ArrayRef<CodeObjectHistory> histories);

}  // namespace shapewise

#endif  // SHAPEWISE_RANKS_RANK_STREAMS_H_
