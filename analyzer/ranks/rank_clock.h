// Times of ranks made comparable, and what they tell: skew, waiting, who was late.

#ifndef SHAPEWISE_RANKS_RANK_CLOCK_H_
#define SHAPEWISE_RANKS_RANK_CLOCK_H_

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "ranks/rank_alignment.h"
#include "ranks/rank_streams.h"

namespace shapewise {

/// Seconds by which the clock of each stream runs ahead of the others'; 0 where that cannot be
/// told.
///
/// Reckoned from the acts that all had in common: a difference that is the same from the first
/// compiles on, to a quarter of itself, is one of clocks. At least three such acts and a second are
/// asked for, and streams of one input share a clock.
std::vector<double> ClockOffsets(const std::vector<RankStream>& streams,
                                 const Alignment& alignment);

/// Takes the offsets off the times of all acts.
void CorrectTimes(const std::vector<double>& offsets, std::vector<RankStream>& streams);

/// The row in which ranks were furthest apart.
struct WidestRow {
  double seconds = 0;
  bool of_ends = false;  ///< between ends of compiles; else between beginnings
  Placed first;
  Placed last;
};

/// Absent where no row has times of two ranks.
std::optional<WidestRow> FindWidestRow(const std::vector<RankStream>& streams,
                                       const Alignment& alignment);

/// How far apart ranks usually are, from the last few rows in which they were in step.
class UsualSpread {
 public:
  /// Takes note of a row with these beginnings, unless it is out of step.
  void Note(const std::vector<double>& begins);

  /// Whether ranks may be this far apart and still be in step. False where nothing is known yet.
  bool Covers(double seconds) const;

  /// Whether beginnings so far apart are of ranks in step; true where they are not known.
  bool HoldsFor(const std::vector<double>& begins) const;

 private:
  std::deque<double> spreads_;
};

/// When the acts of `row` began; empty where it is not told of all.
std::vector<double> BeginsOf(const std::vector<RankStream>& streams,
                             const std::vector<Placed>& row);

/// The ranks that made the recompile of `row` in a later step than the first ones did; empty if it
/// cannot be told, or all made it together. The others had ended it before; where durations are not
/// told, had gone on to something else, or were a second ahead. `usual` is that of the rows before.
std::vector<Placed> LateOnes(const std::vector<RankStream>& streams, const std::vector<Placed>& row,
                             const UsualSpread& usual);

/// How long the others waited at a split for its actors, at most: the actors' own work there, or
/// the others' gap, whichever is less. Absent where the times are not told.
std::optional<double> WaitAt(const std::vector<RankStream>& streams, const Split& split);

/// By how much later those of the others who went on first did what the actors of `split` did;
/// absent: never, or no times.
std::optional<double> FollowedAfter(const std::vector<RankStream>& streams, const Split& split);

}  // namespace shapewise

#endif  // SHAPEWISE_RANKS_RANK_CLOCK_H_
