// Makes times of ranks comparable, and derives skew, waiting times and late ranks from them.

#ifndef SHAPEWISE_RANKS_RANK_CLOCK_H_
#define SHAPEWISE_RANKS_RANK_CLOCK_H_

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "ranks/rank_alignment.h"
#include "ranks/rank_streams.h"

namespace shapewise {

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

#endif  // SHAPEWISE_RANKS_RANK_CLOCK_H_
