#include "ranks/rank_parts.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace shapewise {
namespace {

// Number of acts that must match before a stream counts as one that begins later.
constexpr size_t kMinFittingActs = 3;

std::vector<size_t> StreamsOf(const std::vector<Placed>& group) {
  std::vector<size_t> streams;
  streams.reserve(group.size());
  for (const Placed& placed : group) streams.push_back(placed.stream);
  return streams;
}

class Aligner {
 public:
  explicit Aligner(const std::vector<RankStream>& streams) : streams_(streams) {
    compared_.resize(streams.size());
    std::iota(compared_.begin(), compared_.end(), size_t{0});
    first_rows_.assign(streams.size(), 0);
    last_uses_.resize(streams.size());
  }

  Alignment Run() {
    FindLateBeginnings();
    for (uint64_t position = 0; !compared_.empty(); ++position) {
      std::vector<Group> groups = GroupsAt(position);
      if (!SettleEnds(position, groups)) break;
      if (groups.empty()) continue;  // the remaining ones begin later
      if (groups.size() > 1) {
        std::ranges::sort(groups, [&](const Group& a, const Group& b) {
          if (a.size() != b.size()) return a.size() > b.size();
          return Notability(a) > Notability(b);
        });
        // In a tie of two, those whose act is reported are the ones that diverge.
        const bool is_tie = groups.size() == 2 && groups[0].size() == groups[1].size();
        if (is_tie && !IsPartingNotable(position, groups[1], groups[0]))
          std::swap(groups[0], groups[1]);
        const Group& rest = groups.front();
        std::sort(groups.begin() + 1, groups.end(),
                  [&](const Group& a, const Group& b) { return Notability(a) < Notability(b); });
        for (size_t i = 1; i < groups.size(); ++i) {
          Part(position, groups[i], rest);
          StopComparing(StreamsOf(groups[i]));
        }
      }
      result_.rows.resize(position + 1);
      result_.rows[position] = std::move(groups.front());
    }
    return std::move(result_);
  }

 private:
  using Group = std::vector<Placed>;

  const Act& ActOf(const Placed& placed) const { return streams_[placed.stream].acts[placed.act]; }
  bool IsOver(size_t stream, uint64_t position) const {
    return position >= first_rows_[stream] + streams_[stream].acts.size();
  }

  void FindLateBeginnings() {
    std::unordered_map<uint32_t, size_t> beginnings;  // number of streams with this beginning
    for (const RankStream& stream : streams_) {
      if (!stream.acts.empty()) ++beginnings[stream.acts.front().key];
    }
    if (beginnings.size() < 2) return;
    const auto by_content = [](const Act& a, const Act& b) { return a.key < b.key; };
    // The longest stream among those with the most common beginning; ties are broken by content.
    const auto is_better = [&](size_t a, size_t b) {
      const std::vector<Act>& acts_a = streams_[a].acts;
      const std::vector<Act>& acts_b = streams_[b].acts;
      if (acts_a.empty() || acts_b.empty()) return !acts_a.empty();
      const size_t like_a = beginnings[acts_a.front().key];
      const size_t like_b = beginnings[acts_b.front().key];
      if (like_a != like_b) return like_a > like_b;
      if (acts_a.size() != acts_b.size()) return acts_a.size() > acts_b.size();
      return std::lexicographical_compare(acts_a.begin(), acts_a.end(), acts_b.begin(),
                                          acts_b.end(), by_content);
    };
    const size_t reference = *std::ranges::min_element(compared_, is_better);
    for (const size_t stream : compared_) {
      if (streams_[stream].acts.empty()) continue;
      const std::optional<size_t> row = BeginsWithin(stream, reference);
      if (!row) continue;
      // Two streams that each contain the other's beginning have swapped it.
      if (BeginsWithin(reference, stream)) continue;
      first_rows_[stream] = *row;
      Split split;
      split.kind = DivergenceKind::kLogBegins;
      split.position = *row;
      split.parting = {stream};
      split.actors = {{stream, 0}};
      split.others = {reference};
      split.instead = {{reference, *row}};
      AddSplit(std::move(split));
    }
  }

  // The row of `reference` at which `stream` begins; absent if it does not match.
  std::optional<size_t> BeginsWithin(size_t stream, size_t reference) const {
    const std::vector<Act>& acts = streams_[stream].acts;
    const std::vector<Act>& whole = streams_[reference].acts;
    if (streams_[stream].begins_with_program) return std::nullopt;
    // Ranks that share an input also share its beginning.
    if (streams_[stream].input == streams_[reference].input) return std::nullopt;
    const auto first =
        std::ranges::find_if(whole, [&](const Act& act) { return act.key == acts.front().key; });
    if (first == whole.begin() || first == whole.end()) return std::nullopt;
    const size_t num_fitting = std::min(
        {kMinFittingActs, acts.size(), static_cast<size_t>(std::distance(first, whole.end()))});
    for (size_t i = 0; i < num_fitting; ++i) {
      if (acts[i].key != first[static_cast<std::ptrdiff_t>(i)].key) return std::nullopt;
    }
    return static_cast<size_t>(std::distance(whole.begin(), first));
  }

