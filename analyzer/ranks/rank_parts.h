// The parts of comparing ranks, one file each: the acts of each rank in order, their alignment, and
// the times of ranks on one clock.

#ifndef SHAPEWISE_RANKS_RANK_PARTS_H_
#define SHAPEWISE_RANKS_RANK_PARTS_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "history/code_object_history.h"
#include "llvm/ADT/ArrayRef.h"
#include "model/compile_number.h"
#include "model/event.h"
#include "model/session.h"
#include "result/rank_divergence.h"

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
  double begin_or_zero() const { return has_begin() ? begin : 0; }
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

/// One act of one stream.
struct Placed {
  size_t stream = 0;
  size_t act = 0;
};

inline const Act& ActOf(const std::vector<RankStream>& streams, const Placed& placed) {
  return streams[placed.stream].acts[placed.act];
}

/// A point where some ranks did one thing and the rest did not.
struct Split {
  DivergenceKind kind = DivergenceKind::kRecompile;
  uint64_t position = 0;        ///< number of equal acts before
  std::vector<size_t> parting;  ///< streams that are not compared further: the smaller group
  std::vector<Placed> actors;   ///< the acts that are reported; all with one key
  std::vector<size_t> others;   ///< the remaining streams
  std::vector<Placed> instead;  ///< what they did there; empty: nothing more in their logs
};

/// The aligned streams.
struct Alignment {
  /// rows[i]: the i-th act of the program, for all ranks that had not diverged and had it.
  std::vector<std::vector<Placed>> rows;
  std::vector<Split> splits;  ///< by position, those that make ranks wait first
};

/// Follows the streams from their beginnings. At each act the larger group continues, and the ranks
/// of the others diverge; in a tie, those with the more notable act: a recompile before a break
/// before a first compile, then the earlier one. A stream that merely ends, or begins in the middle
/// of what the others did, is reported as such.
Alignment Align(const std::vector<RankStream>& streams);

/// Selects one of several acts with the same key: the earliest; without times, that of the lowest
/// rank.
Placed Earliest(const std::vector<RankStream>& streams, const std::vector<Placed>& acts);

/// Seconds by which the clock of each stream is ahead of the others; 0 if unknown.
///
/// Computed from the acts that all ranks have in common: a difference that stays the same from the
/// first compiles on, within a quarter of its value, is a clock offset. Requires at least three
/// such acts and one second; streams of one input share a clock.
std::vector<double> ClockOffsets(const std::vector<RankStream>& streams,
                                 const Alignment& alignment);

/// Subtracts the offsets from the times of all acts.
void CorrectTimes(const std::vector<double>& offsets, std::vector<RankStream>& streams);

/// The row in which ranks were furthest apart.
struct WidestRow {
  double seconds = 0;
  bool of_ends = false;  ///< between ends of compiles; otherwise between starts
  Placed first;
  Placed last;
};

/// Absent if no row has times of two ranks.
std::optional<WidestRow> FindWidestRow(const std::vector<RankStream>& streams,
                                       const Alignment& alignment);

/// How far apart ranks usually are, from the last few rows in which they were in step.
class UsualSpread {
 public:
  /// Adds a row with these start times, unless it is out of step.
  void Note(const std::vector<double>& begins);

  /// Whether ranks may be this far apart and still be in step. False if nothing is known yet.
  bool Covers(double seconds) const;

  /// Whether ranks with these start times are in step; true if they are not known.
  bool HoldsFor(const std::vector<double>& begins) const;

 private:
  std::deque<double> spreads_;
};

/// When the acts of `row` started; empty unless known for all.
std::vector<double> BeginsOf(const std::vector<RankStream>& streams,
                             const std::vector<Placed>& row);

/// The ranks that made the recompile of `row` in a later step than the first ones; empty if
/// unknown, or if all made it together. The others had ended it before; without durations, they had
/// continued with something else, or were a second ahead. `usual` is that of the rows before.
std::vector<Placed> LateOnes(const std::vector<RankStream>& streams, const std::vector<Placed>& row,
                             const UsualSpread& usual);

/// How long the others waited for the actors of a split, at most: the actors' own work there, or
/// the others' gap, whichever is less. Absent if the times are unknown.
std::optional<double> WaitAt(const std::vector<RankStream>& streams, const Split& split);

/// How much later those of the others that continued first did what the actors of `split` did;
/// absent: never, or no times.
std::optional<double> FollowedAfter(const std::vector<RankStream>& streams, const Split& split);

}  // namespace shapewise

#endif  // SHAPEWISE_RANKS_RANK_PARTS_H_
