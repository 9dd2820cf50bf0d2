// Combines the results of comparing the streams of the ranks, and finds differences between ranks
// that did the same: other values, another guard, another cache outcome.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "causes/culprit_key.h"
#include "ranks/rank_parts.h"
#include "ranks/ranks.h"

namespace shapewise {
namespace {

/// The ranks of these streams, ascending.
std::vector<int32_t> RanksOfStreams(const std::vector<RankStream>& streams,
                                    const std::vector<size_t>& indices) {
  std::vector<int32_t> ranks;
  for (const size_t index : indices) ranks.push_back(streams[index].rank);
  std::ranges::sort(ranks);
  return ranks;
}

std::vector<int32_t> RanksOf(const std::vector<RankStream>& streams,
                             const std::vector<Placed>& acts) {
  std::vector<size_t> indices;
  for (const Placed& placed : acts) indices.push_back(placed.stream);
  return RanksOfStreams(streams, indices);
}

/// Indices of the events of these acts, ascending.
std::vector<size_t> EventsOf(const std::vector<RankStream>& streams,
                             const std::vector<Placed>& acts) {
  std::vector<size_t> events;
  for (const Placed& placed : acts) {
    const size_t event = ActOf(streams, placed).event;
    if (event != kNoRecord) events.push_back(event);
  }
  std::ranges::sort(events);
  return events;
}

RankAction DescribeEvent(const Session& session, size_t index) {
  const auto text = [&](StrId id) { return std::string(session.text(id)); };
  const Event& event = session.events()[index];
  const EventDetail& detail = session.detail(event);
  RankAction action;
  action.what = EventKindName(detail.kind() == EventKind::kImpliedRecompile ? EventKind::kRecompile
                                                                            : detail.kind());
  action.where = {text(detail.function), text(detail.file), detail.function_line};
  action.user = {text(detail.user_function), text(detail.user_file), detail.user_line};
  action.compile_id = text(event.compile_id);
  action.time = event.time;
  action.guard = text(detail.type());
  if (detail.reasons().empty()) return action;

  const Reason& reason = session.reason(detail.reasons()[NewestReason(session, detail.reasons())]);
  action.culprit = Culprit{reason.guard_class, text(reason.source), reason.dim, reason.value_type};
  action.guard = text(reason.guard);
  action.expected = text(reason.expected);
  action.actual = text(reason.actual);
  if (reason.user_line != 0) {
    action.user = {text(reason.user_function), text(reason.user_file), reason.user_line};
  }
  return action;
}

RankAction DescribeCompilation(const Session& session, const Compilation& compilation) {
  const auto text = [&](StrId id) { return std::string(session.text(id)); };
  const bool is_backward = compilation.outcome == CompileOutcome::kBackward;
  RankAction action;
  action.what = is_backward ? "backward" : EventKindName(EventKind::kCompile);
  action.where = {text(compilation.function), text(compilation.file), compilation.function_line};
  action.user = {text(compilation.user_function), text(compilation.user_file),
                 compilation.user_line};
  action.compile_id = text(compilation.compile_id);
  action.time = compilation.is_finished
                    ? EarlierBy(compilation.time, compilation.seconds.total.value_or(0))
                    : compilation.time;
  return action;
}

/// The data of the session about one act.
RankAction DescribeAct(const Session& session, const Act& act) {
  RankAction action = act.compilation != kNoRecord
                          ? DescribeCompilation(session, session.compilations()[act.compilation])
                          : DescribeEvent(session, act.event);
  if (!std::isnan(act.seconds)) action.seconds = act.seconds;
  if (act.event != kNoRecord) action.event = act.event;
  return action;
}

// In the order in which they are reported.
constexpr std::array kRowKinds = {DivergenceKind::kLate, DivergenceKind::kCache,
                                  DivergenceKind::kReasons, DivergenceKind::kValues};

StrId ValueOf(const Reason& reason) {
  return reason.actual != StrId::kNone ? reason.actual : reason.expected;
}

/// Finds the first difference of each kind in `kRowKinds`, with the number of similar rows. Times
/// are on one clock.
class RowReader {
 public:
  RowReader(const Session& session, const std::vector<RankStream>& streams,
            const Alignment& alignment)
      : session_(session), streams_(streams), alignment_(alignment), culprits_(session) {}

