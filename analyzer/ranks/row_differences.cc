#include "ranks/row_differences.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "causes/culprit_key.h"
#include "ranks/rank_clock.h"
#include "ranks/rank_streams.h"

namespace shapewise {
namespace {

// In the order in which they are reported.
constexpr std::array kRowKinds = {DivergenceKind::kLate, DivergenceKind::kCache,
                                  DivergenceKind::kReasons, DivergenceKind::kValues};

class RowReader {
 public:
  RowReader(const Session& session, const std::vector<RankStream>& streams,
            const Alignment& alignment)
      : session_(session), streams_(streams), alignment_(alignment), culprits_(session) {}

  std::vector<RankDivergence> Read();

 private:
  const Act& ActOf(const Placed& placed) const { return streams_[placed.stream].acts[placed.act]; }
  const Reason* ReasonOf(const Placed& placed) const;
  std::optional<DivergenceKind> CompareReasons(const std::vector<Placed>& acts);
  bool ReadDifference(size_t row, DivergenceKind kind);
  void ReadCompile(size_t row);
  std::vector<RankValue> ValuesOf(const std::vector<Placed>& row, bool as_guards) const;
  RankDivergence MakeDivergence(DivergenceKind kind, size_t row, const std::vector<Placed>& actors,
                                const std::vector<Placed>& others) const;

  const Session& session_;
  const std::vector<RankStream>& streams_;
  const Alignment& alignment_;
  CulpritKeys culprits_;
  UsualSpread usual_;  // of the rows before
  std::map<DivergenceKind, RankDivergence> found_;
};

// Why this recompile happened; null if the log does not say.
const Reason* RowReader::ReasonOf(const Placed& placed) const {
  const Act& act = ActOf(placed);
  if (act.event == kNoRecord) return nullptr;
  const EventDetail& detail = session_.detail(session_.events()[act.event]);
  if (detail.reasons().empty()) return nullptr;
  const Reason& reason =
      session_.reason(detail.reasons()[NewestReason(session_, detail.reasons())]);
  return reason.guard_class == GuardClass::kEmpty ? nullptr : &reason;
}

StrId ValueOf(const Reason& reason) {
  return reason.actual != StrId::kNone ? reason.actual : reason.expected;
}

std::vector<RankValue> RowReader::ValuesOf(const std::vector<Placed>& row, bool as_guards) const {
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

RankDivergence RowReader::MakeDivergence(DivergenceKind kind, size_t row,
                                         const std::vector<Placed>& actors,
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

/// How the reasons of one recompile differ between ranks; absent: not at all, or the log does not
/// contain them all.
std::optional<DivergenceKind> RowReader::CompareReasons(const std::vector<Placed>& acts) {
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
bool RowReader::ReadDifference(size_t row, DivergenceKind kind) {
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
    return std::ranges::any_of(late,
                               [&](const Placed& other) { return other.stream == placed.stream; });
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

void RowReader::ReadCompile(size_t row) {
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

std::vector<RankDivergence> RowReader::Read() {
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

}  // namespace

std::vector<RankDivergence> FindRowDifferences(const Session& session,
                                               const std::vector<RankStream>& streams,
                                               const Alignment& alignment) {
  return RowReader(session, streams, alignment).Read();
}

RankAction DescribeAct(const Session& session, const Act& act) {
  RankAction action = act.compilation != kNoRecord
                          ? DescribeCompilation(session, session.compilations()[act.compilation])
                          : DescribeEvent(session, act.event);
  if (!std::isnan(act.seconds)) action.seconds = act.seconds;
  if (act.event != kNoRecord) action.event = act.event;
  return action;
}

std::vector<int32_t> RanksOf(const std::vector<RankStream>& streams,
                             const std::vector<Placed>& acts) {
  std::vector<int32_t> ranks;
  ranks.reserve(acts.size());
  for (const Placed& placed : acts) ranks.push_back(streams[placed.stream].rank);
  std::ranges::sort(ranks);
  return ranks;
}

std::vector<size_t> EventsOf(const std::vector<RankStream>& streams,
                             const std::vector<Placed>& acts) {
  std::vector<size_t> events;
  for (const Placed& placed : acts) {
    const size_t event = streams[placed.stream].acts[placed.act].event;
    if (event != kNoRecord) events.push_back(event);
  }
  std::ranges::sort(events);
  return events;
}

}  // namespace shapewise