  std::vector<Group> GroupsAt(uint64_t position) const {
    Group row;
    for (const size_t stream : compared_) {
      if (position < first_rows_[stream] || IsOver(stream, position)) continue;
      row.push_back({stream, static_cast<size_t>(position - first_rows_[stream])});
    }
    const auto key_of = [this](const Placed& placed) { return ActOf(placed).key; };
    const bool is_one = std::ranges::all_of(
        row, [&](const Placed& placed) { return key_of(placed) == key_of(row.front()); });
    std::vector<Group> groups;
    if (is_one) {
      if (!row.empty()) groups.push_back(std::move(row));
      return groups;
    }
    std::ranges::sort(row, [&](const Placed& a, const Placed& b) {
      return std::pair(key_of(a), a.stream) < std::pair(key_of(b), b.stream);
    });
    for (const Placed& placed : row) {
      if (groups.empty() || key_of(groups.back().front()) != key_of(placed)) groups.emplace_back();
      groups.back().push_back(placed);
    }
    return groups;
  }

  // Lower is more notable.
  std::tuple<int, double, uint32_t> Notability(const Group& group) const {
    const Act& act = ActOf(Earliest(streams_, group));
    const DivergenceKind kind = KindOf(act);
    const int worth = kind == DivergenceKind::kRecompile ? 0
                      : kind == DivergenceKind::kBreak   ? 1
                                                         : 2;
    return std::tuple(worth, act.begin_or_zero(), act.key);
  }

  // What it means that only some ranks do this, as far as the act alone shows.
  static DivergenceKind KindOf(const Act& act) {
    if (act.kind == ActKind::kCompile) {
      return act.is_first ? DivergenceKind::kPrograms : DivergenceKind::kRecompile;
    }
    const bool is_recompile = act.kind == ActKind::kRecompile || act.kind == ActKind::kLimit;
    return is_recompile ? DivergenceKind::kRecompile : DivergenceKind::kBreak;
  }

  // Decides what it means that some streams have ended while others continue. False: nothing is
  // left to compare.
  bool SettleEnds(uint64_t position, std::vector<Group>& groups) {
    std::vector<size_t> over;
    std::ranges::copy_if(compared_, std::back_inserter(over),
                         [&](size_t stream) { return IsOver(stream, position); });
    if (over.empty()) return true;
    size_t num_going = 0;
    for (const Group& group : groups) num_going += group.size();
    if (num_going == 0) {
      StopComparing(over);
      return !compared_.empty();
    }

    std::ranges::sort(
        groups, [&](const Group& a, const Group& b) { return Notability(a) < Notability(b); });
    const Act& act = ActOf(groups.front().front());
    const bool goes_on =
        std::ranges::any_of(groups, [&](const Group& group) { return HasFirstCompile(group); });
    Split split;
    split.position = position;
    // Recompiling something that all have compiled may be specific to one rank. Continuing with
    // other functions shows that the other ranks should have reached them, too, unless those are
    // the majority.
    const bool is_alone = over.size() >= num_going && !goes_on;
    const bool has_a_role =
        over.size() > num_going && act.is_first && act.kind == ActKind::kCompile;
    if (is_alone || has_a_role) {
      for (const Group& group : groups) {
        split.kind = KindOf(ActOf(group.front()));
        split.parting = StreamsOf(group);
        split.actors = group;
        split.others = over;
        AddSplit(split);
      }
      return false;
    }
    split.kind = DivergenceKind::kLogEnds;
    split.parting = over;
    split.others.clear();
    for (const Group& group : groups) {
      const std::vector<size_t> going = StreamsOf(group);
      split.others.insert(split.others.end(), going.begin(), going.end());
    }
    std::ranges::sort(split.others);
    for (const size_t stream : over) {
      const size_t num_acts = streams_[stream].acts.size();
      if (num_acts > 0) split.actors.push_back({stream, num_acts - 1});
    }
    split.instead = groups.front();
    AddSplit(std::move(split));
    StopComparing(over);
    return true;
  }

