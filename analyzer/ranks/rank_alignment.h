// Lays the streams of the ranks side by side, act by act, until each has parted from the rest.

#ifndef SHAPEWISE_RANKS_RANK_ALIGNMENT_H_
#define SHAPEWISE_RANKS_RANK_ALIGNMENT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ranks/rank_streams.h"
#include "shapewise/result/rank_divergence.h"

namespace shapewise {

/// One act of one stream.
struct Placed {
  size_t stream = 0;
  size_t act = 0;
};

/// Where some ranks did one thing and the rest did not.
struct Split {
  DivergenceKind kind = DivergenceKind::kRecompile;
  uint64_t position = 0;        ///< how many acts were alike before
  std::vector<size_t> parting;  ///< streams that are compared no further: the fewer
  std::vector<Placed> actors;   ///< who took what is told; all of one key
  std::vector<size_t> others;   ///< streams of the rest
  std::vector<Placed> instead;  ///< what they did there; empty: nothing more is logged
};

/// The streams side by side.
struct Alignment {
  /// rows[i]: the i-th act of the program, of all ranks that had not parted and were there.
  std::vector<std::vector<Placed>> rows;
  std::vector<Split> splits;  ///< by position, those that make ranks wait first
};

/// Follows the streams from their beginnings. At each act the larger group goes on, and the ranks
/// of the others part; in a tie, those that did the more notable thing: a recompile before a break
/// before a first compile, then the earlier. A stream that merely ends, or begins in the middle of
/// what the others did, is told as such.
Alignment Align(const std::vector<RankStream>& streams);

/// Of acts of one key, the one to tell: the earliest; without times, that of the lowest rank.
Placed Earliest(const std::vector<RankStream>& streams, const std::vector<Placed>& acts);

}  // namespace shapewise

#endif  // SHAPEWISE_RANKS_RANK_ALIGNMENT_H_
