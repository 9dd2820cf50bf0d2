#include "timeline/step_parts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "support/median.h"
#include "timeline/stall_period.h"

namespace shapewise {
namespace {

struct KernelFunction {
  std::string_view name;
  bool reads_maps;        ///< it reads the memory maps of a process while holding their lock
  std::string_view what;  ///< what its caller does: "reads /proc/PID/smaps"
};

/// Consecutive unexplained slow steps.
struct Episode {
  uint64_t first = 0;  ///< index of its first step
  uint64_t last = 0;
  double begin = 0;
  double end = 0;
  double excess = 0;  ///< seconds above the median
};

std::vector<Episode> FindEpisodes(const StepSeries& series, const StepTrack& track) {
  std::vector<Episode> episodes;
  for (const SlowStep& slow : track.slow) {
    if (slow.cause != SlowCause::kUnexplained) continue;
    const double excess = slow.seconds - series.median;
    const double end = slow.begin + slow.seconds;
    if (!episodes.empty() && episodes.back().last + 1 == slow.index) {
      Episode& episode = episodes.back();
      episode.last = slow.index;
      episode.end = end;
      episode.excess += excess;
    } else {
      episodes.push_back({slow.index, slow.index, slow.begin, end, excess});
    }
  }
  return episodes;
}

/// The steps in which a function of another process ran.
struct Presence {
  uint64_t stalls = 0;
  uint64_t others = 0;
  double seconds = 0;  ///< of all its stretches
};

/// Counts the steps that overlap a function's spans, in time proportional to its spans, not to the
/// steps.
class StepCounter {
 public:
  StepCounter(const StepSeries& series, const std::vector<Episode>& episodes)
      : series_(series), episodes_(episodes) {
    double latest = -HUGE_VAL;
    for (const TimedStep& step : series.steps) {
      latest = std::max(latest, step.begin + step.seconds);
      ends_.push_back(latest);
    }
    uint64_t stalled = 0;
    for (const Episode& episode : episodes) {
      stalled_before_.push_back(stalled);
      stalled += episode.last - episode.first + 1;
    }
    stalled_before_.push_back(stalled);
  }

  /// Counts each step once, and consecutive stalled steps once in total. `stretches` must be sorted
  /// by start.
  Presence Count(const std::vector<std::pair<double, double>>& stretches) const {
    Presence presence;
    size_t next = 0;  // first step that is not counted yet
    size_t next_episode = 0;
    for (const auto& [begin, end] : stretches) {
      presence.seconds += end - begin;
      const auto from = std::ranges::upper_bound(ends_, begin) - ends_.begin();
      const auto until = std::upper_bound(series_.steps.begin(), series_.steps.end(), end,
                                          [](double moment, const TimedStep& step) {
                                            return moment < step.begin;
                                          }) -
                         series_.steps.begin();
      const size_t first = std::max(next, static_cast<size_t>(from));
      const auto last = static_cast<size_t>(until);  // exclusive end
      if (first >= last) continue;
      const size_t first_episode = EpisodeAt(first);
      const size_t last_episode =
          std::max(first_episode, EpisodeAt(last - 1) + (IsStalled(last - 1) ? 1 : 0));
      presence.stalls += last_episode - std::clamp(next_episode, first_episode, last_episode);
      next_episode = std::max(next_episode, last_episode);
      presence.others += (last - first) - (StalledBefore(last) - StalledBefore(first));
      next = last;
    }
    return presence;
  }

 private:
  /// The index of the first episode that ends at or after `step`.
  size_t EpisodeAt(size_t step) const {
    return static_cast<size_t>(
        std::lower_bound(episodes_.begin(), episodes_.end(), step,
                         [](const Episode& episode, size_t at) { return episode.last < at; }) -
        episodes_.begin());
  }

  bool IsStalled(size_t step) const {
    const size_t episode = EpisodeAt(step);
    return episode < episodes_.size() && episodes_[episode].first <= step;
  }

  /// The number of stalled steps before `step`.
  uint64_t StalledBefore(size_t step) const {
    const size_t episode = EpisodeAt(step);
    uint64_t stalled = stalled_before_[episode];
    if (episode < episodes_.size() && episodes_[episode].first < step) {
      stalled += step - episodes_[episode].first;
    }
    return stalled;
  }

