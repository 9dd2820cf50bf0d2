// Combines the results of comparing the streams of the ranks.

#include <algorithm>
#include <cmath>
#include <utility>

#include "ranks/rank_alignment.h"
#include "ranks/rank_clock.h"
#include "ranks/rank_streams.h"
#include "ranks/ranks.h"
#include "ranks/row_differences.h"

namespace shapewise {
namespace {

bool IsOfLogs(DivergenceKind kind) {
  return kind == DivergenceKind::kLogEnds || kind == DivergenceKind::kLogBegins;
}

std::vector<int32_t> RanksOfStreams(const std::vector<RankStream>& streams,
                                    const std::vector<size_t>& indices) {
  std::vector<int32_t> ranks;
  ranks.reserve(indices.size());
  for (const size_t index : indices) ranks.push_back(streams[index].rank);
  std::ranges::sort(ranks);
  return ranks;
}

RankDivergence DescribeSplit(const Session& session, const std::vector<RankStream>& streams,
                             const Split& split) {
  const auto act_of = [&](const std::vector<Placed>& acts) -> const Act& {
    const Placed placed = Earliest(streams, acts);
    return streams[placed.stream].acts[placed.act];
  };
  RankDivergence divergence;
  divergence.kind = split.kind;
  divergence.ranks = RanksOfStreams(streams, split.parting);
  divergence.actors = RanksOf(streams, split.actors);
  divergence.others = RanksOfStreams(streams, split.others);
  divergence.action = DescribeAct(session, act_of(split.actors));
  if (!split.instead.empty()) divergence.instead = DescribeAct(session, act_of(split.instead));
  divergence.agreed = split.position;
  divergence.events = EventsOf(streams, split.actors);
  if (!IsOfLogs(split.kind) && split.kind != DivergenceKind::kPrograms) {
    divergence.later_seconds = FollowedAfter(streams, split);
    divergence.wait_seconds = WaitAt(streams, split);
  }
  return divergence;
}

}  // namespace

std::optional<RankComparison> FindDivergence(const Session& session,
                                             llvm::ArrayRef<CodeObjectHistory> histories) {
  // The sequence of acts of each rank.
  RankStreams gathered = GatherStreams(session, histories);
  if (gathered.streams.size() < 2 && gathered.gaps.empty()) return std::nullopt;
  RankComparison comparison;
  comparison.is_structured = gathered.is_structured;
  comparison.gaps = std::move(gathered.gaps);
  std::vector<RankStream>& streams = gathered.streams;
  if (streams.size() < 2) return comparison;
  for (const RankStream& stream : streams) comparison.ranks.push_back(stream.rank);

  // Align them as far as they agree; the common acts give the clock offsets, and on one clock it is
  // certain which rank was first.
  Alignment alignment = Align(streams);
  const std::vector<double> offsets = ClockOffsets(streams, alignment);
  for (size_t i = 0; i < streams.size(); ++i) {
    if (offsets[i] != 0) comparison.offsets.push_back({streams[i].rank, offsets[i]});
  }
  if (!comparison.offsets.empty()) {
    CorrectTimes(offsets, streams);
    alignment = Align(streams);
  }
  comparison.agreed = alignment.rows.size();
  for (const Split& split : alignment.splits) {
    if (split.kind == DivergenceKind::kLogBegins) continue;
    comparison.agreed = std::min(comparison.agreed, split.position);
  }

  // First the points where they diverged; then differences while they agreed; then differences
  // between the logs only.
  const auto describe_splits = [&](bool of_logs) {
    for (const Split& split : alignment.splits) {
      if (IsOfLogs(split.kind) != of_logs) continue;
      comparison.divergences.push_back(DescribeSplit(session, streams, split));
    }
  };
  describe_splits(/*of_logs=*/false);
  for (RankDivergence& difference : FindRowDifferences(session, streams, alignment)) {
    comparison.divergences.push_back(std::move(difference));
  }
  describe_splits(/*of_logs=*/true);

  if (const std::optional<WidestRow> widest = FindWidestRow(streams, alignment)) {
    const Act& act = streams[widest->last.stream].acts[widest->last.act];
    comparison.skew = {.seconds = widest->seconds,
                       .of_ends = widest->of_ends,
                       .action = DescribeAct(session, act),
                       .first = streams[widest->first.stream].rank,
                       .last = streams[widest->last.stream].rank};
  }
  return comparison;
}

}  // namespace shapewise
