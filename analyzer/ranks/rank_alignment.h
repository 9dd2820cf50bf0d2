// Aligns the streams of the ranks, act by act, until each has diverged from the rest.

#ifndef SHAPEWISE_RANKS_RANK_ALIGNMENT_H_
#define SHAPEWISE_RANKS_RANK_ALIGNMENT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ranks/rank_streams.h"
#include "result/rank_divergence.h"

namespace shapewise {

/// One act of one stream.
struct Placed {
  size_t stream = 0;
  size_t act = 0;
};

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

}  // namespace shapewise

#endif  // SHAPEWISE_RANKS_RANK_ALIGNMENT_H_