  const StepSeries& series_;
  const std::vector<Episode>& episodes_;
  std::vector<double> ends_;  ///< by step: the latest end of all steps up to it
  std::vector<uint64_t> stalled_before_;
};

constexpr std::string_view kSmaps =
    "reads /proc/PID/smaps, for which the kernel walks every page of a process and holds the lock "
    "of its memory map";
constexpr std::string_view kPagemap = "reads /proc/PID/pagemap page by page";
constexpr std::string_view kNumaMaps =
    "reads /proc/PID/numa_maps, for which the kernel walks every page of a process";
constexpr std::string_view kReferences = "clears the referenced bits of a process's pages";
constexpr std::string_view kCompaction = "compacts memory";
constexpr std::string_view kHugePages = "joins pages into huge ones";
constexpr std::string_view kNumaBalancing = "moves pages between memory nodes";
constexpr std::string_view kReclaim = "reclaims memory";
constexpr std::string_view kSamePages = "looks for equal pages to share";

// Linux: fs/proc/task_mmu.c, mm/compaction.c, mm/khugepaged.c, kernel/sched/fair.c,
// mm/mempolicy.c, mm/vmscan.c, mm/ksm.c.
constexpr KernelFunction kFunctions[] = {
    {"smap_gather_stats", true, kSmaps},
    {"smaps_pte_range", true, kSmaps},
    {"smaps_pte_entry", true, kSmaps},
    {"smaps_account", true, kSmaps},
    {"smaps_page_accumulate", true, kSmaps},
    {"show_smap", true, kSmaps},
    {"show_smaps_rollup", true, kSmaps},
    {"pagemap_read", true, kPagemap},
    {"pagemap_pmd_range", true, kPagemap},
    {"show_numa_map", true, kNumaMaps},
    {"gather_pte_stats", true, kNumaMaps},
    {"clear_refs_write", true, kReferences},
    {"compact_zone", false, kCompaction},
    {"isolate_migratepages_block", false, kCompaction},
    {"khugepaged", false, kHugePages},
    {"khugepaged_scan_mm_slot", false, kHugePages},
    {"hpage_collapse_scan_pmd", false, kHugePages},
    {"collapse_huge_page", false, kHugePages},
    {"task_numa_work", false, kNumaBalancing},
    {"change_prot_numa", false, kNumaBalancing},
    {"migrate_misplaced_page", false, kNumaBalancing},
    {"shrink_node", false, kReclaim},
    {"shrink_lruvec", false, kReclaim},
    {"balance_pgdat", false, kReclaim},
    {"ksm_scan_thread", false, kSamePages},
    {"ksm_do_scan", false, kSamePages},
};

/// Null: unknown, or not informative. Ignores suffixes of compiler clones (".isra.0",
/// ".constprop.0") and kernel modules ("[k]").
const KernelFunction* FindKernelFunction(std::string_view name) {
  name = name.substr(0, name.find_first_of(".[ +"));
  for (const KernelFunction& function : kFunctions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

}  // namespace

std::optional<Stall> FindStall(const StepSeries& series, const StepTrack& track) {
  const std::vector<Episode> episodes = FindEpisodes(series, track);
  if (episodes.size() < kMinStallsForPeriod) return std::nullopt;
  std::vector<double> moments;
  std::vector<uint64_t> indices;
  std::vector<double> excesses;
  std::vector<double> distances;
  Stall stall;
  for (const Episode& episode : episodes) {
    // The pause is somewhere in the step: assume half of the step's normal duration before it.
    if (!moments.empty()) distances.push_back(episode.begin - (moments.back() - series.median / 2));
    moments.push_back(episode.begin + series.median / 2);
    indices.push_back(episode.first);
    excesses.push_back(episode.excess);
    stall.total_seconds += episode.excess;
  }
  stall.count = episodes.size();
  stall.distances = distances.size();
  stall.seconds = MedianOf(excesses);
  const std::optional<int64_t> step_period = FindStepPeriod(indices);
  const std::optional<StallPeriod> period = FindStallPeriod(moments, series.median);
  if (!step_period && !period) return std::nullopt;
  if (step_period) {
    stall.is_by_steps = true;
    stall.period_steps = *step_period;
    for (size_t i = 1; i < indices.size(); ++i) {
      const auto distance = static_cast<int64_t>(indices[i] - indices[i - 1]);
      if (distance % *step_period == 0) ++stall.regular;
    }
    stall.chance = kMaxChance;
    for (const double distance : distances) {
      stall.period += distance / static_cast<double>(distances.size());
    }
    for (const double distance : distances) {
      stall.jitter += std::abs(distance - stall.period) / static_cast<double>(distances.size());
    }
  }
  if (period && !step_period) {
    stall.period = period->period;
    stall.jitter = period->jitter;
    stall.regular = period->regular;
    stall.chance = period->chance;
  }
  return stall;
}

void FindCompany(const StepSeries& series, const StepTrack& track,
                 std::optional<double> epoch_minus_local, const Session& session, Stall& stall) {
  using Stretches = std::vector<std::pair<double, double>>;
  std::map<std::pair<std::string_view, std::string_view>, Stretches> by_function;
  for (const Span& span : session.spans()) {
    if (span.kind != SpanKind::kOtherProcess) continue;
    const std::optional<double> begin =
        ByClock(span.begin, span.clock, span.input, series.clock, series.input, epoch_minus_local);
    if (!begin) continue;
    by_function[{session.text(span.process), session.text(span.name)}].push_back(
        {*begin, *begin + span.seconds});
  }

  const std::vector<Episode> episodes = FindEpisodes(series, track);
  uint64_t stalled_steps = 0;
  for (const Episode& episode : episodes) stalled_steps += episode.last - episode.first + 1;
  const uint64_t others = series.steps.size() - stalled_steps;

  // Smaller is more informative: known functions first, then those rarely seen in other steps, then
  // the innermost, which have the shortest duration.
  using Rank = std::tuple<bool, uint64_t, uint64_t, double>;
  std::optional<Rank> best;
  const StepCounter counter(series, episodes);
  for (auto& [key, stretches] : by_function) {
    std::ranges::sort(stretches);
    const Presence presence = counter.Count(stretches);
    if (presence.stalls * 2 < episodes.size()) continue;
    const double usual = static_cast<double>(presence.others + 1) / static_cast<double>(others + 2);
    const double chance = BinomialTail(presence.stalls, episodes.size(), usual);
    if (chance > kMaxChance) continue;
    const KernelFunction* known = FindKernelFunction(key.second);
    const Rank rank{known == nullptr, episodes.size() - presence.stalls, presence.others,
                    presence.seconds};
    if (best && rank >= *best) continue;
    best = rank;
    stall.company = StallCompanion{std::string(key.first),
                                   std::string(key.second),
                                   presence.stalls,
                                   presence.others,
                                   others,
                                   known == nullptr ? "" : std::string(known->what),
                                   known != nullptr && known->reads_maps};
  }
}

}  // namespace shapewise
