// Compares the ranks of one distributed job. analyzer/docs/ranks.md says how, and what it cannot.

#ifndef SHAPEWISE_RANKS_RANKS_H_
#define SHAPEWISE_RANKS_RANKS_H_

#include <optional>
#include <vector>

#include "shapewise/causes/cause.h"
#include "shapewise/model/session.h"
#include "shapewise/result/rank_divergence.h"

namespace shapewise {

/// Lays what each rank of a sorted session compiled side by side and tells where they differ.
/// Absent with fewer than two ranks. A pure function of the session; the order of its inputs does
/// not show. Linear in events and compilations, up to a logarithm.
std::optional<RankComparison> FindDivergence(const Session& session);

/// A cause for each kind of difference: the first of that kind, in the order of `comparison`.
std::vector<Cause> RankCauses(const RankComparison& comparison);

}  // namespace shapewise

#endif  // SHAPEWISE_RANKS_RANKS_H_
