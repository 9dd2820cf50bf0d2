// Differences between ranks that did the same: other values, another guard, another cache outcome.

#ifndef SHAPEWISE_RANKS_ROW_DIFFERENCES_H_
#define SHAPEWISE_RANKS_ROW_DIFFERENCES_H_

#include <vector>

#include "model/session.h"
#include "ranks/rank_alignment.h"
#include "ranks/rank_streams.h"
#include "result/rank_divergence.h"

namespace shapewise {

/// The first difference of each kind (kLate, kCache, kReasons, kValues, in this order) with the
/// number of similar rows. Times are on one clock.
std::vector<RankDivergence> FindRowDifferences(const Session& session,
                                               const std::vector<RankStream>& streams,
                                               const Alignment& alignment);

/// The data of the session about one act.
RankAction DescribeAct(const Session& session, const Act& act);

/// The ranks of these streams, ascending.
std::vector<int32_t> RanksOf(const std::vector<RankStream>& streams,
                             const std::vector<Placed>& acts);

/// Indices of the events of these acts, ascending.
std::vector<size_t> EventsOf(const std::vector<RankStream>& streams,
                             const std::vector<Placed>& acts);

}  // namespace shapewise

#endif  // SHAPEWISE_RANKS_ROW_DIFFERENCES_H_