  std::vector<RankDivergence> Read() {
    for (size_t row = 0; row < alignment_.rows.size(); ++row) {
      const std::vector<Placed>& acts = alignment_.rows[row];
      if (acts.size() < 2) continue;
      const ActKind kind = ActOf(acts.front()).kind;
      bool is_in_step = true;
      if (kind == ActKind::kRecompile) {
        const std::optional<DivergenceKind> difference = CompareReasons(acts);
        if (difference) is_in_step = ReadDifference(row, *difference);
      } else if (kind == ActKind::kCompile) {
        ReadCompile(row);
      }
      if (is_in_step) usual_.Note(BeginsOf(streams_, acts));
    }
    std::vector<RankDivergence> differences;
    for (const DivergenceKind kind : kRowKinds) {
      const auto found = found_.find(kind);
      if (found != found_.end()) differences.push_back(std::move(found->second));
    }
    return differences;
  }

 private:
  const Act& ActOf(const Placed& placed) const { return streams_[placed.stream].acts[placed.act]; }

  // Why this recompile happened; null if the log does not say.
  const Reason* ReasonOf(const Placed& placed) const {
    const Act& act = ActOf(placed);
    if (act.event == kNoRecord) return nullptr;
    const EventDetail& detail = session_.detail(session_.events()[act.event]);
    if (detail.reasons().empty()) return nullptr;
    const Reason& reason =
        session_.reason(detail.reasons()[NewestReason(session_, detail.reasons())]);
    return reason.guard_class == GuardClass::kEmpty ? nullptr : &reason;
  }

  /// How the reasons of one recompile differ between ranks; absent: not at all, or the log does not
  /// contain them all.
  std::optional<DivergenceKind> CompareReasons(const std::vector<Placed>& acts) {
    const Reason* const first = ReasonOf(acts.front());
    bool differ_in_value = false;
    bool differ_in_culprit = false;
    for (const Placed& placed : acts) {
      const Reason* const reason = ReasonOf(placed);
      if (first == nullptr || reason == nullptr) return std::nullopt;
      if (reason->guard == first->guard && ValueOf(*reason) == ValueOf(*first)) continue;
      const bool is_same_culprit = culprits_.KeyOf(*reason) == culprits_.KeyOf(*first);
      differ_in_culprit |= !is_same_culprit;
      differ_in_value |= is_same_culprit && ValueOf(*reason) != ValueOf(*first);
    }
    if (differ_in_culprit) return DivergenceKind::kReasons;
    if (differ_in_value) return DivergenceKind::kValues;
    return std::nullopt;
  }

  /// Whether ranks made the recompile of `row`, whose reasons differ, in step with each other.
  bool ReadDifference(size_t row, DivergenceKind kind) {
    const std::vector<Placed>& acts = alignment_.rows[row];
    const std::vector<Placed> late = LateOnes(streams_, acts, usual_);
    const auto known_late = found_.find(DivergenceKind::kLate);
    // Once out of step, ranks that are far apart again do not count as in step.
    const bool stays_out =
        late.empty() && known_late != found_.end() && !usual_.HoldsFor(BeginsOf(streams_, acts));
    const bool is_in_step = late.empty() && !stays_out;
    const DivergenceKind reported = is_in_step ? kind : DivergenceKind::kLate;
    const auto found = found_.find(reported);
    if (found != found_.end()) {
      ++found->second.count;
      return is_in_step;
    }

    std::vector<Placed> actors = acts;
    std::erase_if(actors, [&](const Placed& placed) {
      return std::ranges::any_of(
          late, [&](const Placed& other) { return other.stream == placed.stream; });
    });
    RankDivergence divergence = MakeDivergence(reported, row, actors, late);
    if (is_in_step) {
      divergence.ranks = divergence.actors;
    } else {
      divergence.later_seconds =
          ActOf(Earliest(streams_, late)).begin - ActOf(Earliest(streams_, actors)).begin;
    }
    divergence.values = ValuesOf(acts, kind == DivergenceKind::kReasons);
    found_.emplace(reported, std::move(divergence));
    return is_in_step;
  }

