#include "ranks/rank_parts.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "support/median.h"

namespace shapewise {
namespace {

constexpr size_t kMinCommonActs = 3;
constexpr double kMinOffsetSeconds = 1;
constexpr double kMaxOffsetSpread = 0.25;  // of the offset
constexpr double kMinLateSeconds = 0.1;
constexpr double kSurelyLateSeconds = 1;
constexpr double kLateOverUsual = 3;
constexpr size_t kUsualRows = 15;

/// Whether all acts of `row`, at least two, have what `has` asks for.
bool HaveAll(bool (Act::*has)() const, const std::vector<RankStream>& streams,
             const std::vector<Placed>& row) {
  return row.size() >= 2 && std::ranges::all_of(row, [&](const Placed& placed) {
           return (ActOf(streams, placed).*has)();
         });
}

double SpreadOf(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax_element(values);
  return *most - *least;
}

/// The clock offset, if these differences are caused by one; else 0.
double ConstantPart(std::vector<double> differences) {
  if (differences.size() < kMinCommonActs) return 0;
  const double median = MedianOf(differences);
  std::ranges::sort(differences);
  const size_t quarter = differences.size() / 4;
  const double spread = differences[differences.size() - 1 - quarter] - differences[quarter];
  const bool is_constant = spread <= kMaxOffsetSpread * std::abs(median);
  return is_constant && std::abs(median) >= kMinOffsetSeconds ? median : 0;
}

}  // namespace

std::vector<double> BeginsOf(const std::vector<RankStream>& streams,
                             const std::vector<Placed>& row) {
  std::vector<double> begins;
  begins.reserve(row.size());
  for (const Placed& placed : row) {
    const Act& act = ActOf(streams, placed);
    if (!act.has_begin()) return {};
    begins.push_back(act.begin);
  }
  return begins;
}

bool UsualSpread::HoldsFor(const std::vector<double>& begins) const {
  if (begins.size() < 2) return true;
  const double spread = SpreadOf(begins);
  return spread < kMinLateSeconds || Covers(spread);
}

void UsualSpread::Note(const std::vector<double>& begins) {
  if (begins.size() < 2 || (!spreads_.empty() && !HoldsFor(begins))) return;
  spreads_.push_back(SpreadOf(begins));
  if (spreads_.size() > kUsualRows) spreads_.pop_front();
}

bool UsualSpread::Covers(double seconds) const {
  std::vector<double> spreads(spreads_.begin(), spreads_.end());
  return seconds < kLateOverUsual * MedianOf(spreads);  // 0 if none is known yet
}

std::vector<double> ClockOffsets(const std::vector<RankStream>& streams,
                                 const Alignment& alignment) {
  std::vector<double> offsets(streams.size(), 0);
  std::set<uint32_t> inputs;
  for (const RankStream& stream : streams) inputs.insert(stream.input);
  if (inputs.size() < streams.size()) return offsets;

  std::vector<std::vector<double>> differences(streams.size());
  // A recompile may come in another step on each rank, but rarely a first compile.
  std::vector<bool> has_first(streams.size(), false);
  for (const std::vector<Placed>& row : alignment.rows) {
    if (!HaveAll(&Act::has_begin, streams, row)) continue;
    std::vector<double> begins = BeginsOf(streams, row);
    const double median = MedianOf(begins);
    for (const Placed& placed : row) {
      const Act& act = ActOf(streams, placed);
      differences[placed.stream].push_back(act.begin - median);
      if (act.is_first) has_first[placed.stream] = true;
    }
  }
  for (size_t stream = 0; stream < streams.size(); ++stream) {
    if (has_first[stream]) offsets[stream] = ConstantPart(std::move(differences[stream]));
  }
  return offsets;
}

void CorrectTimes(const std::vector<double>& offsets, std::vector<RankStream>& streams) {
  for (size_t stream = 0; stream < streams.size(); ++stream) {
    if (offsets[stream] == 0) continue;
    for (Act& act : streams[stream].acts) act.begin -= offsets[stream];
  }
}

std::optional<WidestRow> FindWidestRow(const std::vector<RankStream>& streams,
                                       const Alignment& alignment) {
  std::optional<WidestRow> widest;
  for (const std::vector<Placed>& row : alignment.rows) {
    if (!HaveAll(&Act::has_begin, streams, row)) continue;
    const bool of_ends = HaveAll(&Act::has_end, streams, row);
    const auto [first, last] =
        std::ranges::minmax_element(row, [&](const Placed& a, const Placed& b) {
          const Act& act_a = ActOf(streams, a);
          const Act& act_b = ActOf(streams, b);
          return of_ends ? act_a.end() < act_b.end() : act_a.begin < act_b.begin;
        });
    const Act& first_act = ActOf(streams, *first);
    const Act& last_act = ActOf(streams, *last);
    const double seconds =
        of_ends ? last_act.end() - first_act.end() : last_act.begin - first_act.begin;
    if (!widest || seconds > widest->seconds) {
      widest = {.seconds = seconds, .of_ends = of_ends, .first = *first, .last = *last};
    }
  }
  return widest;
}

std::vector<Placed> LateOnes(const std::vector<RankStream>& streams, const std::vector<Placed>& row,
                             const UsualSpread& usual) {
  std::vector<Placed> placed = row;
  if (!HaveAll(&Act::has_begin, streams, placed)) return {};
  std::ranges::sort(placed, [&](const Placed& a, const Placed& b) {
    return std::pair(ActOf(streams, a).begin, a.stream) <
           std::pair(ActOf(streams, b).begin, b.stream);
  });
  // The widest gap separates the punctual ones from the late ones.
  size_t first_late = 1;
  const auto gap_before = [&](size_t i) {
    return ActOf(streams, placed[i]).begin - ActOf(streams, placed[i - 1]).begin;
  };
  for (size_t i = 2; i < placed.size(); ++i) {
    if (gap_before(i) > gap_before(first_late)) first_late = i;
  }
  const double gap = gap_before(first_late);
  if (gap < kMinLateSeconds || usual.Covers(gap)) return {};

  const double late_begin = ActOf(streams, placed[first_late]).begin;
  for (size_t i = 0; i < first_late; ++i) {
    const Act& act = ActOf(streams, placed[i]);
    const std::vector<Act>& acts = streams[placed[i].stream].acts;
    if (act.has_end()) {
      if (act.end() > late_begin) return {};
      continue;
    }
    const bool went_on =
        placed[i].act + 1 < acts.size() && acts[placed[i].act + 1].begin <= late_begin;
    if (!went_on && gap < kSurelyLateSeconds) return {};
  }
  return {placed.begin() + static_cast<std::ptrdiff_t>(first_late), placed.end()};
}

std::optional<double> WaitAt(const std::vector<RankStream>& streams, const Split& split) {
  if (split.instead.empty()) return std::nullopt;
  const Placed actor = Earliest(streams, split.actors);
  const Placed other = Earliest(streams, split.instead);
  const Act& act = ActOf(streams, actor);
  const Act& instead = ActOf(streams, other);
  if (!act.has_begin() || !instead.has_begin() || other.act == 0) return std::nullopt;
  const Act& before = streams[other.stream].acts[other.act - 1];
  if (!before.has_end()) return std::nullopt;

  // The actors worked until they also reached what the others continued with.
  const std::vector<Act>& acts = streams[actor.stream].acts;
  double work_end = kNoTime;
  for (size_t i = actor.act; i < acts.size(); ++i) {
    if (acts[i].loose_key == instead.loose_key) break;
    if (acts[i].has_end()) work_end = std::fmax(work_end, acts[i].end());
  }
  if (std::isnan(work_end)) return std::nullopt;
  const double wait = std::min(work_end - act.begin, instead.begin - before.end());
  return wait > 0 ? std::optional(wait) : std::nullopt;
}

std::optional<double> FollowedAfter(const std::vector<RankStream>& streams, const Split& split) {
  if (split.instead.empty()) return std::nullopt;
  const Act& act = ActOf(streams, Earliest(streams, split.actors));
  const Placed other = Earliest(streams, split.instead);
  const std::vector<Act>& acts = streams[other.stream].acts;
  const auto follows =
      std::find_if(acts.begin() + static_cast<std::ptrdiff_t>(other.act), acts.end(),
                   [&](const Act& candidate) { return candidate.loose_key == act.loose_key; });
  if (follows == acts.end() || !act.has_begin() || !follows->has_begin()) return std::nullopt;
  const double seconds = follows->begin - act.begin;
  return seconds >= 0 ? std::optional(seconds) : std::nullopt;
}

}  // namespace shapewise
