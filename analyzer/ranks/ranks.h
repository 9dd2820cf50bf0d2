// Compares the ranks of a distributed job. Method and limits: analyzer/docs/ranks.md.

#ifndef SHAPEWISE_RANKS_RANKS_H_
#define SHAPEWISE_RANKS_RANKS_H_

#include <optional>
#include <vector>

#include "causes/cause.h"
#include "history/code_object_history.h"
#include "llvm/ADT/ArrayRef.h"
#include "model/session.h"
#include "result/rank_divergence.h"

namespace shapewise {

/// Aligns what each rank of a sorted session, whose histories these are, compiled and finds
/// differences. Absent with fewer than
/// two ranks. A pure function of the session, independent of the order of its inputs. Linear in
/// events and compilations, up to a logarithm.
std::optional<RankComparison> FindDivergence(const Session& session,
                                             llvm::ArrayRef<CodeObjectHistory> histories);

/// One cause for each kind of difference: the first of that kind in `comparison`.
std::vector<Cause> RankCauses(const RankComparison& comparison);

}  // namespace shapewise

#endif  // SHAPEWISE_RANKS_RANKS_H_