  // Whether to report the act of `parting`: an act that only one side performs is reported; if each
  // side follows the other, or neither, the more notable act.
  bool IsPartingNotable(uint64_t position, const Group& parting, const Group& rest) {
    const bool rest_follows = Took(StreamsOf(rest), ActOf(parting.front()).loose_key, position);
    const bool parting_follows = Took(StreamsOf(parting), ActOf(rest.front()).loose_key, position);
    if (rest_follows != parting_follows) return !rest_follows;
    return Notability(parting) < Notability(rest);
  }

  // `parting` diverges from the rest.
  void Part(uint64_t position, const Group& parting, const Group& rest) {
    const bool is_parting_notable = IsPartingNotable(position, parting, rest);
    Split split;
    split.position = position;
    split.parting = StreamsOf(parting);
    split.actors = is_parting_notable ? parting : rest;
    split.instead = is_parting_notable ? rest : parting;
    split.others = StreamsOf(split.instead);

    const Act& act = ActOf(split.actors.front());
    split.kind = KindOf(act);
    if (split.kind == DivergenceKind::kBreak && HaveOwnPrograms(split)) {
      split.kind = DivergenceKind::kPrograms;
    } else if (split.kind == DivergenceKind::kPrograms) {
      const uint32_t instead_key = ActOf(split.instead.front()).loose_key;
      const bool is_swapped = Took(split.others, act.loose_key, position) &&
                              Took(StreamsOf(split.actors), instead_key, position);
      if (is_swapped) split.kind = DivergenceKind::kOrder;
    }
    AddSplit(std::move(split));
  }

  void AddSplit(Split split) { result_.splits.push_back(std::move(split)); }

  // Whether any of the streams has an act with this key in that row or a later one.
  bool Took(const std::vector<size_t>& streams, uint32_t loose_key, uint64_t from_row) {
    return std::ranges::any_of(streams, [&](size_t stream) {
      auto& last_uses = last_uses_[stream];
      const std::vector<Act>& acts = streams_[stream].acts;
      if (last_uses.empty()) {
        for (size_t i = 0; i < acts.size(); ++i) last_uses[acts[i].loose_key] = i;
      }
      const auto last = last_uses.find(loose_key);
      return last != last_uses.end() && last->second + first_rows_[stream] >= from_row;
    });
  }

  // Whether both sides compile for the first time something that the other side never compiles.
  bool HaveOwnPrograms(const Split& split) {
    const Act& act = CompileAround(split.actors.front());
    const Act& other = CompileAround(split.instead.front());
    if (!act.is_first || !other.is_first) return false;
    if (act.number == other.number && act.function != 0 && act.function == other.function) {
      return false;
    }
    return !Took(split.others, act.loose_key, 0) &&
           !Took(StreamsOf(split.actors), other.loose_key, 0);
  }

  // The compile that contains a graph break, if compiles are known; else the act itself.
  const Act& CompileAround(const Placed& placed) const {
    const std::vector<Act>& acts = streams_[placed.stream].acts;
    const Act& act = acts[placed.act];
    if (act.kind == ActKind::kCompile || !act.number) return act;
    const auto compile = std::find_if(
        acts.begin() + static_cast<std::ptrdiff_t>(placed.act), acts.end(), [&](const Act& next) {
          return next.kind == ActKind::kCompile && next.number == act.number;
        });
    return compile == acts.end() ? act : *compile;
  }

  // Whether any of the group later compiles something for the first time.
  bool HasFirstCompile(const Group& group) const {
    return std::ranges::any_of(group, [&](const Placed& placed) {
      const std::vector<Act>& acts = streams_[placed.stream].acts;
      return std::any_of(acts.begin() + static_cast<std::ptrdiff_t>(placed.act), acts.end(),
                         [](const Act& act) { return act.is_first; });
    });
  }

  void StopComparing(const std::vector<size_t>& streams) {
    std::erase_if(compared_, [&](size_t stream) {
      return std::ranges::find(streams, stream) != streams.end();
    });
  }

  const std::vector<RankStream>& streams_;
  std::vector<size_t> compared_;      // streams that have not diverged
  std::vector<uint64_t> first_rows_;  // by stream: the row of its first act
  // By stream: last use of each loose key.
  std::vector<std::unordered_map<uint32_t, size_t>> last_uses_;
  Alignment result_;
};

}  // namespace

Placed Earliest(const std::vector<RankStream>& streams, const std::vector<Placed>& acts) {
  return *std::ranges::min_element(acts, [&](const Placed& a, const Placed& b) {
    return ActOf(streams, a).begin_or_zero() < ActOf(streams, b).begin_or_zero();
  });
}

Alignment Align(const std::vector<RankStream>& streams) { return Aligner(streams).Run(); }

}  // namespace shapewise