  void ReadCompile(size_t row) {
    std::vector<Placed> hits;
    std::vector<Placed> others;
    for (const Placed& placed : alignment_.rows[row]) {
      const Act& act = ActOf(placed);
      if (act.compilation == kNoRecord) return;
      const CacheOutcome cache = session_.compilations()[act.compilation].cache;
      if (cache == CacheOutcome::kNone) return;
      (cache == CacheOutcome::kHit ? hits : others).push_back(placed);
    }
    if (hits.empty() || others.empty()) return;
    const auto found = found_.find(DivergenceKind::kCache);
    if (found != found_.end()) {
      ++found->second.count;
      return;
    }

    RankDivergence divergence = MakeDivergence(DivergenceKind::kCache, row, hits, others);
    if (hits.size() == others.size()) divergence.ranks = divergence.others;
    const auto longest = [&](const std::vector<Placed>& acts, auto measure) {
      double most = -1;
      for (const Placed& placed : acts) {
        if (!ActOf(placed).has_end()) return kNoTime;
        most = std::max(most, measure(ActOf(placed)));
      }
      return most;
    };
    const auto seconds = [](const Act& act) { return act.seconds; };
    const auto end = [](const Act& act) { return act.end(); };
    const double longer = longest(others, seconds) - longest(hits, seconds);
    if (longer > 0) divergence.later_seconds = longer;
    const double wait = longest(others, end) - longest(hits, end);
    if (wait > 0) divergence.wait_seconds = wait;
    found_.emplace(DivergenceKind::kCache, std::move(divergence));
  }

  std::vector<RankValue> ValuesOf(const std::vector<Placed>& row, bool as_guards) const {
    std::map<StrId, std::vector<int32_t>> ranks;
    for (const Placed& placed : row) {
      const Reason& reason = *ReasonOf(placed);
      ranks[as_guards ? reason.guard : ValueOf(reason)].push_back(streams_[placed.stream].rank);
    }
    std::vector<RankValue> values;
    for (auto& [value, of_ranks] : ranks) {
      std::ranges::sort(of_ranks);
      values.push_back({std::string(session_.text(value)), std::move(of_ranks)});
    }
    std::ranges::sort(values, [](const RankValue& a, const RankValue& b) {
      return a.ranks.front() < b.ranks.front();
    });
    return values;
  }

  RankDivergence MakeDivergence(DivergenceKind kind, size_t row, const std::vector<Placed>& actors,
                                const std::vector<Placed>& others) const {
    RankDivergence divergence;
    divergence.kind = kind;
    divergence.actors = RanksOf(streams_, actors);
    divergence.others = RanksOf(streams_, others);
    divergence.ranks = actors.size() <= others.size() ? divergence.actors : divergence.others;
    divergence.action = DescribeAct(session_, ActOf(Earliest(streams_, actors)));
    if (!others.empty()) {
      divergence.instead = DescribeAct(session_, ActOf(Earliest(streams_, others)));
    }
    divergence.agreed = row;
    divergence.events = EventsOf(streams_, alignment_.rows[row]);
    return divergence;
  }

  const Session& session_;
  const std::vector<RankStream>& streams_;
  const Alignment& alignment_;
  CulpritKeys culprits_;
  UsualSpread usual_;  // of the rows before
  std::map<DivergenceKind, RankDivergence> found_;
};

bool IsOfLogs(DivergenceKind kind) {
  return kind == DivergenceKind::kLogEnds || kind == DivergenceKind::kLogBegins;
}

RankDivergence DescribeSplit(const Session& session, const std::vector<RankStream>& streams,
                             const Split& split) {
  const auto act_of = [&](const std::vector<Placed>& acts) -> const Act& {
    return ActOf(streams, Earliest(streams, acts));
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
  for (RankDivergence& difference : RowReader(session, streams, alignment).Read()) {
    comparison.divergences.push_back(std::move(difference));
  }
  describe_splits(/*of_logs=*/true);

  if (const std::optional<WidestRow> widest = FindWidestRow(streams, alignment)) {
    const Act& act = ActOf(streams, widest->last);
    comparison.skew = {.seconds = widest->seconds,
                       .of_ends = widest->of_ends,
                       .action = DescribeAct(session, act),
                       .first = streams[widest->first.stream].rank,
                       .last = streams[widest->last.stream].rank};
  }
  return comparison;
}

}  // namespace shapewise
